#include <fmt/format.h>

#include <algorithm>

#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/text_file.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"
#include "read_profile.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxProfileBytes = std::size_t{64} << 20;

// The format may be newer, or older than the first release.
std::string other_format(std::string_view format) {
  return fmt::format(
      "is {}, but this program reads only profile format {}; install another release of tilewright, "
      "or tune the device again",
      format, kProfileFormat);
}

// Number of bytes of `text` that its digest covers, or npos if the text does not end with a digest
// table.
std::size_t digested_bytes(std::string_view text) {
  const std::string form = digest_table("");
  if (text.size() < form.size()) return std::string_view::npos;
  const std::size_t size = text.size() - form.size();
  const std::size_t opening = form.find("xxh3-");
  const bool ends_with_digest = text.substr(size, opening) == form.substr(0, opening) &&
                                text.ends_with("\"\n") && (size == 0 || text[size - 1] == '\n');
  return ends_with_digest ? size : std::string_view::npos;
}

constexpr const char* kTruncated =
    "the file does not end with its digest table; it was truncated or edited";

int last_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void refuse_damage(std::string_view text, const std::string& file) {
  const std::size_t size = digested_bytes(text);
  if (size == std::string_view::npos) {
    throw ProfileError(file, last_line(text), "digest", kTruncated);
  }
  if (text.substr(size) != digest_table(text.substr(0, size))) {
    throw ProfileError(file, last_line(text), "digest.profile",
                       "does not match the text above it; the file was damaged or edited");
  }
}

[[noreturn]] void fail_syntax(std::string_view text, const std::string& file, int line,
                              const std::string& key, std::string message) {
  if (digested_bytes(text) == std::string_view::npos) message += fmt::format(" ({})", kTruncated);
  throw ProfileError(file, std::clamp(line, 1, last_line(text)), key, message);
}

// Checks the first statement, which is the same in all versions, so that a newer format is reported
// before any other error.
void refuse_other_formats(std::string_view text, const TomlText& toml, const std::string& file) {
  const bool starts_with_header = toml.sections.size() > 1 && toml.sections[1].first == 0;
  if (toml.pairs.empty() && !starts_with_header) return;  // an empty text is rejected as truncated
  const int line = starts_with_header ? toml.sections[1].line : toml.pairs.front().line;
  if (starts_with_header || toml.pairs.front().key != "format") {
    fail_syntax(text, file, line, "format", "must be the first key");
  }
  const std::string_view value = toml.pairs.front().written;
  const bool is_integer = value.find_first_not_of("-0123456789") == std::string_view::npos;
  if (is_integer && !value.empty() && value != std::to_string(kProfileFormat)) {
    throw ProfileError(file, line, "format", other_format(key_text(value)));
  }
}

TomlText parse_toml(std::string_view text, const std::string& file) {
  TomlText toml = read_toml(text);
  refuse_other_formats(text, toml, file);
  if (!toml.error) return toml;
  fail_syntax(text, file, toml.error_line, toml.error_key, *toml.error);
}

std::string place(const std::string& file, int line, const std::string& key) {
  std::string result = file;
  if (line > 0) result += fmt::format(":{}", line);
  if (!key.empty()) result += fmt::format(": {}", key);
  return result;
}

}  // namespace

ProfileError::ProfileError(std::string file, int line, std::string key, const std::string& message)
    : std::runtime_error(place(file, line, key) + ": " + message),
      file_(std::move(file)),
      line_(line),
      key_(std::move(key)) {}

Profile parse_profile(std::string_view text, const std::string& file,
                      const GenericProfile& generic) {
  if (text.size() > kMaxProfileBytes) throw ProfileError(file, 0, "", "is larger than 64 MiB");
  if (without_byte_order_mark(text).size() != text.size()) {
    throw ProfileError(
        file, 1, "",
        "starts with a byte-order mark, which an editor has added; save the file as UTF-8 without "
        "BOM, or copy the profile again");
  }
  const TomlText root = parse_toml(text, file);
  refuse_damage(text, file);
  return read_profile(TomlTable(root, file), generic);
}

Profile load_profile(const std::string& path, const GenericProfile& generic) {
  // One byte more than the maximum, so that parse_profile() rejects longer files.
  const FileContent content = read_file(path, {0, kMaxProfileBytes + 1});
  if (!content.failure.empty()) throw ProfileError(path, 0, "", content.failure);
  return parse_profile(content.bytes, path, generic);
}

}  // namespace tilewright

#include "tuner/limits_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "codelets/space_limits_fields.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxBytes = 1 << 16;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) throw ProfileError(path, 0, "", std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxBytes) throw ProfileError(path, 0, "", "is larger than 64 KiB");
  return text;
}

// toml++ sees only text of the simple form that outline_of() lets through (toml_subset.hpp).
toml::table parse(const std::string& text, const std::string& path) {
  const TomlOutline outline = outline_of(text);
  if (outline.error) {
    const int line = outline.error_line;
    throw ProfileError(path, line, key_at_line(outline, line), *outline.error);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const int line = static_cast<int>(error.source().begin.line);
    throw ProfileError(path, line, key_at_line(outline, line), std::string(error.description()));
  }
}

// Reads one limit by the type of its member. No limit is negative; sizes of work-groups and
// registers are not 0 either.
struct LimitReader {
  TomlTable& table;

  void operator()(const char* key, bool& value) { value = table.boolean(key); }
  void operator()(const char* key, int& value) {
    value = static_cast<int>(table.integer(key, 1, std::numeric_limits<int>::max()));
  }
  void operator()(const char* key, std::int64_t& value) {
    const bool may_be_none = std::string_view(key) == "local_memory_bytes";
    value = table.integer(key, may_be_none ? 0 : 1, std::numeric_limits<std::int64_t>::max());
  }
  void operator()(const char* key, std::array<std::int64_t, 2>& value) {
    const auto read = table.integers(key, 2, 2, 1, std::numeric_limits<std::int64_t>::max());
    value = {read[0], read[1]};
  }
};

}  // namespace

SpaceLimits read_limits(const std::string& path) {
  const toml::table root = parse(read_text(path), path);
  TomlTable table(root, "", path);
  SpaceLimits limits;
  visit_space_limits(limits, LimitReader{table});
  table.refuse_unknown();
  return limits;
}

}  // namespace tilewright

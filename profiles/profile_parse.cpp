#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "profile_fields.hpp"
#include "profile_rules.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/read_file.hpp"
#include "profiles/base/text_file.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"
#include "read_results.hpp"
#include "toml_field_reader.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxProfileBytes = std::size_t{64} << 20;

DeviceIdentity read_device(TomlTable table) {
  DeviceIdentity device;
  TomlFieldReader identity(std::move(table));
  visit_identity(identity, device);
  TomlFieldReader limits(identity.table().table("limits"));
  visit_limits(limits, device.limits);
  limits.table().refuse_unknown();
  TomlFieldReader soft(identity.table().table("soft"));
  visit_soft(soft, device);
  soft.table().refuse_unknown();
  TomlFieldReader information(identity.table().table("information"));
  visit_information(information, device);
  information.table().refuse_unknown();
  identity.table().refuse_unknown();
  return device;
}

// The entries of an array of tables that contain only fields.
template <class Entry, class Visit>
std::vector<Entry> read_entries(TomlTable& root, const char* key, Visit visit) {
  std::vector<Entry> entries;
  for (TomlTable& table : root.tables(key)) {
    TomlFieldReader reader(std::move(table));
    visit(reader, entries.emplace_back());
    reader.table().refuse_unknown();
  }
  return entries;
}

DeviceRates read_rates(TomlTable& root) {
  DeviceRates rates;
  TomlFieldReader reader(root.table("rates"));
  visit_rates(reader, rates);
  reader.table().refuse_unknown();
  rates.multiply_adds = read_entries<MultiplyAddRate>(
      root, "multiply_add",
      [](TomlFieldReader& fields, MultiplyAddRate& rate) { visit_multiply_add(fields, rate); });
  return rates;
}

// Makes a kernel from one of the same profile, which differs in the type of its elements.
KernelRecord read_retyped(TomlFieldReader& reader, const Profile& earlier) {
  constexpr const char* kKey = "retyped";
  const std::string name = reader.table().text("name");
  const std::string from = reader.table().text(kKey);
  Precision precision = Precision::kSingle;
  reader.precision("precision", precision);
  const KernelRecord* single = find_kernel(earlier, from);
  if (single == nullptr) reader.table().fail(kKey, "is not the name of an earlier kernel");
  std::optional<KernelRecord> kernel = retyped(*single, precision);
  if (!kernel || kernel->name != name) {
    reader.table().fail(kKey, "is not the name of a kernel from which this one can be made");
  }
  return *std::move(kernel);
}

KernelRecord read_kernel(TomlTable table, const Profile& earlier) {
  KernelRecord kernel;
  TomlFieldReader reader(std::move(table));
  const bool is_retyped = reader.table().has("retyped");
  if (is_retyped) {
    kernel = read_retyped(reader, earlier);
  } else {
    visit_kernel(reader, kernel);
  }
  const std::string digest = reader.table().text("digest");
  if (!is_retyped) reader.field("source", kernel.source);
  reader.table().refuse_unknown();
  if (digest != compute_digest(kernel)) {
    reader.table().fail("digest",
                        "does not match source and build_options; one of them was changed");
  }
  return kernel;
}

std::vector<BuiltInReference> read_references(TomlTable& root) {
  return read_entries<BuiltInReference>(root, "built_in",
                                        [](TomlFieldReader& fields, BuiltInReference& reference) {
                                          fields.field("name", reference.name);
                                          fields.field("digest", reference.digest);
                                          fields.mark("fails", reference.fails);
                                        });
}

// Two references to one kernel, or to one whose text the profile has, would contradict each other.
void refuse_ambiguous(const std::vector<BuiltInReference>& references, const Profile& profile,
                      TomlTable& root) {
  std::set<std::string_view> names;
  for (const BuiltInReference& reference : references) {
    if (!names.insert(reference.name).second || find_kernel(profile, reference.name) != nullptr) {
      root.fail("built_in", fmt::format("names {} twice, or a kernel of this profile",
                                        in_quotes(reference.name)));
    }
  }
}

// Adds the built-in kernels that a profile refers to. What it says about a kernel that has other
// code in this program, or is no longer built in, is dropped.
void add_built_in(const std::vector<BuiltInReference>& references, Profile& profile,
                  const GenericProfile& generic) {
  if (references.empty()) return;
  std::set<std::string> dropped;
  for (const BuiltInReference& reference : references) {
    std::optional<KernelRecord> kernel = built_in_kernel(generic.get(), reference.name);
    const bool is_same = kernel && compute_code_digest(*kernel) == reference.digest;
    if (is_same && reference.fails) {
      profile.failing_built_in.push_back(reference);
    } else if (is_same) {
      profile.kernels.push_back(*std::move(kernel));
    } else if (!reference.fails) {
      dropped.insert(reference.name);
    }
  }
  profile.changed_built_in.assign(dropped.begin(), dropped.end());
  const auto is_dropped = [&](const auto& entry) { return dropped.contains(entry.kernel); };
  std::erase_if(profile.results, is_dropped);
  std::erase_if(profile.pack_results, is_dropped);
  std::erase_if(profile.models, is_dropped);
}

// The format may be newer, or older than the first release.
std::string other_format(const std::string& format) {
  return fmt::format(
      "is {}, but this program reads only profile format {}; install another release of tilewright, "
      "or tune the device again",
      format, kProfileFormat);
}

Profile read_profile(TomlTable table, const GenericProfile& generic) {
  Profile profile;
  TomlFieldReader root(std::move(table));
  const std::int64_t format = root.table().integer(
      "format", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  if (format != kProfileFormat) {
    root.table().fail("format", other_format(std::to_string(format)));
  }
  root.field("kind", profile.kind);
  if (profile.kind != ProfileKind::kGeneric) {
    profile.device = read_device(root.table().table("device"));
    profile.rates = read_rates(root.table());
  } else {
    for (const char* key : {"device", "rates", "multiply_add"}) {
      if (root.table().has(key)) {
        root.table().fail(key, "must be absent: a generic profile is not for one device");
      }
    }
  }
  TomlFieldReader provenance(root.table().table("provenance"));
  visit_provenance(provenance, profile.provenance);
  provenance.table().refuse_unknown();
  profile.validations = read_entries<Validation>(
      root.table(), "validation", [](TomlFieldReader& fields, Validation& validation) {
        visit_validation(fields, validation);
      });
  for (TomlTable& entry : root.table().tables("kernel")) {
    profile.kernels.push_back(read_kernel(std::move(entry), profile));
  }
  const std::vector<BuiltInReference> references = read_references(root.table());
  if (profile.kind == ProfileKind::kGeneric && !references.empty()) {
    root.table().fail("built_in", "must be absent: a generic profile refers to no other");
  }
  refuse_ambiguous(references, profile, root.table());
  profile.results = read_results(root.table());
  profile.pack_results = read_entries<PackResult>(
      root.table(), "pack_result",
      [](TomlFieldReader& fields, PackResult& result) { visit_pack_result(fields, result); });
  profile.models = read_entries<KernelModel>(
      root.table(), "model",
      [](TomlFieldReader& fields, KernelModel& model) { visit_model(fields, model); });
  add_built_in(references, profile, generic);
  TomlTable digest = root.table().table("digest");
  digest.text("profile");  // refuse_damage() has already compared it
  digest.refuse_unknown();
  root.table().refuse_unknown();
  return profile;
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
  Profile profile = read_profile(TomlTable(root, file), generic);
  if (const auto wrong = violations(profile); !wrong.empty()) {
    const std::string key = key_in_text(root, profile, wrong.front().key);
    throw ProfileError(file, key_line(root, key), key, wrong.front().message);
  }
  return profile;
}

Profile load_profile(const std::string& path, const GenericProfile& generic) {
  // One byte more than the maximum, so that parse_profile() rejects longer files.
  const FileContent content = read_file(path, {0, kMaxProfileBytes + 1});
  if (!content.failure.empty()) throw ProfileError(path, 0, "", content.failure);
  return parse_profile(content.bytes, path, generic);
}

}  // namespace tilewright

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxProfileBytes = std::size_t{64} << 20;

constexpr std::int64_t kIntMin = std::numeric_limits<int>::min();
constexpr std::int64_t kIntMax = std::numeric_limits<int>::max();
constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

// Reads the fields of one table. Only the ranges of the members' types are checked here; the rules
// check all others.
class FieldReader {
 public:
  explicit FieldReader(TomlTable table) : table_(std::move(table)) {}

  TomlTable& table() { return table_; }

  void field(const char* key, std::string& value) { value = table_.text(key); }
  void field(const char* key, bool& value) { value = table_.boolean(key); }
  void field(const char* key, double& value) { value = table_.number(key); }
  void field(const char* key, int& value) {
    value = static_cast<int>(table_.integer(key, kIntMin, kIntMax));
  }
  void field(const char* key, std::int64_t& value) {
    value = table_.integer(key, kInt64Min, kInt64Max);
  }
  void field(const char* key, std::uint64_t& value) {
    const std::string text = table_.text(key);
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (text != std::to_string(value)) {
      table_.fail(key, "must be a decimal number from 0 to 18446744073709551615, as a string");
    }
  }
  // The third extent is present only if it is not 1.
  void work_group(const char* key, std::array<int, 2>& value, int& k) {
    const auto read = table_.integers(key, 2, 3, kIntMin, kIntMax);
    value = {static_cast<int>(read[0]), static_cast<int>(read[1])};
    k = read.size() > 2 ? static_cast<int>(read[2]) : 1;
    if (read.size() > 2 && k < 2)
      table_.fail(key, "must have 2 elements, or a third that is at least 2");
  }
  // Present only if true.
  void mark(const char* key, bool& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (!value) table_.fail(key, "must be absent, or true");
  }
  // Present only if known, i.e. not empty.
  void known(const char* key, std::string& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value.empty()) table_.fail(key, "must be absent, or not empty");
  }
  // Present only if known, i.e. not 0.
  void known(const char* key, int& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value <= 0) table_.fail(key, "must be absent, or positive");
  }
  void known(const char* key, double& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value == 0.0) table_.fail(key, "must be absent, or not 0");
  }
  // Present only if the kernel is not for every device.
  void classes(const char* key, DeviceClasses& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_device_classes, "cpu-8, cpu-16, gpu-local, gpu, in this order");
  }
  // Present only if not single precision.
  void precision(const char* key, Precision& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_precision, "d, h");
    if (value == Precision::kSingle) table_.fail(key, "must be absent, d or h");
  }
  // Present only if not 0: a number of k steps, or "all".
  void half_sums(const char* key, int& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_half_sums, "all, or k steps, at least 1");
  }
  // Present only if it differs from the default.
  void moved_extent(const char* key, int& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value == kMovedExtent) {
      table_.fail(key, fmt::format("must be absent, or different from {}", kMovedExtent));
    }
  }
  void field(const char* key, std::array<std::int64_t, 2>& value) {
    const auto read = table_.integers(key, 2, 2, kInt64Min, kInt64Max);
    value = {read[0], read[1]};
  }
  void field(const char* key, Tile& value) {
    const auto read = table_.integers(key, 3, 3, kIntMin, kIntMax);
    value = {static_cast<int>(read[0]), static_cast<int>(read[1]), static_cast<int>(read[2])};
  }
  void field(const char* key, std::optional<Layout>& value) {
    if (table_.has(key)) field(key, value.emplace());
  }
  void field(const char* key, ProfileKind& v) {
    word(key, v, parse_profile_kind, "generic, tuned, predicted");
  }
  void field(const char* key, Role& v) {
    word(key, v, parse_role, "gemm, gemv, pack, reduce, activation, softmax");
  }
  void field(const char* key, Op& v) { word(key, v, parse_op, "NN, NT, TN, TT"); }
  void field(const char* key, Layout& v) {
    word(key, v, parse_layout, "R, C, or a layout in blocks, such as R 8 1 C");
  }
  void field(const char* key, Images& v) { word(key, v, parse_images, "\"\", a, b, ab, c"); }
  void field(const char* key, Dimension& v) { word(key, v, parse_dimension, "none, m, n"); }
  void field(const char* key, Activation& v) {
    word(key, v, parse_activation, list_activation_words());
  }
  void field(const char* key, Edges& v) { word(key, v, parse_edges, "guarded, padded"); }
  void field(const char* key, IdOrder& v) { word(key, v, parse_id_order, "nm, mn, flat"); }
  void field(const char* key, Epilogue& v) { word(key, v, parse_epilogue, "none, alpha_beta"); }

 private:
  template <class Enum, class Parse>
  void word(const char* key, Enum& value, Parse parse, const std::string& words) {
    const std::string text = table_.text(key);
    const std::optional<Enum> parsed = parse(text);
    if (!parsed) table_.fail(key, fmt::format("is {}, not one of: {}", in_quotes(text), words));
    value = *parsed;
  }

  TomlTable table_;
};

DeviceIdentity read_device(TomlTable table) {
  DeviceIdentity device;
  FieldReader identity(std::move(table));
  visit_identity(identity, device);
  FieldReader limits(identity.table().table("limits"));
  visit_limits(limits, device.limits);
  limits.table().refuse_unknown();
  FieldReader soft(identity.table().table("soft"));
  visit_soft(soft, device);
  soft.table().refuse_unknown();
  FieldReader information(identity.table().table("information"));
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
    FieldReader reader(std::move(table));
    visit(reader, entries.emplace_back());
    reader.table().refuse_unknown();
  }
  return entries;
}

DeviceRates read_rates(TomlTable& root) {
  DeviceRates rates;
  FieldReader reader(root.table("rates"));
  visit_rates(reader, rates);
  reader.table().refuse_unknown();
  rates.multiply_adds = read_entries<MultiplyAddRate>(
      root, "multiply_add",
      [](FieldReader& fields, MultiplyAddRate& rate) { visit_multiply_add(fields, rate); });
  return rates;
}

KernelRecord read_kernel(TomlTable table) {
  KernelRecord kernel;
  FieldReader reader(std::move(table));
  visit_kernel(reader, kernel);
  const std::string digest = reader.table().text("digest");
  reader.field("source", kernel.source);
  reader.table().refuse_unknown();
  if (digest != compute_digest(kernel)) {
    reader.table().fail("digest",
                        "does not match source and build_options; one of them was changed");
  }
  return kernel;
}

std::vector<BuiltInReference> read_references(TomlTable& root) {
  return read_entries<BuiltInReference>(root, "built_in",
                                        [](FieldReader& fields, BuiltInReference& reference) {
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
void add_built_in(const std::vector<BuiltInReference>& references, Profile& profile) {
  if (references.empty()) return;
  const Profile generic = parse_profile(generic_profile_text(), "built-in profile");
  std::set<std::string> dropped;
  for (const BuiltInReference& reference : references) {
    std::optional<KernelRecord> kernel = built_in_kernel(generic, reference.name);
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

Profile read_profile(TomlTable table) {
  Profile profile;
  FieldReader root(std::move(table));
  const std::int64_t format = root.table().integer("format", kInt64Min, kInt64Max);
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
  FieldReader provenance(root.table().table("provenance"));
  visit_provenance(provenance, profile.provenance);
  provenance.table().refuse_unknown();
  if (root.table().has("validation")) {
    FieldReader validation(root.table().table("validation"));
    visit_validation(validation, profile.validation);
    validation.table().refuse_unknown();
  }
  for (TomlTable& entry : root.table().tables("kernel")) {
    profile.kernels.push_back(read_kernel(std::move(entry)));
  }
  const std::vector<BuiltInReference> references = read_references(root.table());
  if (profile.kind == ProfileKind::kGeneric && !references.empty()) {
    root.table().fail("built_in", "must be absent: a generic profile refers to no other");
  }
  refuse_ambiguous(references, profile, root.table());
  profile.results = read_entries<ShapeResult>(
      root.table(), "result",
      [](FieldReader& fields, ShapeResult& result) { visit_result(fields, result); });
  profile.pack_results = read_entries<PackResult>(
      root.table(), "pack_result",
      [](FieldReader& fields, PackResult& result) { visit_pack_result(fields, result); });
  profile.models = read_entries<KernelModel>(
      root.table(), "model",
      [](FieldReader& fields, KernelModel& model) { visit_model(fields, model); });
  add_built_in(references, profile);
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

Profile parse_profile(std::string_view text, const std::string& file) {
  if (text.size() > kMaxProfileBytes) throw ProfileError(file, 0, "", "is larger than 64 MiB");
  if (without_byte_order_mark(text).size() != text.size()) {
    throw ProfileError(
        file, 1, "",
        "starts with a byte-order mark, which an editor has added; save the file as UTF-8 without "
        "BOM, or copy the profile again");
  }
  const TomlText root = parse_toml(text, file);
  refuse_damage(text, file);
  Profile profile = read_profile(TomlTable(root, file));
  if (const auto wrong = violations(profile); !wrong.empty()) {
    const Violation& first = wrong.front();
    throw ProfileError(file, key_line(root, first.key), first.key, first.message);
  }
  return profile;
}

Profile load_profile(const std::string& path) {
  // One byte more than the maximum, so that parse_profile() rejects longer files.
  const FileContent content = read_file(path, {0, kMaxProfileBytes + 1});
  if (!content.failure.empty()) throw ProfileError(path, 0, "", content.failure);
  return parse_profile(content.bytes, path);
}

}  // namespace tilewright

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <tuple>
#include <type_traits>

#include "profile_rows.hpp"
#include "profiles/digest.hpp"
#include "profiles/launch_facts.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "profiles/toml_subset.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kHeading =
    "# A tilewright profile, read by programs (docs/profile-format.md). After an edit its digests "
    "are "
    "wrong.\n";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

// Appends tables and their fields to a text: the visitor that profile_rows.hpp describes. It checks
// no range, because write_profile() reads the text.
class RowWriter {
 public:
  explicit RowWriter(std::string& text) : text_(text) {}

  void header(std::string_view header) { text_ += fmt::format("\n{}\n", header); }

  template <class T, class... Range>
  void field(std::string_view key, const T& value, const Range&...) {
    pair(key, value_text(value));
  }
  template <class T, class... Range>
  void optional(std::string_view key, const T& value, const std::type_identity_t<T>& absent = {},
                const Range&...) {
    if (!(value == absent)) field(key, value);
  }
  // A member that should be absent is written, so that the error of the reader names it.
  template <class T, class... Range>
  void required_if(bool holds, std::string_view key, const T& value, const Range&...) {
    if (holds || !(value == T{})) field(key, value);
  }
  void field(std::string_view key, const std::optional<Layout>& value) {
    if (value) field(key, *value);
  }
  void half_sums(std::string_view key, int value) {
    if (value != 0) field(key, half_sums_text(value));
  }
  void work_group(std::string_view key, const std::array<int, 2>& value, int k) {
    if (k == 1) return field(key, value);
    pair(key, fmt::format("[{}, {}, {}]", value[0], value[1], k));
  }
  // The row of a result.
  void row(const ShapeResult& result) {
    pair(fmt::format("{}x{}x{}", result.m, result.n, result.k),
         fmt::format("[{}, {}, {}, {}]", value_text(result.low_ns), value_text(result.median_ns),
                     value_text(result.high_ns), result.samples));
  }
  // TOML ignores the line break after the opening apostrophes.
  void literal(std::string_view key, std::string_view value) {
    pair(key, fmt::format("'''\n{}'''", value));
  }

 private:
  static std::string value_text(const std::string& value) {
    return fmt::format("\"{}\"", escaped(value));
  }
  static std::string value_text(bool value) { return value ? "true" : "false"; }
  static std::string value_text(int value) { return std::to_string(value); }
  static std::string value_text(std::int64_t value) { return std::to_string(value); }
  // A string, because TOML integers are signed.
  static std::string value_text(std::uint64_t value) { return value_text(std::to_string(value)); }
  // The shortest text that is read back as the same number, with a decimal point or an exponent
  // (or "inf", "nan", which the reader refuses).
  static std::string value_text(double value) {
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
    return digits;
  }
  template <class Integer>
  static std::string value_text(const std::array<Integer, 2>& value) {
    return fmt::format("[{}, {}]", value[0], value[1]);
  }
  static std::string value_text(const Tile& value) {
    return fmt::format("[{}, {}, {}]", value.m, value.n, value.k);
  }
  template <class Word>
  static std::string value_text(const Word& value) {
    return value_text(std::string(to_text(value)));
  }
  void pair(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}\n", key, value);
  }
  std::string& text_;
};

void write_device(RowWriter& writer, const DeviceIdentity& device) {
  writer.header("[device]");
  visit_identity(writer, device);
  writer.header("[device.limits]");
  visit_limits(writer, device.limits);
  writer.header("[device.soft]");
  visit_soft(writer, device);
  writer.header("[device.information]");
  visit_information(writer, device);
}

void write_rates(RowWriter& writer, const DeviceRates& rates) {
  writer.header("[rates]");
  visit_rates(writer, rates);
  for (const MultiplyAddRate& rate : rates.multiply_adds) {
    writer.header("[[multiply_add]]");
    visit_multiply_add(writer, rate);
  }
}

void write_reference(RowWriter& writer, const BuiltInReference& reference) {
  writer.header("[[built_in]]");
  visit_reference(writer, reference);
}

// The kernel of the profile, before number `index`, from which retyped() makes that one; nullptr if
// there is none.
const KernelRecord* find_retyped(const Profile& profile, std::size_t index) {
  const KernelRecord& kernel = profile.kernels[index];
  if (kernel.precision == Precision::kSingle) return nullptr;
  const std::string name = is_product(kernel.role)
                               ? std::string(to_text(Precision::kSingle)) + kernel.name.substr(1)
                               : kernel.name.substr(1);
  const KernelRecord* single = find_kernel(profile, name);
  if (single == nullptr || single->built_in || single > &kernel) return nullptr;
  return retyped(*single, kernel.precision) == kernel ? single : nullptr;
}

void write_kernel(RowWriter& writer, const Profile& profile, std::size_t index) {
  const KernelRecord& kernel = profile.kernels[index];
  writer.header("[[kernel]]");
  if (const KernelRecord* single = find_retyped(profile, index)) {
    writer.field("name", kernel.name);
    writer.field("retyped", single->name);
    writer.optional("precision", kernel.precision);
    writer.field("digest", compute_digest(kernel));
    return;
  }
  visit_kernel(writer, kernel);
  writer.field("digest", compute_digest(kernel));
  writer.literal("source", kernel.source);
}

// Consecutive results of one kernel share a table.
void write_results(RowWriter& writer, const std::vector<ShapeResult>& results) {
  constexpr std::size_t kMaxRows = kMaxTomlKeys - 16;
  const ShapeResult* last = nullptr;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> rows;  // of the table
  for (const ShapeResult& result : results) {
    const bool goes_on = last != nullptr && last->kernel == result.kernel &&
                         last->op == result.op && last->max_error == result.max_error &&
                         rows.size() < kMaxRows;
    if (!goes_on) rows.clear();
    if (!rows.emplace(result.m, result.n, result.k).second) rows = {{result.m, result.n, result.k}};
    if (rows.size() == 1) {
      writer.header("[[result]]");
      visit_result(writer, result);
    }
    writer.row(result);
    last = &result;
  }
}

std::string profile_body(const Profile& profile) {
  std::string text(kHeading);
  RowWriter writer(text);
  writer.field("format", kProfileFormat);
  writer.field("kind", profile.kind);
  if (profile.kind != ProfileKind::kGeneric) write_device(writer, profile.device);
  writer.header("[provenance]");
  visit_provenance(writer, profile.provenance);
  if (profile.kind != ProfileKind::kGeneric) write_rates(writer, profile.rates);
  for (const Validation& validation : profile.validations) {
    writer.header("[[validation]]");
    visit_validation(writer, validation);
  }
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    if (!profile.kernels[i].built_in) write_kernel(writer, profile, i);
  }
  for (const KernelRecord& kernel : profile.kernels) {
    if (!kernel.built_in) continue;
    write_reference(writer, {kernel.name, compute_code_digest(kernel)});
  }
  for (const BuiltInReference& failing : profile.failing_built_in) write_reference(writer, failing);
  write_results(writer, profile.results);
  for (const PackResult& result : profile.pack_results) {
    writer.header("[[pack_result]]");
    visit_pack_result(writer, result);
  }
  for (const KernelModel& model : profile.models) {
    writer.header("[[model]]");
    visit_model(writer, model);
  }
  return text + "\n";
}

// Parses `text` again, which checks all rules.
void require_readable(const std::string& text, const Profile& profile) {
  Profile expected = profile;
  if (profile.kind == ProfileKind::kGeneric) {
    expected.device = {};
    expected.rates = {};
  }
  std::stable_partition(expected.kernels.begin(), expected.kernels.end(),
                        [](const KernelRecord& kernel) { return !kernel.built_in; });
  try {
    if (parse_profile(text, "profile") == expected) return;
  } catch (const ProfileError& error) {
    throw std::invalid_argument(fmt::format("cannot be written as a profile: {}", error.what()));
  }
  throw std::invalid_argument("cannot be written as a profile: it would be read back differently");
}

}  // namespace

std::string write_profile(const Profile& profile) {
  std::string text = profile_body(profile);
  text += digest_table(text);
  require_readable(text, profile);
  return text;
}

std::string digest_table(std::string_view body) {
  return fmt::format("[digest]\nprofile = \"{}\"\n", digest_bytes(body));
}

std::string compute_digest(const Profile& profile) {
  return digest_bytes(profile_body(profile));
}

std::map<std::string, std::string> launch_facts(const KernelRecord& kernel) {
  std::string text;
  RowWriter writer(text);
  visit_kernel(writer, kernel);
  std::map<std::string, std::string> facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    facts.emplace(line.substr(0, equals), line.substr(equals + 3));
  }
  for (const char* no_fact : {"name", "entry", "point", "family", "classes"}) facts.erase(no_fact);
  return facts;
}

}  // namespace tilewright

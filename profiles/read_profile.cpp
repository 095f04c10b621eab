#include "read_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernel_rules.hpp"
#include "profile_rows.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/retyped.hpp"
#include "result_row.hpp"
#include "row_reader.hpp"

namespace tilewright {
namespace {

// Reads a table that contains only what `visit` reads.
template <class Visit>
void read_table(TomlTable table, const Visit& visit) {
  RowReader reader(std::move(table));
  visit(reader);
  reader.table().refuse_unknown();
}

// Reads tables in the order in which they may refer to each other. Each reading function also
// checks the rules that relate a table to those before it.
class ProfileReader {
 public:
  ProfileReader(TomlTable root, const GenericProfile& generic)
      : root_(std::move(root)), generic_(generic) {}

  Profile read();

 private:
  TomlTable& root() { return root_.table(); }
  bool is(ProfileKind kind) const { return profile_.kind == kind; }
  template <class Entry, class Read>
  std::vector<Entry> entries(const char* key, const Read& read);

  void refuse_tables_of_other_kinds();
  void read_device();
  void read_rates();
  void read_multiply_adds(const TomlTable& rates);
  void read_validations();
  KernelRecord read_retyped(RowReader& reader) const;
  void read_kernel(RowReader& reader);
  void add_built_in(RowReader& reader);
  const KernelRecord* find(const std::string& name) const;
  void read_results(RowReader& reader);
  void read_pack_results();
  void read_models();
  template <class Entry>
  void drop_changed(std::vector<Entry>& entries) const;

  RowReader root_;
  const GenericProfile& generic_;
  Profile profile_;
  std::map<std::string, std::size_t, std::less<>> kernels_;  // index of each kernel in profile_
  std::set<std::string, std::less<>> references_;            // names of built-in kernels
  std::set<std::string, std::less<>> changed_;               // those that this program has no more
};

template <class Entry, class Read>
std::vector<Entry> ProfileReader::entries(const char* key, const Read& read) {
  std::vector<Entry> entries;
  for (TomlTable& table : root().tables(key)) {
    read_table(std::move(table), [&](RowReader& reader) {
      Entry entry;
      read(reader, entry);
      entries.push_back(std::move(entry));
    });
  }
  return entries;
}

void ProfileReader::refuse_tables_of_other_kinds() {
  if (is(ProfileKind::kGeneric)) {
    for (const char* key :
         {"device", "rates", "multiply_add", "built_in", "result", "pack_result"}) {
      root().require(!root().has(key), key,
                     "must be absent: a generic profile is not for one device");
    }
  }
  root().require(is(ProfileKind::kTuned) || !root().has("validation"), "validation",
                 "must be absent: only tuned profiles are validated");
}

void ProfileReader::read_device() {
  DeviceIdentity& device = profile_.device;
  read_table(root().table("device"), [&](RowReader& identity) {
    visit_identity(identity, device);
    read_table(identity.table().table("limits"),
               [&](RowReader& limits) { visit_limits(limits, device.limits); });
    const TomlTable soft_table = identity.table().table("soft");
    read_table(soft_table, [&](RowReader& soft) { visit_soft(soft, device); });
    read_table(identity.table().table("information"),
               [&](RowReader& information) { visit_information(information, device); });
    if (!is(ProfileKind::kPredicted)) return;
    const char* const kWhy = "must be empty: a predicted profile is for all devices with its name";
    identity.table().require(!device.name.empty(), "name",
                             "must not be empty: it is the device's name or a part of it");
    identity.table().require(device.vendor.empty(), "vendor", kWhy);
    identity.table().require(device.opencl_c_version.empty(), "opencl_c_version", kWhy);
    identity.table().require(device.processor.empty(), "processor", kWhy);
    soft_table.require(device.platform.empty(), "platform", kWhy);
    soft_table.require(device.driver.empty(), "driver", kWhy);
  });
}

void ProfileReader::read_rates() {
  DeviceRates& rates = profile_.rates;
  read_table(root().table("rates"), [&](RowReader& reader) {
    visit_rates(reader, rates);
    reader.table().require(!rates.half_is_emulated || rates.half_peak_gflops == 0.0,
                           "half_is_emulated", "must be absent if half_peak_gflops is measured");
    read_multiply_adds(reader.table());
  });
}

void ProfileReader::read_multiply_adds(const TomlTable& rates) {
  std::set<std::tuple<Precision, int, std::string>> seen;
  std::map<Precision, double> highest;
  const auto read = [&](RowReader& reader, MultiplyAddRate& rate) {
    visit_multiply_add(reader, rate);
    const std::string& form = rate.form;
    reader.table().require(form == "expression" || form == "mad" || form == "fma", "form", [&] {
      return fmt::format("is {}, not one of: expression, mad, fma", in_quotes(form));
    });
    reader.table().require(seen.insert({rate.precision, rate.vector_width, form}).second, "form",
                           "already has an entry with the same vector_width");
    double& of_type = highest[rate.precision];
    of_type = std::max(of_type, rate.gflops);
  };
  profile_.rates.multiply_adds = entries<MultiplyAddRate>("multiply_add", read);
  for (const auto& [precision, key] : {std::pair{Precision::kSingle, "peak_gflops"},
                                       {Precision::kDouble, "double_peak_gflops"},
                                       {Precision::kHalf, "half_peak_gflops"}}) {
    const double peak = arithmetic_peak(profile_.rates, precision);
    const auto of_type = highest.find(precision);
    rates.require(of_type == highest.end() ? peak == 0.0 : peak >= of_type->second, key,
                  [&, type = precision] {
                    return fmt::format(
                        "must be at least the highest gflops of [[multiply_add]] in {}, {}",
                        elements_text(type), of_type == highest.end() ? 0.0 : of_type->second);
                  });
  }
}

void ProfileReader::read_validations() {
  std::set<Precision> seen;
  profile_.validations = entries<Validation>("validation", [&](RowReader& reader, Validation& v) {
    visit_validation(reader, v);
    reader.table().require(seen.insert(v.precision).second, "precision",
                           "already has a validation");
  });
}

// Makes a kernel from one of the same profile, which differs in the type of its elements.
KernelRecord ProfileReader::read_retyped(RowReader& reader) const {
  constexpr const char* kKey = "retyped";
  std::string name;
  std::string from;
  Precision precision = Precision::kSingle;
  reader.field("name", name);
  reader.field(kKey, from);
  reader.optional("precision", precision);
  const KernelRecord* single = find(from);
  if (single == nullptr) reader.table().fail(kKey, "is not the name of an earlier kernel");
  std::optional<KernelRecord> kernel = retyped(*single, precision);
  if (!kernel || kernel->name != name) {
    reader.table().fail(kKey, "is not the name of a kernel from which this one can be made");
  }
  return *std::move(kernel);
}

void ProfileReader::read_kernel(RowReader& reader) {
  TomlTable& table = reader.table();
  KernelRecord kernel;
  std::string digest;
  if (table.has("retyped")) {
    kernel = read_retyped(reader);
    reader.field("digest", digest);
  } else {
    visit_kernel(reader, kernel);
    reader.field("digest", digest);
    reader.field("source", kernel.source);
  }
  table.require(digest == compute_digest(kernel), "digest",
                "does not match source and build_options; one of them was changed");
  table.require(!kernel.name.empty(), "name", "must not be empty");
  check_kernel(kernel, table);
  if (!is(ProfileKind::kGeneric)) {
    if (const auto exceeded = exceeded_limit(kernel, profile_.device.limits)) {
      table.fail(exceeded->key, exceeded->reason);
    }
    table.require(kernel.classes.empty(), "classes",
                  "must be absent: only generic profiles have kernels for classes of devices");
  }
  table.require(kernels_.emplace(kernel.name, profile_.kernels.size()).second, "name",
                [&] { return in_quotes(kernel.name) + " is also the name of an earlier kernel"; });
  profile_.kernels.push_back(std::move(kernel));
}

// Adds a built-in kernel that a profile refers to. What the profile says about a kernel that has
// other code in this program, or is no longer built in, is dropped.
void ProfileReader::add_built_in(RowReader& reader) {
  BuiltInReference reference;
  visit_reference(reader, reference);
  // Two references to one kernel, or to one whose text the profile has, would contradict each
  // other.
  reader.table().require(
      references_.insert(reference.name).second && find(reference.name) == nullptr, "name",
      [&] { return in_quotes(reference.name) + " is also the name of an earlier kernel"; });
  std::optional<KernelRecord> kernel = built_in_kernel(generic_.get(), reference.name);
  const bool is_same = kernel && compute_code_digest(*kernel) == reference.digest;
  if (is_same && reference.fails) {
    profile_.failing_built_in.push_back(std::move(reference));
  } else if (is_same) {
    if (const auto exceeded = exceeded_limit(*kernel, profile_.device.limits)) {
      reader.table().fail(
          "name", fmt::format("{} is a built-in kernel whose {} {}", in_quotes(kernel->name),
                              exceeded->key, exceeded->reason));
    }
    kernels_.emplace(kernel->name, profile_.kernels.size());
    profile_.kernels.push_back(*std::move(kernel));
  } else if (!reference.fails) {
    changed_.insert(std::move(reference.name));
  }
}

const KernelRecord* ProfileReader::find(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &profile_.kernels[found->second];
}

// Results of one kernel; each has a row.
void ProfileReader::read_results(RowReader& reader) {
  TomlTable& table = reader.table();
  ShapeResult common;
  visit_result(reader, common);
  table.require(find(common.kernel) != nullptr || changed_.contains(common.kernel), "kernel", [&] {
    return in_quotes(common.kernel) + " is not the name of a kernel of this profile";
  });
  table.require(!is(ProfileKind::kPredicted) || common.max_error == 0.0, "max_error",
                "must be 0: predicted profiles are not measured");
  const std::vector<std::string_view> keys = table.unread_keys();
  for (const std::string_view key : keys) {
    if (!read_result_row(table, key, profile_.kind, common)) continue;  // refuse_unknown() names it
    profile_.results.push_back(common);
  }
  table.require(!keys.empty(), "kernel", "has no row");
}

void ProfileReader::read_pack_results() {
  std::set<std::pair<std::string, int>> seen;
  const auto read = [&](RowReader& reader, PackResult& result) {
    visit_pack_result(reader, result);
    const KernelRecord* kernel = find(result.kernel);
    const bool is_timed = kernel != nullptr
                              ? !is_product(kernel->role) && kernel->role != Role::kReduce
                              : changed_.contains(result.kernel);
    reader.table().require(is_timed, "kernel", [&] {
      return in_quotes(result.kernel) +
             " is not the name of a pack, activation or softmax kernel of this profile";
    });
    reader.table().require(seen.emplace(result.kernel, result.extent).second, "kernel", [&] {
      return in_quotes(result.kernel) + " already has an entry with this extent";
    });
  };
  profile_.pack_results = entries<PackResult>("pack_result", read);
}

void ProfileReader::read_models() {
  std::set<std::string_view> measured;
  for (const ShapeResult& result : profile_.results) measured.insert(result.kernel);
  std::set<std::string> seen;
  const auto read = [&](RowReader& reader, KernelModel& model) {
    visit_model(reader, model);
    const KernelRecord* kernel = find(model.kernel);
    const auto require = [&](bool holds, const char* message) {
      reader.table().require(holds, "kernel", [&] { return in_quotes(model.kernel) + message; });
    };
    require(kernel != nullptr ? is_product(kernel->role) : changed_.contains(model.kernel),
            " is not the name of a gemm or gemv kernel of this profile");
    require(seen.insert(model.kernel).second, " already has a model");
    // The models of a generic profile are guessed for the classes of their kernels.
    const bool is_fitted = is(ProfileKind::kTuned) && measured.contains(model.kernel);
    require(is(ProfileKind::kGeneric) || is_fitted, " has no results, so it cannot have a model");
    ModelTerms ones;
    ones.fill(1.0);
    reader.table().require(predicted_ns(model, ones) > 0.0, "fixed_ns",
                           "must not be 0 if all other parameters are 0");
  };
  profile_.models = entries<KernelModel>("model", read);
}

template <class Entry>
void ProfileReader::drop_changed(std::vector<Entry>& entries) const {
  std::erase_if(entries, [&](const Entry& entry) { return changed_.contains(entry.kernel); });
}

Profile ProfileReader::read() {
  root().integer("format", kProfileFormat, kProfileFormat);
  root_.field("kind", profile_.kind);
  refuse_tables_of_other_kinds();
  if (!is(ProfileKind::kGeneric)) {
    read_device();
    read_rates();
  }
  read_table(root().table("provenance"),
             [&](RowReader& reader) { visit_provenance(reader, profile_.provenance); });
  read_validations();
  for (TomlTable& table : root().tables("kernel")) {
    read_table(std::move(table), [&](RowReader& reader) { read_kernel(reader); });
  }
  for (TomlTable& table : root().tables("built_in")) {
    read_table(std::move(table), [&](RowReader& reader) { add_built_in(reader); });
  }
  // All kernels of a tuned profile may be built-in kernels that this program no longer has.
  root().require(!profile_.kernels.empty() || is(ProfileKind::kTuned), "kernel",
                 "is missing: a profile needs at least one kernel");
  for (TomlTable& table : root().tables("result")) {
    read_table(std::move(table), [&](RowReader& reader) { read_results(reader); });
  }
  read_pack_results();
  read_models();
  drop_changed(profile_.results);
  drop_changed(profile_.pack_results);
  drop_changed(profile_.models);
  profile_.changed_built_in.assign(changed_.begin(), changed_.end());
  TomlTable digest = root().table("digest");
  digest.text("profile");  // refuse_damage() has already compared it
  digest.refuse_unknown();
  root().refuse_unknown();
  return std::move(profile_);
}

}  // namespace

Profile read_profile(TomlTable root, const GenericProfile& generic) {
  return ProfileReader(std::move(root), generic).read();
}

}  // namespace tilewright

#include "result_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "profile_fields.hpp"
#include "profiles/base/printable.hpp"
#include "rule_table.hpp"

namespace tilewright {
namespace {

// Maximum m, n and k of a product that the library computes; planning relies on it.
constexpr std::int64_t kMaxExtent = 2'000'000'000;

// A predicted time has no samples and no known error.
void check_samples(const ShapeResult& result, ProfileKind kind, const RuleTable& table) {
  if (kind == ProfileKind::kPredicted) {
    table.require(result.samples == 0, "samples", "must be 0: predicted profiles are not measured");
    table.require(result.max_error == 0.0, "max_error",
                  "must be 0: predicted profiles are not measured");
  } else {
    table.require(result.samples >= 1, "samples", "must be at least 1");
  }
}

void check_times(const ShapeResult& result, const RuleTable& table) {
  // Comparisons are written so that NaN violates them.
  check_time(result.median_ns, "median_ns", table);
  check_time(result.low_ns, "low_ns", table);
  check_time(result.high_ns, "high_ns", table);
  table.require(result.low_ns <= result.median_ns, "low_ns", "must not exceed median_ns");
  table.require(result.high_ns >= result.median_ns, "high_ns", "must not be below median_ns");
  const double gflops = computed_gflops(result);
  table.require(std::abs(result.gflops - gflops) <= 1e-3 * gflops, "gflops",
                [&] { return fmt::format("must be 2 m n k / median_ns = {} to 0.1 %", gflops); });
  table.require(result.max_error >= 0.0 && result.max_error < 1.0, "max_error",
                "must be at least 0 and below 1 (from 1 the product is wrong)");
}

// Rules for all parameters of a model.
struct ParameterRules {
  const RuleTable& table;
  void field(const char*, const std::string&) {}
  void field(const char* key, double value) { check_rate(value, key, table); }
  void known(const char* key, double value) { check_rate(value, key, table); }
};

}  // namespace

void check_results(const Profile& profile, std::vector<Violation>& found) {
  std::set<std::string_view> names;
  for (const KernelRecord& kernel : profile.kernels) names.insert(kernel.name);
  for (std::size_t i = 0; i < profile.results.size(); ++i) {
    const ShapeResult& result = profile.results[i];
    const RuleTable table("result", i, found);
    for (const auto& [key, extent] : {std::pair{"m", result.m}, {"n", result.n}, {"k", result.k}}) {
      table.require(extent >= 1, key, "must be at least 1");
      table.require(extent <= kMaxExtent, key,
                    [] { return fmt::format("must be at most {}", kMaxExtent); });
    }
    table.require(names.contains(result.kernel), "kernel", [&] {
      return in_quotes(result.kernel) + " is not the name of a kernel of this profile";
    });
    check_times(result, table);
    check_samples(result, profile.kind, table);
  }
  if (profile.kind == ProfileKind::kGeneric && !profile.results.empty()) {
    found.push_back({"result", "must be absent: generic profiles are not measured"});
  }
}

void check_pack_results(const Profile& profile, std::vector<Violation>& found) {
  std::set<std::pair<std::string_view, int>> seen;
  for (std::size_t i = 0; i < profile.pack_results.size(); ++i) {
    const PackResult& result = profile.pack_results[i];
    const RuleTable table("pack_result", i, found);
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    const bool timed =
        kernel != nullptr && (kernel->role == Role::kPack || kernel->role == Role::kActivation ||
                              kernel->role == Role::kSoftmax);
    table.require(timed, "kernel", [&] {
      return in_quotes(result.kernel) +
             " is not the name of a pack, activation or softmax kernel of this profile";
    });
    table.require(seen.emplace(result.kernel, result.extent).second, "kernel", [&] {
      return in_quotes(result.kernel) + " already has an entry with this extent";
    });
    table.require(result.extent >= 1, "extent", "must be positive");
    check_time(result.ns_per_element, "ns_per_element", table);
  }
  if (profile.kind == ProfileKind::kGeneric && !profile.pack_results.empty()) {
    found.push_back({"pack_result", "must be absent: generic profiles are not measured"});
  }
}

void check_validation(const Profile& profile, std::vector<Violation>& found) {
  std::set<Precision> seen;
  for (std::size_t i = 0; i < profile.validations.size(); ++i) {
    const Validation& validation = profile.validations[i];
    const RuleTable table("validation", i, found);
    table.require(profile.kind == ProfileKind::kTuned, "products",
                  "must be absent: only tuned profiles are validated");
    table.require(validation.products >= 1, "products", "must be at least 1");
    table.require(seen.insert(validation.precision).second, "precision",
                  "already has a validation");
    check_time(validation.of_best, "of_best", table);
    check_time(validation.worst_of_best, "worst_of_best", table);
    check_time(validation.times_built_in, "times_built_in", table);
    check_time(validation.worst_times_built_in, "worst_times_built_in", table);
    const bool has_other = validation.times_other != 0.0 || validation.worst_times_other != 0.0;
    table.require(has_other != validation.other_profile.empty(), "other_profile",
                  "must be present if and only if times_other is");
    if (!has_other) continue;
    check_time(validation.times_other, "times_other", table);
    check_time(validation.worst_times_other, "worst_times_other", table);
  }
}

void check_models(const Profile& profile, std::vector<Violation>& found) {
  std::set<std::string_view> measured;
  for (const ShapeResult& result : profile.results) measured.insert(result.kernel);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < profile.models.size(); ++i) {
    const KernelModel& model = profile.models[i];
    const RuleTable table("model", i, found);
    const KernelRecord* kernel = find_kernel(profile, model.kernel);
    table.require(kernel != nullptr && is_product(kernel->role), "kernel", [&] {
      return in_quotes(model.kernel) + " is not the name of a gemm or gemv kernel of this profile";
    });
    table.require(seen.insert(model.kernel).second, "kernel",
                  [&] { return in_quotes(model.kernel) + " already has a model"; });
    // The models of a generic profile are guessed for the classes of their kernels.
    const bool guessed = profile.kind == ProfileKind::kGeneric;
    const bool fitted = profile.kind == ProfileKind::kTuned && measured.contains(model.kernel);
    table.require(guessed || fitted, "kernel", [&] {
      return in_quotes(model.kernel) + " has no results, so it cannot have a model";
    });
    ParameterRules parameters{table};
    visit_model(parameters, model);
    ModelTerms ones;
    ones.fill(1.0);
    table.require(predicted_ns(model, ones) > 0.0, "fixed_ns",
                  "must not be 0 if all other parameters are 0");
  }
}

}  // namespace tilewright

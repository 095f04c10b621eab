#include "tuner/select/profile_join.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "profiles/digest.hpp"

namespace tilewright {
namespace {

auto result_key(const ShapeResult& result) {
  return std::tuple(result.op, result.m, result.n, result.k, std::string_view(result.kernel));
}

std::string_view result_key(const PackResult& result) {
  return result.kernel;
}

// Returns the names of the kernels that differ in the later tuning.
std::set<std::string_view> replaced_kernels(const Profile& profile, const Profile& later) {
  std::set<std::string_view> names;
  for (const KernelRecord& kernel : profile.kernels) {
    const KernelRecord* other = find_kernel(later, kernel.name);
    if (other != nullptr && !is_same_kernel(*other, kernel)) names.insert(kernel.name);
  }
  return names;
}

bool measures(const DeviceRates& rates, Precision arithmetic) {
  return std::any_of(rates.multiply_adds.begin(), rates.multiply_adds.end(),
                     [&](const auto& rate) { return rate.precision == arithmetic; });
}

// Replaces all rates for this type of arithmetic by those in `from`.
void take_arithmetic(DeviceRates& rates, const DeviceRates& from, Precision arithmetic) {
  std::erase_if(rates.multiply_adds,
                [&](const auto& rate) { return rate.precision == arithmetic; });
  std::copy_if(from.multiply_adds.begin(), from.multiply_adds.end(),
               std::back_inserter(rates.multiply_adds),
               [&](const auto& rate) { return rate.precision == arithmetic; });
  arithmetic_peak(rates, arithmetic) = arithmetic_peak(from, arithmetic);
}

bool is_single_precision(const Profile& tuning) {
  return std::all_of(tuning.kernels.begin(), tuning.kernels.end(), [](const auto& kernel) {
    return !is_product(kernel.role) || kernel.precision == Precision::kSingle;
  });
}

DeviceRates joined_rates(const Profile& profile, const Profile& later) {
  const DeviceRates none;
  const bool floats = is_single_precision(later);
  // Rates that do not depend on the precision remain those of the first tuning.
  const bool keeps = profile.rates != none && (!floats || later.rates == none);
  DeviceRates rates = keeps ? profile.rates : later.rates;
  const DeviceRates& other = keeps ? later.rates : profile.rates;
  for (double DeviceRates::*const rate :
       {&DeviceRates::copy_gbytes_per_s, &DeviceRates::local_gbytes_per_s,
        &DeviceRates::image_gbytes_per_s, &DeviceRates::launch_ns, &DeviceRates::round_trip_ns,
        &DeviceRates::timer_step_ns}) {
    if (rates.*rate == 0.0) rates.*rate = other.*rate;
  }
  for (const Precision arithmetic : kPrecisions) {
    // Tunings for other precisions also measure single precision, perhaps only a part of it. The
    // rates of the profile are kept.
    const bool in_passing = !floats && arithmetic == Precision::kSingle;
    const bool taken =
        measures(later.rates, arithmetic) && !(in_passing && measures(profile.rates, arithmetic));
    take_arithmetic(rates, taken ? later.rates : profile.rates, arithmetic);
  }
  const bool emulated = profile.rates.half_is_emulated || later.rates.half_is_emulated;
  rates.half_is_emulated = emulated && rates.half_peak_gflops == 0.0;
  return rates;
}

// Returns the kernels of both tunings, without the earlier ones that fail now. If both tunings have
// a kernel, the later one is returned.
std::vector<KernelRecord> joined_kernels(const Profile& profile, const Profile& later,
                                         const std::set<std::string_view>& fails_now) {
  std::vector<KernelRecord> kernels;
  for (const KernelRecord& kernel : profile.kernels) {
    if (fails_now.contains(kernel.name)) continue;
    const KernelRecord* newer = find_kernel(later, kernel.name);
    kernels.push_back(newer == nullptr ? kernel : *newer);
  }
  for (const KernelRecord& kernel : later.kernels) {
    if (find_kernel(profile, kernel.name) == nullptr) kernels.push_back(kernel);
  }
  return kernels;
}

// Adds the built-in kernels that failed in the earlier tuning and are not kernels of the result.
void add_failing_built_in(const Profile& profile, Profile& result) {
  auto& known = result.failing_built_in;
  for (const BuiltInReference& failing : profile.failing_built_in) {
    const bool is_known = std::find(known.begin(), known.end(), failing) != known.end();
    if (!is_known && find_kernel(result, failing.name) == nullptr) known.push_back(failing);
  }
}

// Returns the earlier results that were not measured again, and all later results. Results of
// outdated kernels are dropped.
template <class Result>
std::vector<Result> joined_results(const std::vector<Result>& earlier,
                                   const std::vector<Result>& later,
                                   const std::set<std::string_view>& outdated) {
  std::vector<Result> results;
  for (const Result& mine : earlier) {
    const bool measured_again = std::any_of(later.begin(), later.end(), [&](const Result& other) {
      return result_key(other) == result_key(mine);
    });
    if (!measured_again && !outdated.contains(mine.kernel)) results.push_back(mine);
  }
  results.insert(results.end(), later.begin(), later.end());
  return results;
}

// Earlier figures for a type that was tuned again describe another choice of kernels.
std::vector<Validation> joined_validations(const Profile& profile, const Profile& later) {
  std::vector<Validation> validations;
  std::copy_if(profile.validations.begin(), profile.validations.end(),
               std::back_inserter(validations),
               [&](const Validation& mine) { return !has_products(later, mine.precision); });
  validations.insert(validations.end(), later.validations.begin(), later.validations.end());
  return validations;
}

}  // namespace

bool is_same_kernel(KernelRecord a, KernelRecord b) {
  if (compute_code_digest(a) != compute_code_digest(b)) return false;
  for (KernelRecord* kernel : {&a, &b}) {
    kernel->source.clear();
    kernel->classes.clear();
    kernel->built_in = false;
  }
  return a == b;
}

bool has_products(const Profile& tuning, Precision precision) {
  return std::any_of(tuning.kernels.begin(), tuning.kernels.end(), [&](const auto& kernel) {
    return is_product(kernel.role) && kernel.precision == precision;
  });
}

std::optional<std::string> obstacle_to_join(const Profile& profile, const DeviceIdentity& device) {
  if (profile.kind != ProfileKind::kTuned) return "it was never tuned";
  if (auto other = hard_mismatch(profile.device, device)) return other;
  return soft_mismatch(profile.device, device);
}

Profile join_profiles(const Profile& profile, const Profile& later) {
  std::set<std::string_view> fails_now;
  for (const BuiltInReference& kernel : later.failing_built_in) fails_now.insert(kernel.name);
  // Results of these kernels do not hold any more: their code has changed, or they fail now.
  std::set<std::string_view> outdated = replaced_kernels(profile, later);
  outdated.insert(fails_now.begin(), fails_now.end());
  Profile result = later;
  result.kernels = joined_kernels(profile, later, fails_now);
  add_failing_built_in(profile, result);
  result.results = joined_results(profile.results, later.results, outdated);
  result.pack_results = joined_results(profile.pack_results, later.pack_results, outdated);
  for (const std::string& changed : profile.changed_built_in) {
    if (find_kernel(later, changed) == nullptr) result.changed_built_in.push_back(changed);
  }
  result.rates = joined_rates(profile, later);
  raise_peaks(result);
  result.models.clear();
  result.validations = joined_validations(profile, later);
  result.provenance.complete = profile.provenance.complete && later.provenance.complete;
  return result;
}

std::size_t num_dropped_results(const Profile& profile, const Profile& joined) {
  const auto is_dropped = [&](const ShapeResult& mine) {
    return std::none_of(joined.results.begin(), joined.results.end(),
                        [&](const auto& other) { return result_key(other) == result_key(mine); });
  };
  return static_cast<std::size_t>(
      std::count_if(profile.results.begin(), profile.results.end(), is_dropped));
}

}  // namespace tilewright

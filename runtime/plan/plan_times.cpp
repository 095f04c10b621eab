#include "runtime/plan/plan_times.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {
namespace {

// Without measurements: one nanosecond to read and write a float. It only matters that moving less
// takes less time.
constexpr double kUnmeasuredNsPerByte = 1.0 / (2 * sizeof(float));

double positive_or(double value, double otherwise) {
  return value > 0.0 ? value : otherwise;
}

ModelTerms work_terms(const KernelWork& kernel, const GemmShape& shape) {
  const auto at_least_one = [](std::int64_t extent) { return std::max<std::int64_t>(extent, 1); };
  return kernel.terms(at_least_one(shape.m), at_least_one(shape.n), at_least_one(shape.k));
}

// Contribution of one parameter to a prediction, per unit of the parameter.
double per_unit(double KernelModel::*parameter, const ModelTerms& terms) {
  KernelModel unit;
  unit.*parameter = 1.0;
  return predicted_ns(unit, terms);
}

// True if each compute unit runs several work-groups, as it does for all larger products.
bool has_many_groups(const KernelWork& kernel, const GemmShape& shape) {
  constexpr double kMany = 4.0;  // work-groups per unit
  const ModelTerms terms = work_terms(kernel, shape);
  const double group = per_unit(&KernelModel::group_ps, terms);  // 0 for narrow products
  return group > 0.0 && per_unit(&KernelModel::whole_ps, terms) >= kMany * group;
}

// Multiply-adds of the busiest unit.
double even_work(const KernelWork& kernel, const GemmShape& shape) {
  constexpr double kPsPerNs = 1e3;
  return kPsPerNs * per_unit(&KernelModel::even_ps, work_terms(kernel, shape));
}

}  // namespace

double PlanTimes::auxiliary_ns() const {
  double sum = 0.0;
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step != CallStep::kGemm) sum += ns[facts.step];
  }
  return sum + launches_ns;
}

// Half of the combined error: with all of it, kernels that are faster would be left out more often
// than slower ones (docs/lessons.md, "Models and plans").
bool PlanTimes::clearly_better(const PlanTimes& other) const {
  constexpr double kDoubt = 0.5;
  const double doubt_ns = kDoubt * std::hypot(error_ns(), other.error_ns());
  return !doubtful && total_ns() + doubt_ns < other.total_ns();
}

void CommandCosts::learn(const DeviceRates& rates) {
  before_ns = positive_or(rates.round_trip_ns, positive_or(rates.launch_ns, before_ns));
  after_ns = positive_or(rates.launch_ns, positive_or(rates.round_trip_ns, after_ns));
}

double CommandCosts::of(std::size_t before, std::size_t after) const {
  return static_cast<double>(before) * before_ns + static_cast<double>(after) * after_ns;
}

MeasuredTimes::MeasuredTimes(const std::vector<const Profile*>& profiles)
    : ns_per_byte_(kUnmeasuredNsPerByte) {
  // In reverse order, so that the first profile that has a value takes precedence.
  for (auto profile = profiles.rbegin(); profile != profiles.rend(); ++profile) {
    const DeviceRates& rates = (*profile)->rates;
    // 1 GB/s is one byte per nanosecond.
    if (rates.copy_gbytes_per_s > 0.0) ns_per_byte_ = 1.0 / rates.copy_gbytes_per_s;
    commands_.learn(rates);
    look_up(**profile);
  }
  std::vector<const Profile*> built_in;
  bool tuned = false;
  for (const Profile* profile : profiles) {
    if (profile->kind == ProfileKind::kGeneric) built_in.push_back(profile);
    tuned = tuned || profile->kind == ProfileKind::kTuned;
  }
  if (!tuned || built_in.empty()) return;
  without_tuned_ = std::make_shared<const BuiltIn>(BuiltIn{built_in, MeasuredTimes(built_in)});
}

bool MeasuredTimes::is_tuned(Precision precision, Op op, const GemmShape& shape) const {
  return tuned_.count({precision, op, shape.m, shape.n, shape.k}) > 0;
}

bool MeasuredTimes::reaches(const KernelRecord& kernel, const GemmShape& shape) const {
  constexpr std::int64_t kReach = 4;
  const auto twin = twins_.find(&kernel);
  if (twin != twins_.end() && reaches(*twin->second.plain, shape)) return true;
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return false;
  const GemmShape& least = place->second.least;
  return least.m <= kReach * shape.m && least.n <= kReach * shape.n && least.k <= kReach * shape.k;
}

bool MeasuredTimes::is_far(const KernelRecord& kernel, const GemmShape& shape) const {
  constexpr double kMaxTimesWork = 16.0;
  constexpr double kMaxTimesWorkOfCpu = 4.0;
  const auto twin = twins_.find(&kernel);
  if (twin != twins_.end()) return is_far(*twin->second.plain, shape);
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return false;
  const OfKernel& known = place->second;
  const bool cpu = !known.profile->device.processor.empty();
  const double most = (cpu ? kMaxTimesWorkOfCpu : kMaxTimesWork) * known.max_work;
  return !known.fills_device && even_work(known.work, shape) > most;
}

double MeasuredTimes::model_error(const KernelRecord& kernel) const {
  constexpr double kUnknownError = 0.15;  // of kernels that were measured on few shapes
  const auto twin = twins_.find(&kernel);
  if (twin != twins_.end()) return model_error(*twin->second.plain);
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return kUnknownError;
  return positive_or(place->second.model->error, kUnknownError);
}

// All times are those of the profile's device, also if another one uses the profile: its number of
// compute units determines how kernels with stream_k divide k.
MeasuredTimes::OfKernel& MeasuredTimes::known(const Profile& profile, const KernelRecord& kernel) {
  OfKernel fresh{&profile, KernelWork(kernel, profile.device), std::nullopt};
  return kernels_.try_emplace(&kernel, std::move(fresh)).first->second;
}

void MeasuredTimes::look_up(const Profile& profile) {
  ByName by_name;
  for (const KernelRecord& record : profile.kernels) by_name.emplace(record.name, &record);
  for (const ShapeResult& result : profile.results) {
    const auto named = by_name.find(result.kernel);
    if (named == by_name.end()) continue;
    const KernelRecord& record = *named->second;
    const GemmShape shape{result.m, result.n, result.k};
    if (implements_epilogue(record, {})) {
      tuned_.emplace(record.precision, result.op, shape.m, shape.n, shape.k);
    }
    if (!record.layout_b || result.op != op_from_layouts(record.layout_a, *record.layout_b))
      continue;
    OfKernel& kernel = known(profile, record);
    GemmShape& least = kernel.least;
    const bool is_first = kernel.results.empty();
    least = is_first ? shape
                     : GemmShape{std::min(least.m, shape.m), std::min(least.n, shape.n),
                                 std::min(least.k, shape.k)};
    kernel.results.push_back({shape, result.median_ns});
    const double work = even_work(kernel.work, shape);
    kernel.max_work = std::max(kernel.max_work, work);
  }
  for (const KernelModel& model : profile.models) {
    const auto named = by_name.find(model.kernel);
    if (named == by_name.end()) continue;
    OfKernel& kernel = known(profile, *named->second);
    kernel.model = model;
    kernel.max_work = std::max(kernel.max_work, model.max_work);
  }
  for (const KernelRecord& record : profile.kernels) {
    const auto place = kernels_.find(&record);
    if (place == kernels_.end()) continue;
    OfKernel& kernel = place->second;
    if (kernel.model) look_up_misses(kernel);
    if (!kernel.model) kernel.model = one_rate(kernel);
    for (const auto& [shape, ns, miss] : kernel.results) {
      const double launch_ns = std::min(kernel.model->fixed_ns, ns / 2.0);
      if (profile.rates.launch_ns < ns / 2.0) {
        const double rate = even_work(kernel.work, shape) / (ns - launch_ns);
        kernel.best_rate = std::max(kernel.best_rate, rate);
      }
      constexpr double kMaxLaunchShare = 0.25;
      // On a CPU, larger products may be slower although all cores were busy: caches overflow.
      const bool fills = profile.device.processor.empty() && launch_ns <= kMaxLaunchShare * ns &&
                         has_many_groups(kernel.work, shape);
      kernel.fills_device = kernel.fills_device || fills;
    }
  }
  for (const PackResult& result : profile.pack_results) {
    const auto named = by_name.find(result.kernel);
    if (named != by_name.end() && result.ns_per_element > 0.0) {
      auxiliary_results_[named->second].push_back(result);
    }
  }
  look_up_twins(profile);
}

void MeasuredTimes::look_up_misses(OfKernel& kernel) {
  constexpr double kMinMiss = 0.3;  // a factor of 1.35
  for (Measured& result : kernel.results) {
    const double ns = predicted_ns(*kernel.model, work_terms(kernel.work, result.shape));
    if (result.median_ns <= 0.0 || ns <= 0.0) continue;
    const double miss = std::log(result.median_ns / ns);
    if (std::fabs(miss) < kMinMiss) continue;
    result.miss = miss;
    kernel.has_misses = true;
  }
}

double MeasuredTimes::correction(const OfKernel& kernel, const GemmShape& shape) {
  if (!kernel.has_misses) return 1.0;
  constexpr double kReach = 2.5;  // octaves, the standard deviation of a Gaussian function
  const Measured* nearest = nullptr;
  double least = 0.0;
  for (const Measured& result : kernel.results) {
    const double distance = squared_distance(result.shape, shape);
    if (nearest == nullptr || distance < least) {
      nearest = &result;
      least = distance;
    }
  }
  return std::exp(nearest->miss * std::exp(-least / (2.0 * kReach * kReach)));
}

// A model with a launch time and one rate, the geometric mean over the results. Narrow products
// have a separate rate.
KernelModel MeasuredTimes::one_rate(const OfKernel& kernel) {
  KernelModel model;
  model.fixed_ns = kernel.profile->rates.launch_ns;
  for (const Measured& result : kernel.results) {
    // A launch in a sequence may take longer than a kernel runs on the device.
    model.fixed_ns = std::min(model.fixed_ns, result.median_ns / 2.0);
  }
  struct Mean {
    double sum = 0.0;  // sum of logarithms
    int count = 0;
    double value() const { return count == 0 ? 0.0 : std::exp(sum / count); }
  };
  Mean even;
  Mean narrow;
  for (const auto& [shape, ns, miss] : kernel.results) {
    const bool is_narrow = kernel.work.is_narrow(shape.m, shape.n);
    const double work = per_unit(is_narrow ? &KernelModel::narrow_ps : &KernelModel::even_ps,
                                 work_terms(kernel.work, shape));
    Mean& mean = is_narrow ? narrow : even;
    mean.sum += std::log((ns - model.fixed_ns) / work);
    ++mean.count;
  }
  const double slower = kernel.work.slower_when_narrow();
  model.even_ps = even.count > 0 ? even.value() : narrow.value() / slower;
  model.narrow_ps = narrow.count > 0 ? narrow.value() : even.value() * slower;
  return model;
}

void MeasuredTimes::look_up_twins(const Profile& profile) {
  std::unordered_map<std::string_view, const KernelRecord*> plain;  // plain kernels by their family
  for (const KernelRecord& record : profile.kernels) {
    if (!record.family.empty() && implements_epilogue(record, {}))
      plain.emplace(record.family, &record);
  }
  for (const KernelRecord& record : profile.kernels) {
    if (implements_epilogue(record, {})) continue;
    const auto twin = plain.find(record.family);
    if (twin == plain.end()) continue;
    const auto own = kernels_.find(&record);
    twins_.emplace(
        &record,
        Twin{twin->second, own == kernels_.end() ? 1.0 : times_longer(own->second, *twin->second)});
  }
}

double MeasuredTimes::times_longer(const OfKernel& kernel, const KernelRecord& plain) const {
  double sum = 0.0;  // sum of logarithms
  int results = 0;
  for (const Measured& result : kernel.results) {
    const auto plain_ns = kernel_ns(plain, result.shape);
    if (!plain_ns) continue;
    sum += std::log(result.median_ns / *plain_ns);
    ++results;
  }
  return results == 0 ? 1.0 : std::exp(sum / results);
}

const double* MeasuredTimes::result_on(const KernelRecord& kernel, const GemmShape& shape) const {
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return nullptr;
  for (const Measured& result : place->second.results) {
    if (result.shape == shape) return &result.median_ns;
  }
  return nullptr;
}

bool MeasuredTimes::is_measured_on(const KernelRecord& kernel, const GemmShape& shape) const {
  const auto twin = twins_.find(&kernel);
  return result_on(kernel, shape) != nullptr ||
         (twin != twins_.end() && result_on(*twin->second.plain, shape) != nullptr);
}

double MeasuredTimes::min_plausible_ns(const OfKernel& kernel, const GemmShape& shape) {
  constexpr double kFar = 4.0;
  constexpr double kFaster = 1.5;
  const double work = even_work(kernel.work, shape);
  if (kernel.best_rate == 0.0 || work <= kFar * kernel.max_work) return 0.0;
  return kernel.model->fixed_ns + work / (kFaster * kernel.best_rate);
}

std::optional<double> MeasuredTimes::kernel_ns(const KernelRecord& kernel,
                                               const GemmShape& shape) const {
  if (const double* ns = result_on(kernel, shape)) return *ns;
  if (const auto twin = twins_.find(&kernel); twin != twins_.end()) {
    const auto plain_ns = kernel_ns(*twin->second.plain, shape);
    if (plain_ns) return twin->second.times_longer * *plain_ns;
  }
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return std::nullopt;
  constexpr double kMinTime_ns = 1.0;  // a model may have no term that applies to a shape
  const KernelModel& model = *place->second.model;
  const ModelTerms terms = work_terms(place->second.work, shape);
  const double ns = correction(place->second, shape) * predicted_ns(model, terms);
  return std::max({kMinTime_ns, min_plausible_ns(place->second, shape), ns});
}

}  // namespace tilewright

#include "runtime/plan/plan_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {
namespace {

// Without any measurement: reading and writing a float takes a nanosecond. What matters is that
// moving less is less.
constexpr double kUnmeasuredNsPerByte = 1.0 / (2 * sizeof(float));
// Another kernel may have been measured on the very shape.
constexpr double kLeastDistance = 1e-6;
constexpr double kDoubtPerOctave = 0.05;

std::array<double, 3> logarithms(const GemmShape& shape) {
  const auto log = [](std::int64_t extent) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)));
  };
  return {log(shape.m), log(shape.n), log(shape.k)};
}

double squared_distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

double positive_or(double value, double otherwise) {
  return value > 0.0 ? value : otherwise;
}

ProductWork work_of(const KernelWork& kernel, const GemmShape& shape) {
  const auto at_least_one = [](std::int64_t extent) { return std::max<std::int64_t>(extent, 1); };
  return kernel.of(at_least_one(shape.m), at_least_one(shape.n), at_least_one(shape.k));
}

}  // namespace

double PlanTimes::beside_ns() const {
  double sum = 0.0;
  for (const StepFacts& facts : kCallSteps) {
    if (facts.step != CallStep::kGemm) sum += ns[facts.step];
  }
  return sum + launches_ns;
}

void CommandCosts::learn(const DeviceRates& rates) {
  before_ns = positive_or(rates.round_trip_ns, positive_or(rates.launch_ns, before_ns));
  behind_ns = positive_or(rates.launch_ns, positive_or(rates.round_trip_ns, behind_ns));
}

double CommandCosts::of(std::size_t before, std::size_t behind) const {
  return static_cast<double>(before) * before_ns + static_cast<double>(behind) * behind_ns;
}

MeasuredTimes::MeasuredTimes(const std::vector<const Profile*>& profiles)
    : ns_per_byte_(kUnmeasuredNsPerByte) {
  for (const Profile* profile : profiles) {
    if (profile->kind != ProfileKind::kGeneric) continue;
    for (const KernelRecord& record : profile->kernels) built_in_.insert(record.name);
  }
  // Backwards, so that the first profile that says something has the last word.
  for (auto profile = profiles.rbegin(); profile != profiles.rend(); ++profile) {
    const DeviceRates& rates = (*profile)->rates;
    // 1 GB/s is a byte in a nanosecond.
    if (rates.copy_gbytes_per_s > 0.0) ns_per_byte_ = 1.0 / rates.copy_gbytes_per_s;
    commands_.learn(rates);
    look_up(**profile);
    look_up_comparisons(**profile);
  }
}

void MeasuredTimes::look_up_comparisons(const Profile& profile) {
  std::unordered_map<std::string_view, bool> built_in;  // by name, of kernels of mere products
  bool has_built_in = false;
  for (const KernelRecord& record : profile.kernels) {
    const bool is_built_in = built_in_.count(record.name) > 0;
    has_built_in = has_built_in || is_built_in;
    if (meets(record, {})) built_in.emplace(record.name, is_built_in);
  }
  // A tuning that reached its end before built-in kernels were measured in all of them is trusted:
  // nobody can repeat it on a device that is not at hand.
  const bool is_older = profile.provenance.complete && !has_built_in;
  if (profile.kind != ProfileKind::kTuned || is_older || built_in_.empty()) return;
  std::map<std::tuple<Op, std::int64_t, std::int64_t, std::int64_t>, bool> compared;
  for (const ShapeResult& result : profile.results) {
    const auto kernel = built_in.find(result.kernel);
    if (kernel == built_in.end()) continue;
    bool& so_far = compared[{result.op, result.m, result.n, result.k}];
    so_far = so_far || kernel->second || result.compared;
  }
  auto& comparisons = comparisons_[&profile];
  for (const auto& [problem, known] : compared) {
    const auto& [op, m, n, k] = problem;
    comparisons[static_cast<std::size_t>(op)].push_back({logarithms({m, n, k}), known});
  }
}

bool MeasuredTimes::is_tuned(Op op, const GemmShape& shape) const {
  return tuned_.count({op, shape.m, shape.n, shape.k}) > 0;
}

bool MeasuredTimes::is_compared(const Profile& profile, Op op, const GemmShape& shape) const {
  const auto found = comparisons_.find(&profile);
  if (found == comparisons_.end()) return true;
  const std::array<double, 3> at = logarithms(shape);
  // Of shapes equally near one that was not compared decides.
  std::pair nearest(std::numeric_limits<double>::infinity(), true);
  for (const Comparison& known : found->second[static_cast<std::size_t>(op)]) {
    nearest = std::min(nearest, std::pair(squared_distance(known.at, at), known.compared));
  }
  return nearest.second;
}

void MeasuredTimes::Results::settle(double launch_ns) {
  fixed_ns = launch_ns;
  for (const Measured& result : all) fixed_ns = std::min(fixed_ns, result.median_ns / 2.0);
  for (Measured& result : all) {
    result.log_ns_per_work = std::log((result.median_ns - fixed_ns) / result.work);
  }
}

void MeasuredTimes::look_up(const Profile& profile) {
  std::unordered_map<std::string_view, const KernelRecord*> by_name;
  for (const KernelRecord& record : profile.kernels) by_name.emplace(record.name, &record);
  auto& narrow = narrow_[&profile];
  for (const ShapeResult& result : profile.results) {
    const auto known = by_name.find(result.kernel);
    if (known == by_name.end()) continue;
    const KernelRecord& record = *known->second;
    const auto place = kernels_.try_emplace(
        &record, OfKernel{&profile, KernelWork(record, profile.device.compute_units), {}});
    OfKernel& kernel = place.first->second;
    const GemmShape shape{result.m, result.n, result.k};
    tuned_.emplace(result.op, shape.m, shape.n, shape.k);
    const ProductWork work = work_of(kernel.work, shape);
    const Measured measured{shape, logarithms(shape), work.multiply_adds, result.median_ns, 0.0};
    const auto op = static_cast<std::size_t>(result.op);
    (work.narrow ? kernel.ops[op].narrow : kernel.ops[op].wide).all.push_back(measured);
    if (work.narrow) narrow[op].all.push_back(measured);
  }
  for (Results& results : narrow) results.settle(profile.rates.launch_ns);
  for (auto& [record, kernel] : kernels_) {
    if (kernel.profile != &profile) continue;
    for (OfOp& of_op : kernel.ops) {
      of_op.wide.settle(profile.rates.launch_ns);
      of_op.narrow.settle(profile.rates.launch_ns);
    }
  }
  for (const PackResult& result : profile.pack_results) {
    const auto known = by_name.find(result.kernel);
    if (known != by_name.end() && result.ns_per_element > 0.0) {
      moved_[known->second].push_back(result);
    }
  }
  look_up_twins(profile);
}

void MeasuredTimes::look_up_twins(const Profile& profile) {
  std::unordered_map<std::string_view, const KernelRecord*> plain;  // by family
  for (const KernelRecord& record : profile.kernels) {
    if (!record.family.empty() && meets(record, {})) plain.emplace(record.family, &record);
  }
  for (const KernelRecord& record : profile.kernels) {
    if (meets(record, {})) continue;
    const auto twin = plain.find(record.family);
    if (twin == plain.end()) continue;
    const auto own = kernels_.find(&record);
    twins_.emplace(
        &record,
        Twin{twin->second, own == kernels_.end() ? 1.0 : times_longer(own->second, *twin->second)});
  }
}

double MeasuredTimes::times_longer(const OfKernel& kernel, const KernelRecord& plain) const {
  double sum = 0.0;  // of logarithms
  int results = 0;
  for (std::size_t op = 0; op < kOps; ++op) {
    for (const Results* own : {&kernel.ops[op].wide, &kernel.ops[op].narrow}) {
      for (const Measured& result : own->all) {
        const auto plain_ns = kernel_ns(plain, static_cast<Op>(op), result.shape);
        if (!plain_ns) continue;
        sum += std::log(result.median_ns / *plain_ns);
        ++results;
      }
    }
  }
  return results == 0 ? 1.0 : std::exp(sum / results);
}

std::optional<double> MeasuredTimes::kernel_ns(const KernelRecord& kernel, Op op,
                                               const GemmShape& shape) const {
  const auto place = kernels_.find(&kernel);
  const OfOp* of_op =
      place == kernels_.end() ? nullptr : &place->second.ops[static_cast<std::size_t>(op)];
  const bool measured = of_op != nullptr && !(of_op->wide.all.empty() && of_op->narrow.all.empty());
  if (measured) {
    for (const Results* results : {&of_op->wide, &of_op->narrow}) {
      for (const Measured& result : results->all) {
        if (result.shape == shape) return result.median_ns;
      }
    }
  }
  if (const auto twin = twins_.find(&kernel); twin != twins_.end()) {
    const auto plain_ns = kernel_ns(*twin->second.plain, op, shape);
    if (plain_ns) return twin->second.times_longer * *plain_ns;
  }
  return measured ? std::optional(predict_ns(place->second, op, shape)) : std::nullopt;
}

double MeasuredTimes::predict_ns(const OfKernel& kernel, Op op, const GemmShape& shape) const {
  const auto of_op = static_cast<std::size_t>(op);
  const ProductWork work = work_of(kernel.work, shape);
  // Results on shapes of the same kind; where there are none, the kernel's others.
  const OfOp& own = kernel.ops[of_op];
  const Results* known = work.narrow ? &narrow_.at(kernel.profile)[of_op] : &own.wide;
  double factor = 1.0;
  if (known->all.empty()) {
    known = work.narrow ? &own.wide : &own.narrow;
    const double slower = kernel.work.slower_when_narrow();
    factor = work.narrow ? slower : 1.0 / slower;
  }
  const std::array<double, 3> at = logarithms(shape);
  double weights = 0.0;
  double sum = 0.0;  // of logarithms
  for (const Measured& result : known->all) {
    const double weight = 1.0 / std::max(squared_distance(result.at, at), kLeastDistance);
    weights += weight;
    sum += weight * result.log_ns_per_work;
  }
  return known->fixed_ns + factor * std::exp(sum / weights) * work.multiply_adds;
}

std::optional<double> MeasuredTimes::octaves_to_result(const KernelRecord& kernel, Op op,
                                                       const GemmShape& shape) const {
  const auto place = kernels_.find(&kernel);
  if (place == kernels_.end()) return std::nullopt;
  const OfOp& of_op = place->second.ops[static_cast<std::size_t>(op)];
  const std::array<double, 3> at = logarithms(shape);
  std::optional<double> least;
  for (const Results* results : {&of_op.wide, &of_op.narrow}) {
    for (const Measured& result : results->all) {
      const double octaves = std::sqrt(squared_distance(result.at, at));
      least = std::min(least.value_or(octaves), octaves);
    }
  }
  return least;
}

double MeasuredTimes::doubt(const KernelRecord& kernel, Op op, const GemmShape& shape) const {
  std::optional<double> octaves = octaves_to_result(kernel, op, shape);
  if (const auto twin = twins_.find(&kernel); twin != twins_.end()) {
    const auto plain = octaves_to_result(*twin->second.plain, op, shape);
    if (plain) octaves = std::min(octaves.value_or(*plain), *plain);
  }
  return kDoubtPerOctave * octaves.value_or(0.0);
}

std::optional<MovedPace> MeasuredTimes::moved_pace(const KernelRecord& pack,
                                                   double elements) const {
  const auto measured = moved_.find(&pack);
  if (measured == moved_.end()) return std::nullopt;
  std::optional<MovedPace> nearest;
  for (const PackResult& result : measured->second) {
    const double extent = result.extent;
    const MovedPace pace{std::fabs(std::log(elements / (extent * extent))), result.ns_per_element};
    if (!nearest || pace < *nearest) nearest = pace;
  }
  return nearest;
}

std::optional<double> MeasuredTimes::ns_per_element(const KernelRecord& pack) const {
  const auto pace = moved_pace(pack, double{kMovedExtent} * kMovedExtent);
  return pace ? std::optional(pace->ns_per_element) : std::nullopt;
}

double MeasuredTimes::pack_ns(const KernelRecord& pack, const PackProblem& problem) const {
  const double elements = elements_of(problem);
  const auto pace = moved_pace(pack, elements);
  return elements * (pace ? pace->ns_per_element : 2.0 * sizeof(float) * ns_per_byte_);
}

double MeasuredTimes::layer_ns(const KernelRecord& kernel, std::int64_t m, std::int64_t n) const {
  return pack_ns(kernel, {m, n, m, n, {}, {}});
}

double MeasuredTimes::reduce_ns(const Storage& parts, const GemmProblem& problem) const {
  const double c = static_cast<double>(problem.shape.m) * static_cast<double>(problem.shape.n);
  const double moved = static_cast<double>(parts.elements) + (problem.beta == 0.0f ? c : 2.0 * c);
  return moved * sizeof(float) * ns_per_byte_;
}

}  // namespace tilewright

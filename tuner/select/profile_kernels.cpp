#include "tuner/select/profile_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codelets/space/emit.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/fused.hpp"

namespace tilewright {
namespace {

// Times and energies vary by more than the digits that are left out, which would make up a third of
// a profile's results.
double with_six_digits(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

}  // namespace

bool ProfileKernels::add_kernel(const KernelRecord& record) {
  if (find_kernel(profile_, record.name) != nullptr) return false;
  profile_.kernels.push_back(record);
  return true;
}

// Returns the time on a shape, for any op; nullptr if it was not measured there.
const PlanTime* ProfileKernels::measured_time(const KernelId& kernel,
                                              const GemmShape& shape) const {
  const PlanTime* found = nullptr;
  for (std::size_t p = 0; p < standings_.problems.size(); ++p) {
    if (standings_.problems[p].shape != shape) continue;
    const PlanTime* const time = standings_.time(p, kernel);
    if (time == nullptr) continue;
    if (found == nullptr || time->kernel_ns.value > found->kernel_ns.value) found = time;
  }
  return found;
}

std::vector<double> ProfileKernels::search_samples(const KernelId& kernel,
                                                   const GemmShape& shape) const {
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel != kernel) continue;
    const ShapeSamples* samples = samples_on(outcome, shape);
    if (samples != nullptr && !samples->ns.empty()) return corrected_ns(*samples);
  }
  return {};
}

double ProfileKernels::worst_error(const KernelId& kernel) const {
  double worst = 0.0;
  for (const Outcome& outcome : contents_.outcomes) {
    if (outcome.kernel == kernel) worst = std::max(worst, outcome.max_error);
  }
  return worst;
}

void ProfileKernels::add_product(const KernelId& kernel) {
  const KernelRecord record = emit(kernel.point());
  if (!add_kernel(record)) return;
  for (const GemmShape& shape : contents_.header.shapes) {
    const PlanTime* time = measured_time(kernel, shape);
    const std::vector<double> samples =
        time != nullptr ? time->samples_ns : search_samples(kernel, shape);
    if (samples.empty()) continue;
    const double ns = time != nullptr ? time->kernel_ns.value : quantile(samples, 0.5);
    add_result(record, shape, samples, ns, worst_error(kernel));
  }
}

void ProfileKernels::add_result(const KernelRecord& record, const GemmShape& shape,
                                const std::vector<double>& samples_ns, double ns,
                                double max_error) {
  ShapeResult result;
  // The runtime looks up the results of a kernel under the op that corresponds to its own layouts.
  result.op = op_from_layouts(record.layout_a, record.layout_b.value_or(Layout::R()));
  result.m = shape.m;
  result.n = shape.n;
  result.k = shape.k;
  result.kernel = record.name;
  const Summary summary = summarize(samples_ns);
  result.median_ns = with_six_digits(ns);
  result.low_ns = with_six_digits(std::min(summary.low, ns));
  result.high_ns = with_six_digits(std::max(summary.high, ns));
  result.samples = summary.samples;
  result.gflops = computed_gflops(result);
  result.max_error = max_error;
  profile_.results.push_back(std::move(result));
}

void ProfileKernels::add_fused(const KernelId& plain) {
  for (const Outcome& outcome : contents_.outcomes) {
    const bool works = outcome.task == kFused && outcome.result == OutcomeClass::kOk;
    if (!works) continue;
    if (without_epilogue(outcome.kernel.point()) != plain.point()) continue;
    if (has_better_form(outcome, contents_.outcomes)) continue;
    const KernelRecord record = emit(outcome.kernel.point());
    if (!add_kernel(record)) continue;
    for (const ShapeSamples& samples : outcome.shapes) {
      const std::vector<double> ns = corrected_ns(samples);
      add_result(record, samples.shape, ns, quantile(ns, 0.5), outcome.max_error);
    }
  }
}

void ProfileKernels::add_layers(bool splits) {
  for (const auto& [requirement, kernel] : fastest_auxiliaries(contents_.packs)) {
    const auto* reduce = std::get_if<ReducePoint>(&requirement);
    const Codelet codelet = point_codelet(requirement);
    const bool layer =
        codelet == Codelet::kActivation || codelet == Codelet::kSoftmax ||
        (splits && reduce != nullptr && without_epilogue(requirement) != requirement);
    if (layer) add_auxiliary(kernel);
  }
}

void ProfileKernels::add_transposition() {
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents_.packs);
  const auto found = auxiliaries.find(PackPoint{.precision = contents_.header.precision});
  if (found != auxiliaries.end()) add_auxiliary(found->second);
}

}  // namespace tilewright

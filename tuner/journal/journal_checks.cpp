#include "tuner/journal/journal_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "codelets/point/parameter_point.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr int kMaxRounds = 1'000'000;  // far more than any final has

void check_is_there(const KernelId& kernel, const char* what) {
  if (kernel.empty()) throw JsonError(fmt::format("{} has no point", what));
}

void check_times(const std::vector<double>& times_ns, const char* what) {
  for (const double ns : times_ns) {
    if (!(ns > 0.0 && std::isfinite(ns))) {
      throw JsonError(fmt::format("{} has the invalid time {} ns", what, ns));
    }
  }
}

void check(const ShapeSamples& samples) {
  check_times(samples.ns, "a sample");
  check_times(samples.reference_ns, "a sample of the reference");
  check_times(samples.rejected_ns, "a rejected sample");
  if (samples.ns.empty()) {
    throw JsonError(fmt::format("shape {} has no samples (ns)", to_text(samples.shape)));
  }
  if (!samples.reference_ns.empty() && samples.reference_ns.size() != samples.ns.size()) {
    throw JsonError(fmt::format("{} times of the reference for {} samples",
                                samples.reference_ns.size(), samples.ns.size()));
  }
}

bool is_auxiliary(const ParameterPoint& point) {
  const Codelet codelet = point_codelet(point);
  return codelet != Codelet::kGemm && codelet != Codelet::kGemv;
}

void check_product_kernel(const KernelId& kernel, const char* what) {
  check_is_there(kernel, what);
  if (!is_auxiliary(kernel.point())) return;
  throw JsonError(fmt::format("{} is '{}', which is not a product kernel", what, kernel.text()));
}

// Checks a time that is 0 if it is not known.
void check_time_or_zero(double ns, const char* what) {
  if (ns != 0.0) check_times({ns}, what);
}

// Checks the name of what is starting or idle.
void check_at_work(const std::string& what) {
  if (what == kMicroBenchmarks) return;
  try {
    check_is_there(parse_kernel(what), "a started kernel");
  } catch (const ParameterError& error) {
    throw JsonError(fmt::format("'{}' is not a point: {}", what, error.what()));
  }
}

void check(const Outcome& outcome) {
  check_is_there(outcome.kernel, "the candidate");
  for (const ShapeSamples& samples : outcome.shapes) check(samples);
  if (outcome.task == kPacking && !is_auxiliary(outcome.kernel.point())) {
    throw JsonError(fmt::format("'{}' is not a point of pack, reduce, activation or softmax",
                                outcome.kernel.text()));
  }
  if (outcome.task == kFinals) check_product_kernel(outcome.kernel, "a finalist");
  const auto is_count = [](int number) { return number >= 0 && number < kMaxRounds; };
  if (!is_count(outcome.round) || !is_count(outcome.process)) {
    throw JsonError(
        fmt::format("round {} of process {} is invalid", outcome.round, outcome.process));
  }
}

}  // namespace

void check_time(double at_s) {
  if (!(at_s >= 0.0 && std::isfinite(at_s))) {
    throw JsonError(
        fmt::format("at_s is {}, which is not a time since the start of the tuning", at_s));
  }
}

void check(const TrialStarted& started) {
  check_at_work(started.what);
}

void check(const TrialIdle& idle) {
  check_at_work(idle.what);
}

void check(const Outcomes& outcomes, const JournalContents& before) {
  for (const Outcome& outcome : outcomes) {
    check(outcome);
    if (outcome.task != kFinals) continue;
    if (!before.finalists) throw JsonError("outcomes of finals before the finals have begun");
    if (std::ranges::count(before.finalists->kernels, outcome.kernel) > 0) continue;
    throw JsonError(fmt::format("'{}' is not a finalist", outcome.kernel.text()));
  }
}

void check(const Finalists& finalists) {
  for (const KernelId& kernel : finalists.kernels) check_product_kernel(kernel, "a finalist");
  for (const KernelId& kernel : finalists.baselines) check_product_kernel(kernel, "a baseline");
}

void check(const ValidatedProduct& product) {
  if (product.plans.empty() == product.failure.empty()) {
    throw JsonError("a validated product needs either plans or a failure");
  }
  if (!product.plans.empty()) check_times({product.call_ns}, "the call of a validated product");
  for (const Outcome& plan : product.plans) {
    check_product_kernel(plan.kernel, "the plan of a validated product");
    check(plan);
    if (plan.shapes.size() != 1) {
      throw JsonError("the plan of a validated product needs samples of one shape");
    }
    check_time_or_zero(plan.predicted_ns, "predicted_ns");
  }
  check_time_or_zero(product.built_in_ns, "built_in_ns");
  check_time_or_zero(product.max_times_call, "max_times_call");
  check_time_or_zero(product.launch_ns, "launch_ns");
  check_time_or_zero(product.other_ns, "other_ns");
}

void check(const TimeSpent& spent) {
  if (std::ranges::find(kActivities, spent.activity) != std::end(kActivities)) return;
  throw JsonError(fmt::format("'{}' is no activity", spent.activity.substr(0, 80)));
}

}  // namespace tilewright

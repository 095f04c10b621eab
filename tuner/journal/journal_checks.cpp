#include "tuner/journal/journal_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <variant>

#include "codelets/point/parameter_point.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr int kMaxRounds = 1'000'000;  // far more than any final has

void check_is_there(const KernelId& kernel, const char* what) {
  if (kernel.empty()) throw JsonError(fmt::format("{} has no point", what));
}

void check_index(std::size_t index, std::size_t count, const char* what) {
  if (index < count) return;
  throw JsonError(fmt::format("{} has index {}, but there are only {}", what, index, count));
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

// Checks the time of a line.
void check_at(double at_s) {
  if (!(at_s >= 0.0 && std::isfinite(at_s))) {
    throw JsonError(
        fmt::format("at_s is {}, which is not a time since the start of the tuning", at_s));
  }
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
  check_at(outcome.at_s);
  for (const ShapeSamples& samples : outcome.shapes) check(samples);
}

void check(const PackOutcome& pack) {
  const std::string requirement = to_text(pack.requirement);
  if (!is_auxiliary(pack.requirement)) {
    throw JsonError(
        fmt::format("'{}' is not a point of pack, reduce, activation or softmax", requirement));
  }
  const KernelId& kernel = pack.reply.kernel;
  if (!kernel.empty() && point_codelet(kernel.point()) != point_codelet(pack.requirement)) {
    throw JsonError(
        fmt::format("'{}' does not match the requirement '{}'", kernel.text(), requirement));
  }
}

void check(const Lineup& lineup) {
  for (const KernelId& kernel : lineup.finalists) {
    check_product_kernel(kernel, "a finalist");
  }
  for (const FinalPlan& plan : lineup.plans) {
    check_index(plan.finalist, lineup.finalists.size(), "the finalist of a plan");
  }
  for (const std::size_t baseline : lineup.baselines) {
    check_index(baseline, lineup.plans.size(), "a baseline of a lineup");
  }
}

// Checks that the finalists of the round and of its failures are in the line-up.
void check(const Round& round, const Lineup& lineup) {
  const std::size_t finalists = lineup.finalists.size();
  for (const auto& [finalist, ns] : round.ns) {
    check_index(finalist, finalists, "a finalist of a round");
    check_times({ns}, "a sample of a round");
  }
  const auto is_count = [](int number) { return number >= 0 && number < kMaxRounds; };
  if (!is_count(round.round) || !is_count(round.block)) {
    throw JsonError(fmt::format("round {} of block {} is invalid", round.round, round.block));
  }
  for (const auto& [finalist, reason] : round.failures) {
    check_index(finalist, finalists, "a finalist that failed");
  }
}

void check(const ValidatedProduct& product) {
  if (product.plans.empty() == product.failure.empty()) {
    throw JsonError("a validated product needs either plans or a failure");
  }
  if (!product.plans.empty()) check_times({product.call_ns}, "the call of a validated product");
  for (const ValidatedPlan& plan : product.plans) {
    check_product_kernel(plan.kernel, "the plan of a validated product");
    check_times({plan.ns}, "the plan of a validated product");
    check_time_or_zero(plan.predicted_ns, "predicted_ns");
    check_time_or_zero(plan.max_times_first, "max_times_first");
  }
  check_time_or_zero(product.built_in_ns, "built_in_ns");
  check_time_or_zero(product.max_times_call, "max_times_call");
  check_time_or_zero(product.launch_ns, "launch_ns");
  check_time_or_zero(product.other_ns, "other_ns");
}

}  // namespace

void check(const JournalLine& line, const JournalContents& before) {
  check_at(line.at_s);
  const auto* const what = &line.what;
  if (const auto* starting = std::get_if<TrialStarted>(what)) check_at_work(starting->what);
  if (const auto* idle = std::get_if<TrialIdle>(what)) check_at_work(idle->what);
  if (const auto* outcome = std::get_if<Outcome>(what)) check(*outcome);
  if (const auto* pack = std::get_if<PackOutcome>(what)) check(*pack);
  if (const auto* lineup = std::get_if<Lineup>(what)) check(*lineup);
  if (const auto* product = std::get_if<ValidatedProduct>(what)) check(*product);
  if (const auto* spent = std::get_if<TimeSpent>(what)) {
    if (std::ranges::find(kActivities, spent->activity) == std::end(kActivities)) {
      throw JsonError(fmt::format("'{}' is no activity", spent->activity.substr(0, 80)));
    }
  }
  if (const auto* round = std::get_if<Round>(what)) {
    if (!before.lineup) throw JsonError("a round without an earlier lineup");
    check(*round, *before.lineup);
  }
}

}  // namespace tilewright

#include "tuner/baseline_stage.hpp"

#include <algorithm>

#include "codelets/generic_profile.hpp"
#include "tuner/shapes.hpp"
#include "tuner/warm_start.hpp"

namespace tilewright {
namespace {

const Outcome* outcome_of(const std::vector<Outcome>& outcomes, const std::string& point) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    return outcome.point == point && outcome.phase == kBuiltIn;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

std::vector<GemmShape> shortest_first(std::vector<GemmShape> shapes) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

}  // namespace

std::vector<std::string> built_in_kernels(Op op, const SpaceLimits& limits) {
  std::vector<std::string> kernels;
  for (const ParameterPoint& point : warm_points(generic_profile(), op, limits)) {
    kernels.push_back(to_text(point));
  }
  return kernels;
}

std::string baseline_of(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  for (const std::string& kernel : built_in_kernels(op, limits)) {
    const Outcome* outcome = outcome_of(outcomes, kernel);
    if (outcome != nullptr && outcome->result == OutcomeClass::kOk) return kernel;
  }
  return "";
}

bool has_baseline(const std::vector<Outcome>& outcomes, Op op, const SpaceLimits& limits) {
  if (!baseline_of(outcomes, op, limits).empty()) return true;
  const std::vector<std::string> all = built_in_kernels(op, limits);
  return std::all_of(all.begin(), all.end(), [&](const std::string& kernel) {
    return outcome_of(outcomes, kernel) != nullptr;
  });
}

bool measure_baseline(Crew& crew, TuningRecord& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done) {
  const JournalContents& contents = record.contents();
  for (const Op op : contents.header.ops) {
    for (const std::string& kernel : built_in_kernels(op, crew.facts().limits)) {
      if (has_baseline(contents.outcomes, op, crew.facts().limits)) break;
      if (outcome_of(contents.outcomes, kernel) != nullptr) continue;
      TrialRequest request;
      request.point = kernel;
      request.shapes = shortest_first(contents.header.shapes);
      request.options = measure;
      auto tried = crew.measurer().trial(request);
      if (std::holds_alternative<Stopped>(tried)) return false;
      Outcome& outcome = std::get<Outcome>(tried);
      outcome.phase = kBuiltIn;
      // Too slow for a dispatch on the larger shapes: its times on the others count.
      if (outcome.result == OutcomeClass::kSlow && !outcome.shapes.empty()) {
        outcome.result = OutcomeClass::kOk;
        outcome.reason.clear();
      }
      done(record.outcome(std::move(outcome)));
    }
  }
  return true;
}

}  // namespace tilewright

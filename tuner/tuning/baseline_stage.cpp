#include "tuner/tuning/baseline_stage.hpp"

#include <algorithm>

#include "tuner/finals/baseline.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {
namespace {

std::vector<GemmShape> shortest_first(std::vector<GemmShape> shapes) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

}  // namespace

bool measure_baseline(Workers& workers, TuningRecord& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done) {
  const JournalContents& contents = record.contents();
  for (const Op op : contents.header.ops) {
    for (const std::string& kernel : built_in_kernels(op, workers.facts().limits)) {
      if (has_baseline(contents.outcomes, op, workers.facts().limits)) break;
      if (built_in_outcome(contents.outcomes, kernel) != nullptr) continue;
      MeasureRequest request;
      request.kernels = {kernel};
      request.shapes = shortest_first(contents.header.shapes);
      request.options = measure;
      auto tried = workers.measurer().trial(request);
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

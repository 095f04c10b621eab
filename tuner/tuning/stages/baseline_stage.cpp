#include "tuner/tuning/stages/baseline_stage.hpp"

#include <algorithm>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

std::vector<GemmShape> shortest_first(std::vector<GemmShape> shapes) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

// Returns the shapes on which the built-in kernels of the op have not been measured yet.
std::vector<GemmShape> unmeasured(const JournalContents& contents, Op op,
                                  const SpaceLimits& limits) {
  std::vector<GemmShape> shapes = contents.header.shapes;
  std::erase_if(shapes, [&](const GemmShape& shape) {
    return has_baseline(contents.outcomes, op, shape, limits, contents.header.precision);
  });
  return shortest_first(std::move(shapes));
}

}  // namespace

std::variant<Outcome, Stopped> try_on_all(MeasureRequest request, const Try& trial) {
  Outcome all;
  while (true) {
    auto tried = trial(request);
    if (std::holds_alternative<Stopped>(tried)) return Stopped{};
    Outcome& outcome = std::get<Outcome>(tried);
    outcome.shapes.insert(outcome.shapes.begin(), all.shapes.begin(), all.shapes.end());
    outcome.took_s += all.took_s;
    all = std::move(outcome);
    if (all.result != OutcomeClass::kSlow) break;
    std::erase_if(request.shapes,
                  [&](const GemmShape& shape) { return samples_on(all, shape) != nullptr; });
    if (request.shapes.size() < 2) break;
    request.shapes.erase(request.shapes.begin());  // the one that took too long
  }
  // The remaining shapes take too long or are not supported.
  const bool works = all.result == OutcomeClass::kSlow || all.result == OutcomeClass::kLimits;
  if (works && !all.shapes.empty()) {
    all.result = OutcomeClass::kOk;
    all.reason.clear();
  }
  return all;
}

bool measure_baseline(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& measure,
                      const std::function<void(const Outcome&)>& done) {
  const JournalContents& contents = record.contents();
  const SpaceLimits& limits = worker.facts().limits;
  for (const Op op : contents.header.ops) {
    for (const KernelId& kernel : built_in_kernels(op, limits, contents.header.precision)) {
      MeasureRequest request;
      request.kernels = {kernel};
      request.shapes = unmeasured(contents, op, limits);
      request.options = measure;
      if (request.shapes.empty()) break;
      if (built_in_outcome(contents.outcomes, kernel) != nullptr) continue;
      auto tried = try_on_all(std::move(request),
                              [&](const MeasureRequest& some) { return worker.trial(some); });
      if (std::holds_alternative<Stopped>(tried)) return false;
      Outcome& outcome = std::get<Outcome>(tried);
      outcome.phase = kBuiltIn;
      done(record.outcome(std::move(outcome)));
    }
  }
  return true;
}

}  // namespace tilewright

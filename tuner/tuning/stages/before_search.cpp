#include "tuner/tuning/stages/before_search.hpp"

#include <algorithm>
#include <variant>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/tuning/report/time_account.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {

bool complete_rates(TuneContext& context) {
  const JournalContents& contents = context.journal.contents();
  const double left_s = left_for_rates_s(context.options.budget_s, contents.spent.on(kOnRates));
  if (contents.rates && !(contents.rates->partial && left_s > 0.0)) return true;
  const auto unfinished = contents.starts.unfinished();
  const bool deadly = std::any_of(unfinished.begin(), unfinished.end(), [](const Unfinished& each) {
    return each.what == kMicroBenchmarks && each.deaths >= kDeathsToQuarantine;
  });
  MeasuredRates reply;
  if (!deadly) {
    context.journal.append(TrialStarted{kMicroBenchmarks, WorkerActivityKind::kLaunch});
    const auto measured = context.worker.measure_rates(
        left_s, contents.rates.value_or(MeasuredRates{}), context.options.precision);
    context.journal.append(TrialIdle{kMicroBenchmarks});
    if (std::holds_alternative<Stopped>(measured)) return false;
    reply = std::get<MeasuredRates>(measured);
  }
  if (reply == MeasuredRates{}) {
    context.progress.note(
        "the micro-benchmarks did not return and are not tried again, so the rates that they have "
        "not measured are unknown");
    reply = contents.rates.value_or(reply);
    reply.partial = false;
  }
  context.journal.append(reply);
  return true;
}

std::vector<KernelId> unmeasured_built_in(const JournalContents& contents) {
  std::vector<KernelId> kernels =
      Baseline(contents.header).kernels(contents.header.ops, contents.header.shapes);
  std::erase_if(kernels, [&](const KernelId& kernel) {
    return built_in_outcome(contents.outcomes, kernel) != nullptr;
  });
  return kernels;
}

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

bool measure_baseline(TuneContext& context, double until_s) {
  TuningJournal& journal = context.journal;
  MeasureRequest request;
  request.shapes = journal.contents().header.shapes;
  std::stable_sort(request.shapes.begin(), request.shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  request.options = context.options.measure;
  request.task = kBuiltIn;
  for (const KernelId& kernel : unmeasured_built_in(journal.contents())) {
    if (journal.now_s() >= until_s) break;
    request.kernels = {kernel};
    auto tried =
        try_on_all(request, [&](const MeasureRequest& some) { return context.worker.trial(some); });
    if (std::holds_alternative<Stopped>(tried)) return false;
    journal.append(Outcomes{std::move(std::get<Outcome>(tried))});
    context.progress.outcome(journal.contents().outcomes.back());
    context.progress.search({kBuiltIn, journal.tried_in(kBuiltIn)}, context.left_s());
  }
  return true;
}

}  // namespace tilewright

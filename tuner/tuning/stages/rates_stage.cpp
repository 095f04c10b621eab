#include "tuner/tuning/stages/rates_stage.hpp"

#include <algorithm>
#include <variant>

#include "tuner/tuning/report/time_account.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {

bool complete_rates(TuneContext& context) {
  const JournalContents& contents = context.journal.contents();
  const double left_s =
      left_for_rates_s(context.options.budget_s, spent_on(contents.spent_on_s, kOnRates));
  if (contents.rates && !(contents.partial_rates && left_s > 0.0)) return true;
  const auto unfinished = contents.starts.unfinished();
  const bool deadly = std::any_of(unfinished.begin(), unfinished.end(), [](const Unfinished& each) {
    return each.what == kMicroBenchmarks && each.deaths >= kDeathsToQuarantine;
  });
  MeasuredRates reply;
  if (!deadly) {
    context.journal.append(TrialStarted{kMicroBenchmarks, WorkerActivityKind::kLaunch});
    const auto measured = context.worker.measure_rates(
        left_s, contents.rates.value_or(DeviceRates{}), context.options.precision);
    context.journal.append(TrialIdle{kMicroBenchmarks});
    if (std::holds_alternative<Stopped>(measured)) return false;
    reply = std::get<MeasuredRates>(measured);
  }
  if (reply == MeasuredRates{}) {
    context.progress.note(
        "the micro-benchmarks did not return and are not tried again, so the rates that they have "
        "not measured are unknown");
    reply.rates = contents.rates.value_or(DeviceRates{});
  }
  context.journal.append(reply);
  return true;
}

}  // namespace tilewright

#include "tuner/tuning/auxiliary_stage.hpp"

#include <algorithm>

#include "tuner/search/warm_start.hpp"
#include "tuner/tuning/final_stage.hpp"

namespace tilewright {

std::vector<KernelId> killers(const JournalContents& contents) {
  std::vector<KernelId> kernels;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.phase == kQuarantine || outcome.phase == kPacking)
      kernels.push_back(outcome.kernel);
  }
  return kernels;
}

bool tune_auxiliaries(Workers& workers, TuningRecord& record, const TuneOptions& options,
                      const MeasureOptions& measure, std::set<ParameterPoint> demands,
                      double seconds, Auxiliaries& auxiliaries) {
  // Where none worked in an earlier session, or the one that did took the board down since, another
  // is looked for.
  const std::vector<KernelId> excluded = killers(record.contents());
  for (const PackOutcome& known : record.contents().packs) {
    const KernelId& kernel = known.reply.kernel;
    if (kernel.empty() || std::count(excluded.begin(), excluded.end(), kernel) > 0) continue;
    auxiliaries[known.demand] = kernel;
    demands.erase(known.demand);
  }
  const double seconds_each = seconds / static_cast<double>(demands.size() + 1);
  // To move a large matrix often enough takes longer; so the finals may begin later.
  const auto seconds_of = [&](const ParameterPoint& demand) {
    constexpr double kLargeTakes = 4.0;
    const auto* pack = std::get_if<PackPoint>(&demand);
    return pack != nullptr && pack->large ? kLargeTakes * seconds_each : seconds_each;
  };
  constexpr int kShareOfCandidates = 16;
  constexpr int kLeastCandidates = 4;
  const int most = options.candidates == 0
                       ? 0
                       : std::max(kLeastCandidates, options.candidates / kShareOfCandidates);
  for (const ParameterPoint& demand : demands) {
    std::vector<KernelId> tried_first;
    for (const Profile& profile : options.warm_start) {
      for (const auto& point : warm_auxiliaries(profile, demand, workers.facts().limits)) {
        tried_first.emplace_back(point);
      }
    }
    const auto answer = workers.measurer().tune_pack(
        {demand, seconds_of(demand), measure, excluded, tried_first, most});
    if (std::holds_alternative<Stopped>(answer)) return false;
    const auto& reply = std::get<PackReply>(answer);
    record.append(PackOutcome{demand, reply});
    if (!reply.kernel.empty()) auxiliaries[demand] = reply.kernel;
  }
  return true;
}

}  // namespace tilewright

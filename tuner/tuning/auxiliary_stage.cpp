#include "tuner/tuning/auxiliary_stage.hpp"

#include <algorithm>

#include "tuner/measure/pack_candidates.hpp"
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

namespace {

// What is not tried again, in this tuning and in those that go on with its journal.
void keep_killers(const MeasureReply& reply, TuningRecord& record) {
  for (const auto& [kernel, outcome] : reply.outcomes) {
    if (outcome.result != OutcomeClass::kBuildCrash && outcome.result != OutcomeClass::kLaunch &&
        outcome.result != OutcomeClass::kHang) {
      continue;
    }
    Outcome killer = outcome;
    killer.phase = kPacking;
    record.outcome(std::move(killer));
  }
}

std::vector<KernelId> warm_kernels(const TuneOptions& options, const ParameterPoint& demand,
                                   const DeviceInfo& device) {
  std::vector<KernelId> kernels;
  if (!options.starting_points) return kernels;
  std::vector<Profile> profiles = options.warm_start;
  const std::vector<Profile> built_in = built_in_for(device, options.precision);
  profiles.insert(profiles.end(), built_in.begin(), built_in.end());
  for (const Profile& profile : profiles) {
    for (const auto& point : warm_auxiliaries(profile, demand, device.limits)) {
      kernels.emplace_back(point);
    }
  }
  return kernels;
}

}  // namespace

bool tune_auxiliaries(DeviceWorker& worker, TuningRecord& record, const TuneOptions& options,
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
  constexpr std::size_t kShareOfCandidates = 16;
  constexpr std::size_t kLeastCandidates = 4;
  const auto candidates = static_cast<std::size_t>(options.candidates);
  const std::size_t most =
      candidates == 0 ? 0 : std::max(kLeastCandidates, candidates / kShareOfCandidates);
  for (const ParameterPoint& demand : demands) {
    const AuxiliaryDemand wanted{demand, seconds_of(demand), most,
                                 warm_kernels(options, demand, worker.facts()), excluded};
    const auto answer = worker.measure(auxiliary_request(wanted, worker.facts().limits, measure));
    if (std::holds_alternative<Stopped>(answer)) return false;
    PackReply reply;
    if (const auto* measured = std::get_if<MeasureReply>(&answer)) {
      reply = best_auxiliary(demand, *measured);
      keep_killers(*measured, record);
    }
    record.append(PackOutcome{demand, reply});
    if (!reply.kernel.empty()) auxiliaries[demand] = reply.kernel;
  }
  return true;
}

}  // namespace tilewright

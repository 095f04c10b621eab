#include "tuner/tuning/stages/auxiliary_stage.hpp"

#include <algorithm>

#include "tuner/search/pack_candidates.hpp"
#include "tuner/search/warm_start.hpp"

namespace tilewright {

std::vector<KernelId> killers(const JournalContents& contents) {
  std::vector<KernelId> kernels;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task == kQuarantine) kernels.push_back(outcome.kernel);
  }
  for (const Outcome& outcome : contents.packs) {
    if (is_crash(outcome.result)) kernels.push_back(outcome.kernel);
  }
  return kernels;
}

namespace {

std::vector<KernelId> warm_kernels(const TuneOptions& options, const ParameterPoint& requirement,
                                   const DeviceInfo& device) {
  std::vector<KernelId> kernels;
  if (!options.starting_points) return kernels;
  std::vector<Profile> profiles = options.warm_start;
  const std::vector<Profile> built_in = built_in_for(device, options.precision);
  profiles.insert(profiles.end(), built_in.begin(), built_in.end());
  for (const Profile& profile : profiles) {
    for (const auto& point : warm_auxiliaries(profile, requirement, device.limits)) {
      kernels.emplace_back(point);
    }
  }
  return kernels;
}

}  // namespace

bool tune_auxiliaries(TuneContext& context, std::set<ParameterPoint> requirements, double seconds,
                      double until_s, Auxiliaries& auxiliaries) {
  const JournalContents& contents = context.journal.contents();
  const DeviceInfo& device = context.worker.facts();
  // Another kernel is searched for if none worked in an earlier session, or if the one that worked
  // has taken the board down since.
  const std::vector<KernelId> excluded = killers(contents);
  for (const auto& [requirement, kernel] : fastest_auxiliaries(contents.packs)) {
    if (std::count(excluded.begin(), excluded.end(), kernel) > 0) continue;
    auxiliaries[requirement] = kernel;
    requirements.erase(requirement);
  }
  const double seconds_each = seconds / static_cast<double>(requirements.size() + 1);
  // Large matrices need more time for enough samples, so the finals may start later.
  const auto expected_seconds = [&](const ParameterPoint& requirement) {
    constexpr double kLargeTakes = 4.0;  // times as long as other matrices
    const auto* pack = std::get_if<PackPoint>(&requirement);
    return pack != nullptr && pack->large ? kLargeTakes * seconds_each : seconds_each;
  };
  // Each requirement may use 1 / kShareOfCandidates of the candidates of the tuning.
  constexpr std::size_t kShareOfCandidates = 16;
  constexpr std::size_t kMinCandidates = 4;
  const auto candidates = static_cast<std::size_t>(context.options.candidates);
  const std::size_t most =
      candidates == 0 ? 0 : std::max(kMinCandidates, candidates / kShareOfCandidates);
  for (const ParameterPoint& requirement : requirements) {
    if (context.journal.now_s() >= until_s) break;
    const AuxiliaryRequirement wanted{requirement, expected_seconds(requirement), most,
                                      warm_kernels(context.options, requirement, device), excluded};
    const auto measured =
        measure(context, auxiliary_request(wanted, device.limits, context.options.measure));
    if (std::holds_alternative<Stopped>(measured)) return false;
    if (const auto* outcomes = std::get_if<Outcomes>(&measured)) {
      auxiliaries.merge(fastest_auxiliaries(*outcomes));
    }
  }
  return true;
}

}  // namespace tilewright

#include "tuner/tuning/auxiliary_stage.hpp"

#include <algorithm>

#include "tuner/search/warm_start.hpp"
#include "tuner/tuning/final_stage.hpp"

namespace tilewright {

std::vector<std::string> killers(const JournalContents& contents) {
  std::vector<std::string> points;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.phase == kQuarantine || outcome.phase == kPacking) points.push_back(outcome.point);
  }
  return points;
}

bool tune_auxiliaries(Workers& workers, TuningRecord& record, const TuneOptions& options,
                      const MeasureOptions& measure, std::set<ParameterPoint> demands,
                      double seconds, Auxiliaries& auxiliaries) {
  // Where none worked in an earlier session, or the one that did took the board down since, another
  // is looked for.
  const std::vector<std::string> excluded = killers(record.contents());
  for (const PackOutcome& known : record.contents().packs) {
    const std::string& point = known.reply.point;
    if (point.empty() || std::count(excluded.begin(), excluded.end(), point) > 0) continue;
    const ParameterPoint demand = parse_point(known.demand);
    auxiliaries[demand] = point;
    demands.erase(demand);
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
    std::vector<std::string> tried_first;
    for (const Profile& profile : options.warm_start) {
      for (const auto& point : warm_auxiliaries(profile, demand, workers.facts().limits)) {
        tried_first.push_back(to_text(point));
      }
    }
    const auto answer = workers.measurer().tune_pack(
        {to_text(demand), seconds_of(demand), measure, excluded, tried_first, most});
    if (std::holds_alternative<Stopped>(answer)) return false;
    const auto& reply = std::get<PackReply>(answer);
    record.append(PackOutcome{to_text(demand), reply});
    if (!reply.point.empty()) auxiliaries[demand] = reply.point;
  }
  return true;
}

}  // namespace tilewright

#include "tuner/final_stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codelets/generic_profile.hpp"
#include "tuner/lineup.hpp"
#include "tuner/search_tasks.hpp"
#include "tuner/spellings.hpp"
#include "tuner/warm_start.hpp"

namespace tilewright {
namespace {

constexpr int kWantedRounds = 5;
constexpr std::size_t kLeastFinalists = 3;  // of each op

}  // namespace

FinalStage::FinalStage(Crew& crew, TuningRecord& record, const TuneOptions& options,
                       const MeasureOptions& measure, double pack_seconds)
    : crew_(crew),
      record_(record),
      options_(options),
      measure_(measure),
      pack_seconds_(pack_seconds) {
  for (const Unfinished& racer : record_.contents().unfinished_finals) {
    if (racer.deaths >= kDeathsToQuarantine) barred_.insert(racer.point);
  }
}

// The kernels that shall race for each op.
std::map<Op, std::vector<std::string>> FinalStage::finalists() const {
  std::map<Op, std::vector<std::string>> finalists;
  for (const Op op : options_.ops) {
    const auto& tried = record_.contents().outcomes;
    finalists[op] =
        choose_finalists(tried, op, screening_costs({op}, options_.shapes, rates(), tried));
    std::erase_if(finalists[op],
                  [&](const std::string& point) { return barred_.count(point) > 0; });
    if (!finalists[op].empty()) continue;
    const auto& outcomes = record_.contents().outcomes;
    throw std::runtime_error(
        fmt::format("no candidate for {} works on '{}'; the last of {} failures: {}", to_text(op),
                    crew_.facts().identity.name, outcomes.size(),
                    outcomes.empty() ? "none was tried" : outcomes.back().reason));
  }
  return finalists;
}

// Finds a kernel for every way of packing that a finalist needs, and for TT's.
bool FinalStage::tune_packs(const std::map<Op, std::vector<std::string>>& finalists) {
  std::set<PackPoint> demands = {PackPoint{}};
  for (const auto& [op, kernels] : finalists) {
    demands.merge(pack_demands(kernels, op, options_.shapes));
  }
  // Where none worked in an earlier session, or the one that did took the board down since, another
  // is looked for.
  const std::vector<std::string> excluded = killers();
  for (const PackOutcome& known : record_.contents().packs) {
    const std::string& point = known.reply.point;
    if (point.empty() || std::count(excluded.begin(), excluded.end(), point) > 0) continue;
    const auto demand = std::get<PackPoint>(parse_point(known.demand));
    packs_[demand] = point;
    demands.erase(demand);
  }
  const double seconds = pack_seconds_ / static_cast<double>(demands.size() + 1);
  for (const PackPoint& demand : demands) {
    const auto answer = crew_.measurer().tune_pack({to_text(demand), seconds, measure_, excluded});
    if (std::holds_alternative<Stopped>(answer)) return false;
    const auto& reply = std::get<PackReply>(answer);
    record_.pack({to_text(demand), reply});
    if (!reply.point.empty()) packs_[demand] = reply.point;
  }
  return true;
}

// Points that took the board down with them.
std::vector<std::string> FinalStage::killers() const {
  std::vector<std::string> points;
  for (const Outcome& outcome : record_.contents().outcomes) {
    if (outcome.phase == kQuarantine) points.push_back(outcome.point);
  }
  return points;
}

bool FinalStage::may_race(const Outcome& outcome) const {
  const bool runs = outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow;
  return runs && !outcome.shapes.empty() && barred_.count(outcome.point) == 0;
}

// Kernels that would serve without this tuning: the built-in profile's and those of other profiles.
std::vector<std::string> FinalStage::incumbents(Op op) const {
  std::vector<Profile> profiles = options_.warm_start;
  profiles.push_back(generic_profile());
  std::vector<std::string> kernels;
  for (const Profile& profile : profiles) {
    for (const ParameterPoint& point : warm_points(profile, op, crew_.facts().limits)) {
      const std::string text = to_text(spelled(unspelled(point), spellings_of(rates())));
      const Outcome* outcome = record_.find(text);
      if (outcome != nullptr && may_race(*outcome)) kernels.push_back(text);
    }
  }
  return kernels;
}

void FinalStage::make_lineup(const std::map<Op, std::vector<std::string>>& finalists) {
  // As many of each op's best as leave time for some rounds; where all do, all that would serve
  // without this tuning race, too.
  std::size_t all = 0;
  for (const auto& [op, kernels] : finalists) all = std::max(all, kernels.size());
  const double left_s = options_.budget_s - record_.now_s();
  for (std::size_t most = all; most > 0; --most) {
    LineupBuilder builder(packs_);
    for (const auto& [op, kernels] : finalists) {
      for (std::size_t i = 0; i < std::min(most, kernels.size()); ++i) {
        builder.add(kernels[i], op, options_.shapes);
      }
      const std::vector<std::string> served = incumbents(op);
      const std::size_t most_served = most == all ? served.size() : std::min(served.size(), most);
      for (std::size_t i = 0; i < most_served; ++i) {
        if (const auto way = builder.add(served[i], op, options_.shapes)) {
          builder.add_incumbent(*way);
        }
      }
    }
    builder.set_reference(finalists.begin()->second.front());
    Lineup lineup = builder.take();
    const double seconds = predicted_finals_s(lineup, record_.contents().outcomes, options_.shapes,
                                              measure_, kWantedRounds);
    if (most > kLeastFinalists && seconds > left_s) continue;
    record_.lineup(std::move(lineup));
    return;
  }
}

bool FinalStage::run(const std::function<void(const FinalsProgress&)>& progress) {
  const auto finalists = this->finalists();
  const JournalContents& contents = record_.contents();
  const bool barred =
      contents.lineup &&
      std::any_of(contents.lineup->racers.begin(), contents.lineup->racers.end(),
                  [&](const Racer& racer) { return barred_.count(racer.point) > 0; });
  // Candidates that were tried after a final have not raced.
  const bool outdated = contents.outcomes.size() != contents.outcomes_before_lineup;
  if (!contents.lineup || outdated || barred) {
    if (!tune_packs(finalists)) return false;
    make_lineup(finalists);
  }
  return run_finals(crew_, record_, measure_, options_.budget_s, progress) != FinalsEnd::kStopped;
}

}  // namespace tilewright

#include "tuner/final_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "codelets/generic_profile.hpp"
#include "tuner/lineup.hpp"
#include "tuner/search_tasks.hpp"
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
    const CostModel costs = screening_costs({op}, options_.shapes, rates(), tried);
    finalists[op] = choose_finalists(tried, op, costs);
    std::erase_if(finalists[op],
                  [&](const std::string& point) { return barred_.count(point) > 0; });
    if (!finalists[op].empty()) continue;
    const auto failed = std::find_if(tried.rbegin(), tried.rend(), [&](const Outcome& outcome) {
      return outcome.result != OutcomeClass::kOk &&
             (outcome.phase == to_text(op) || outcome.phase == kPackedTask);
    });
    if (failed == tried.rend()) {
      throw NothingWorks(fmt::format(
          "the budget ended before a candidate for {} was tried: give the tuning more time "
          "(--budget)",
          to_text(op)));
    }
    throw NothingWorks(fmt::format("no candidate for {} works on '{}'; the last one: {}: {}",
                                   to_text(op), crew_.facts().identity.name,
                                   to_text(failed->result), failed->reason));
  }
  return finalists;
}

// Finds a kernel for every way of packing that a finalist needs, and for TT's; and one that adds up
// the parts of a split k, if a finalist has some.
bool FinalStage::tune_movers(const std::map<Op, std::vector<std::string>>& finalists) {
  std::set<ParameterPoint> demands = {PackPoint{}};
  for (const auto& [op, kernels] : finalists) {
    demands.merge(demands_of(kernels, op, options_.shapes));
  }
  // Where none worked in an earlier session, or the one that did took the board down since, another
  // is looked for.
  const std::vector<std::string> excluded = killers();
  for (const PackOutcome& known : record_.contents().packs) {
    const std::string& point = known.reply.point;
    if (point.empty() || std::count(excluded.begin(), excluded.end(), point) > 0) continue;
    const ParameterPoint demand = parse_point(known.demand);
    movers_[demand] = point;
    demands.erase(demand);
  }
  const double seconds = pack_seconds_ / static_cast<double>(demands.size() + 1);
  for (const ParameterPoint& demand : demands) {
    std::vector<std::string> first;
    for (const Profile& profile : options_.warm_start) {
      for (const auto& point : warm_movers(profile, demand, crew_.facts().limits)) {
        first.push_back(to_text(point));
      }
    }
    const auto answer =
        crew_.measurer().tune_pack({to_text(demand), seconds, measure_, excluded, first});
    if (std::holds_alternative<Stopped>(answer)) return false;
    const auto& reply = std::get<PackReply>(answer);
    record_.pack({to_text(demand), reply});
    if (!reply.point.empty()) movers_[demand] = reply.point;
  }
  return true;
}

// Points that took the board down with them, and pack kernels that workers died of.
std::vector<std::string> FinalStage::killers() const {
  std::vector<std::string> points;
  for (const Outcome& outcome : record_.contents().outcomes) {
    if (outcome.phase == kQuarantine || outcome.phase == kPacking) points.push_back(outcome.point);
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
  std::vector<std::string> kernels = incumbents_of(profiles, op, crew_.facts().limits, rates());
  std::erase_if(kernels, [&](const std::string& point) {
    const Outcome* outcome = record_.find(point);
    return outcome == nullptr || !may_race(*outcome);
  });
  return kernels;
}

void FinalStage::make_lineup(const std::map<Op, std::vector<std::string>>& finalists) {
  // As many of each op's best as leave time for some rounds; where all do, all that would serve
  // without this tuning race, too.
  std::map<Op, Contenders> contenders;
  std::size_t all = 0;
  for (const auto& [op, kernels] : finalists) {
    all = std::max(all, kernels.size());
    contenders[op] = {kernels, incumbents(op)};
  }
  const double left_s = options_.budget_s - record_.now_s();
  // The best all in all, on each screening shape, and of the general ones.
  const std::size_t least =
      2 + screening_costs(options_.ops, options_.shapes, rates(), {}).shapes().size();
  for (std::size_t most = all; most > 0; --most) {
    const std::size_t most_incumbents = most == all ? SIZE_MAX : most;
    Lineup lineup =
        tilewright::make_lineup(contenders, most, most_incumbents, options_.shapes, movers_);
    // Below `least` there is no specialist to lose any more but for time.
    const int rounds = most > least || most == all ? kWantedRounds : 1;
    const double seconds =
        predicted_finals_s(lineup, record_.contents().outcomes, options_.shapes, measure_, rounds);
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
    if (!tune_movers(finalists)) return false;
    make_lineup(finalists);
  }
  return run_finals(crew_, record_, measure_, options_.budget_s, progress) != FinalsEnd::kStopped;
}

}  // namespace tilewright

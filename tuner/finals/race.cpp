#include "tuner/finals/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tuner/finals/lineup.hpp"

namespace tilewright {
namespace {

// From so many sweeps on, who is so many times behind leaves; and who surely loses by more than so
// much.
struct Thinning {
  std::size_t sweeps;
  double behind;
  double surely_behind;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kManySweeps = 25;  // from which on more than the best sample counts
constexpr Thinning kThinnings[] = {{1, 3.0, kInfinity},
                                   {3, 1.3, kInfinity},
                                   {10, 1.15, kInfinity},
                                   {kManySweeps, 1.06, 1.02},
                                   {60, 1.03, 1.01}};
constexpr std::size_t kSomeForks = 3;  // that say how processes differ
constexpr double kCloseBehind = 1.03;  // whether such a way wins is to be settled
// Half a 95 % interval of what is known finely enough: two such times are told apart where they
// are no tie.
constexpr double kFine = 0.002;
// Of an op that race to the end, but for those that surely lose: few finalists tell no pace
// (sweeps.hpp).
constexpr std::size_t kLeastWays = 8;

const Thinning& thinning_after(std::size_t sweeps) {
  const Thinning* last = kThinnings;
  for (const Thinning& thinning : kThinnings) {
    if (sweeps >= thinning.sweeps) last = &thinning;
  }
  return *last;
}

}  // namespace

Race::Race(const Lineup& lineup, const GemmShape& shape, const std::optional<DeviceRates>& rates)
    : lineup_(lineup), shape_(shape) {
  for (const Way& way : lineup.ways) {
    finalists_.push_back(finalists_of(way, lineup, shape));
    launches_ns_.push_back(rates ? launches_ns(way, finalists_.back().size(), *rates) : 0.0);
  }
}

Race::Progress Race::progress(const std::vector<Sweep>& sweeps) const {
  Progress progress;
  std::set<int> forks;
  for (const Sweep& sweep : sweeps) {
    if (sweep.shape != shape_) continue;
    ++progress.sweeps;
    forks.insert(sweep.fork);
  }
  progress.forks = forks.size();
  return progress;
}

Race::Standing Race::standing(std::size_t way, const CorrectedSweeps& times,
                              const std::map<std::size_t, std::string>& failures) const {
  const std::vector<std::size_t>& finalists = finalists_[way];
  const bool known = !finalists.empty() &&
                     std::all_of(finalists.begin(), finalists.end(), [&](std::size_t finalist) {
                       return failures.count(finalist) == 0 && times.samples.count(finalist) > 0;
                     });
  if (!known) return {{kInfinity, 0.0}, kInfinity, kInfinity, false};
  const double launches_ns = launches_ns_[way];
  Standing standing{{launches_ns, 0.0}, launches_ns, launches_ns, true};
  for (const std::size_t finalist : finalists) {
    const std::vector<double>& ns = times.samples.at(finalist);
    const Known time = times.time_of(finalist);
    standing.time.value += time.value;
    standing.time.uncertainty += time.uncertainty;
    standing.median += quantile(ns, 0.5);
    standing.least += *std::min_element(ns.begin(), ns.end());
    standing.has_forks = standing.has_forks && times.forks.at(finalist).size() >= kSomeForks;
  }
  return standing;
}

std::map<Op, Race::Standing> Race::best_of(const std::vector<Standing>& standings) const {
  std::map<Op, Standing> best;
  for (std::size_t way = 0; way < standings.size(); ++way) {
    const auto [place, is_first] = best.emplace(lineup_.ways[way].op, standings[way]);
    const bool better = standings[way].time.value < place->second.time.value;
    if (!is_first && better) place->second = standings[way];
  }
  return best;
}

bool Race::may_win(const Standing& standing, const Standing& best, std::size_t sweeps) const {
  if (standing.time.value == kInfinity) return false;
  const Thinning& thinning = thinning_after(sweeps);
  const double counts = sweeps < kManySweeps ? standing.least : standing.hope();
  const bool surely_behind =
      standing.has_forks && best.has_forks &&
      standing.time.value - standing.time.uncertainty > best.time.value + best.time.uncertainty &&
      standing.time.value > thinning.surely_behind * best.time.value;
  return counts <= thinning.behind * best.median && !surely_behind;
}

// The greatest time with which a way of the op is among those that race on.
std::map<Op, double> Race::last_places(const std::vector<Standing>& standings, double time) const {
  std::map<Op, std::vector<double>> times;
  for (std::size_t way = 0; way < standings.size(); ++way) {
    const double ns = standings[way].hope();
    if (ns < kInfinity) times[lineup_.ways[way].op].push_back(ns);
  }
  std::map<Op, double> last;
  for (auto& [op, of_op] : times) {
    std::sort(of_op.begin(), of_op.end());
    const auto all = static_cast<double>(of_op.size());
    const auto places = static_cast<std::size_t>(std::ceil(std::pow(all, 1.0 - time)));
    last[op] = of_op[std::min(std::max(places, kLeastWays), of_op.size()) - 1];
  }
  return last;
}

Race::Position Race::after(const std::vector<Sweep>& sweeps,
                           const std::map<std::size_t, std::string>& failures, double time) const {
  const Progress progress = this->progress(sweeps);
  const CorrectedSweeps times = corrected(sweeps, shape_);
  std::vector<Standing> standings;
  for (std::size_t way = 0; way < finalists_.size(); ++way) {
    standings.push_back(standing(way, times, failures));
  }
  const std::map<Op, Standing> best = best_of(standings);
  // Else there is nothing to compare with yet.
  const bool any_known = std::any_of(best.begin(), best.end(), [](const auto& of_op) {
    return of_op.second.time.value < kInfinity;
  });
  std::set<std::size_t> runs;
  if (failures.count(lineup_.reference) == 0) runs.insert(lineup_.reference);
  const bool many = progress.sweeps >= kManySweeps && progress.forks >= kSomeForks;
  const std::map<Op, double> last = last_places(standings, many ? time : 0.0);
  Position position;
  position.settled = many;
  for (std::size_t way = 0; way < finalists_.size(); ++way) {
    const Standing& own = standings[way];
    const Standing& of_op = best.at(lineup_.ways[way].op);
    if (any_known && !may_win(own, of_op, progress.sweeps)) continue;
    const auto place = last.find(lineup_.ways[way].op);
    if (place != last.end() && own.hope() > place->second) continue;
    for (const std::size_t finalist : finalists_[way]) {
      if (failures.count(finalist) == 0) runs.insert(finalist);
    }
    const bool close = own.time.value <= kCloseBehind * of_op.time.value;
    if (close && !(own.time.uncertainty <= kFine * own.time.value)) position.settled = false;
  }
  position.runs = {runs.begin(), runs.end()};
  return position;
}

}  // namespace tilewright

#include "tuner/race.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "tuner/lineup.hpp"
#include "tuner/sweeps.hpp"

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
constexpr double kCloseBehind = 1.03;  // whether such a way wins is to be settled
constexpr double kFine = 0.004;        // half a 95 % interval of what is known finely enough

const Thinning& thinning_after(std::size_t sweeps) {
  const Thinning* last = kThinnings;
  for (const Thinning& thinning : kThinnings) {
    if (sweeps >= thinning.sweeps) last = &thinning;
  }
  return *last;
}

}  // namespace

Race::Race(const Lineup& lineup, const GemmShape& shape) : lineup_(lineup), shape_(shape) {
  for (const Way& way : lineup.ways) racers_.push_back(racers_of(way, lineup, shape));
}

std::size_t Race::count(const std::vector<Sweep>& sweeps) const {
  return static_cast<std::size_t>(std::count_if(
      sweeps.begin(), sweeps.end(), [&](const Sweep& sweep) { return sweep.shape == shape_; }));
}

std::vector<Race::Standing> Race::standings(
    const std::vector<Sweep>& sweeps, const std::map<std::size_t, std::string>& failures) const {
  const auto samples = corrected_samples(sweeps, shape_);
  const auto heats = corrected_heats(sweeps, shape_);
  std::vector<Standing> standings;
  for (const std::vector<std::size_t>& racers : racers_) {
    const bool known =
        !racers.empty() && std::all_of(racers.begin(), racers.end(), [&](std::size_t racer) {
          return failures.count(racer) == 0 && samples.count(racer) > 0;
        });
    Standing standing{{kInfinity, 0.0}, kInfinity};
    if (known) standing = {{0.0, 0.0}, 0.0};
    for (std::size_t i = 0; known && i < racers.size(); ++i) {
      const std::vector<double>& ns = samples.at(racers[i]);
      const Known time = known_of(ns, heats.at(racers[i]));
      standing.time.value += time.value;
      standing.time.uncertainty += time.uncertainty;
      // Few samples may all but one have met slow moments of the machine, which slow kernels down
      // and never make them faster.
      standing.least += *std::min_element(ns.begin(), ns.end());
    }
    standings.push_back(standing);
  }
  return standings;
}

std::map<Op, Known> Race::best_of(const std::vector<Standing>& standings) const {
  std::map<Op, Known> best;
  for (std::size_t way = 0; way < standings.size(); ++way) {
    const Known& time = standings[way].time;
    const auto [place, is_first] = best.emplace(lineup_.ways[way].op, time);
    if (!is_first && time.value < place->second.value) place->second = time;
  }
  return best;
}

bool Race::may_win(const Standing& standing, const Known& best, std::size_t sweeps) const {
  const Known& time = standing.time;
  if (time.value == kInfinity) return false;
  const Thinning& thinning = thinning_after(sweeps);
  const double counts = sweeps < kManySweeps ? standing.least : time.value;
  const bool surely = time.value - time.uncertainty > best.value + best.uncertainty &&
                      time.value > thinning.surely_behind * best.value;
  return counts <= thinning.behind * best.value && !surely;
}

std::vector<std::size_t> Race::still_racing(
    const std::vector<Sweep>& sweeps, const std::map<std::size_t, std::string>& failures) const {
  const std::size_t count = this->count(sweeps);
  const std::vector<Standing> standings = this->standings(sweeps, failures);
  const std::map<Op, Known> best = best_of(standings);
  std::set<std::size_t> runs;
  if (failures.count(lineup_.reference) == 0) runs.insert(lineup_.reference);
  for (std::size_t way = 0; way < racers_.size(); ++way) {
    const Known& best_time = best.at(lineup_.ways[way].op);
    const bool known = count > 0 && best_time.value < kInfinity;
    if (known && !may_win(standings[way], best_time, count)) continue;
    for (const std::size_t racer : racers_[way]) {
      if (failures.count(racer) == 0) runs.insert(racer);
    }
  }
  return {runs.begin(), runs.end()};
}

bool Race::is_settled(const std::vector<Sweep>& sweeps,
                      const std::map<std::size_t, std::string>& failures) const {
  const std::size_t count = this->count(sweeps);
  if (count < kManySweeps) return false;
  const std::vector<Standing> standings = this->standings(sweeps, failures);
  const std::map<Op, Known> best = best_of(standings);
  for (std::size_t way = 0; way < racers_.size(); ++way) {
    const Known& best_time = best.at(lineup_.ways[way].op);
    const Known& time = standings[way].time;
    const bool close =
        may_win(standings[way], best_time, count) && time.value <= kCloseBehind * best_time.value;
    if (close && time.uncertainty > kFine * time.value) return false;
  }
  return true;
}

}  // namespace tilewright

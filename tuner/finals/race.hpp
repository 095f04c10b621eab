// Who still races on a shape, and when is it decided there?
//
// Pure: a line-up and its sweeps in, finalists out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/finals/sweeps.hpp"
#include "tuner/records/finals_record.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {

class Race {
 public:
  // The line-up must outlive it. `rates` say what launches beside products cost; else they cost
  // nothing.
  Race(const Lineup& lineup, const GemmShape& shape, const std::optional<DeviceRates>& rates = {});

  struct Position {
    // The finalists that still run: products that belong to a way that may still be the best of its
    // op, the packs that those need, and the reference. All in the first round; in the next two all
    // but who is three times behind; then who is within 30 %, after ten within 15 %. Up to 25 a
    // finalist's best sample counts, since the others may have met slow moments of the machine.
    // After that its median or, where that is less, the mean of its forks does: who is within 6 %
    // goes on, after 60 within 3 %, but for those that lose by more than 2 % (after 60: 1 %) and
    // more than both 95 % intervals, after three forks. After 25 sweeps and three forks the n^(1 -
    // time) best of n ways of an op do, eight at least: as time goes, it goes to ever fewer. (By
    // what is known of them, or by the median of all samples where that is less: one bad fork does
    // not move it.) Failed ones never.
    std::vector<std::size_t> runs;
    // There were 25 sweeps of the shape and three forks, and all ways that still race within 3 % of
    // the best of their op are known to 0.2 %, half of a 95 % interval.
    bool settled = false;
  };
  // `time`: the part of the race's time that is over, 0 to 1. Halving the field at equal distances
  // finds the best of many in a given time (sequential halving: Karnin, Koren and Somekh 2013,
  // "Almost optimal exploration in multi-armed bandits"). 0 also where it has no end.
  Position after(const std::vector<Sweep>& sweeps,
                 const std::map<std::size_t, std::string>& failures, double time = 0.0) const;

 private:
  // What is known of a way, end to end; infinity: nothing.
  struct Standing {
    Known time;
    double median = 0.0;     // the same by medians of all samples: one bad fork does not move it
    double least = 0.0;      // by the best samples
    bool has_forks = false;  // of three at least
    // What it may take if one bad fork was bad luck.
    double hope() const { return std::min(time.value, median); }
  };
  // How far it has come on the shape.
  struct Progress {
    std::size_t sweeps = 0;
    std::size_t forks = 0;
  };
  Standing standing(std::size_t way, const CorrectedSweeps& times,
                    const std::map<std::size_t, std::string>& failures) const;
  std::map<Op, Standing> best_of(const std::vector<Standing>& standings) const;
  std::map<Op, double> last_places(const std::vector<Standing>& standings, double time) const;
  bool may_win(const Standing& standing, const Standing& best, std::size_t sweeps) const;
  Progress progress(const std::vector<Sweep>& sweeps) const;

  const Lineup& lineup_;
  GemmShape shape_;
  std::vector<std::vector<std::size_t>> finalists_;  // of each way
  std::vector<double> launches_ns_;                  // likewise: of what runs beside the product
};

}  // namespace tilewright

// Who still races on a shape, and when is it decided there?
//
// Pure: a line-up and its sweeps in, racers out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tuner/finals_record.hpp"
#include "tuner/statistics.hpp"
#include "tuner/sweeps.hpp"

namespace tilewright {

class Race {
 public:
  // The line-up must outlive it.
  Race(const Lineup& lineup, const GemmShape& shape);

  struct Position {
    // The racers that still run: products that belong to a way that may still be the best of its
    // op, the packs that those need, and the reference. All in the first round; in the next two all
    // but who is three times behind; then who is within 30 %, after ten within 15 %. Up to 25 a
    // racer's best sample counts, since the others may have met slow moments of the machine. After
    // that its median does: who is within 6 % goes on, after 60 within 3 %, but for those that lose
    // by more than 2 % (after 60: 1 %) and more than both 95 % intervals, after three heats. Failed
    // ones never.
    std::vector<std::size_t> runs;
    // There were 25 sweeps of the shape and three heats, and all ways that still race within 3 % of
    // the best of their op are known to 0.4 %, half of a 95 % interval.
    bool settled = false;
  };
  Position after(const std::vector<Sweep>& sweeps,
                 const std::map<std::size_t, std::string>& failures) const;

 private:
  // What is known of a way, without launches; infinity: nothing.
  struct Standing {
    Known time;
    double median = 0.0;     // the same by medians of all samples: one bad heat does not move it
    double least = 0.0;      // by the best samples
    bool has_heats = false;  // of three at least
  };
  // How far it has come on the shape.
  struct Progress {
    std::size_t sweeps = 0;
    std::size_t heats = 0;
  };
  Standing standing(const std::vector<std::size_t>& racers, const CorrectedSweeps& times,
                    const std::map<std::size_t, std::string>& failures) const;
  std::map<Op, Standing> best_of(const std::vector<Standing>& standings) const;
  bool may_win(const Standing& standing, const Standing& best, std::size_t sweeps) const;
  Progress progress(const std::vector<Sweep>& sweeps) const;

  const Lineup& lineup_;
  GemmShape shape_;
  std::vector<std::vector<std::size_t>> racers_;  // of each way
};

}  // namespace tilewright

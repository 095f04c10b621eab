// Which of the best candidates wins on each shape?
//
// Rounds over all shapes; on each shape a sweep takes one sample of each finalist, in random order,
// with a reference at its begin and end. So whatever the machine does for seconds meets all alike,
// and is seen. Who is clearly behind on a shape leaves it, and as time goes, it goes to ever fewer:
// race.hpp. After some rounds another worker process
// goes on, since processes differ, too: forks.hpp.
#pragma once

#include <functional>

#include "tuner/records/tuning_record.hpp"
#include "tuner/worker/workers.hpp"

namespace tilewright {

// Of a shape on which those who may win are not known finely enough before. Finals that have no
// time for so many end earlier.
inline constexpr int kMostRounds = 500;

struct FinalsProgress {
  int round = 0;
  GemmShape shape;
  std::size_t finalists = 0;  // that ran in this sweep
  double share = 0.0;         // of the finals' time that is over; they may end earlier
};

enum class FinalsEnd { kDone, kTime, kStopped };

// Races the record's line-up for `rounds` rounds or until `until_s` of the record's clock; a sweep
// that is predicted to end later is not begun. What the record holds of it already counts. kDone:
// no more are needed.
FinalsEnd run_finals(Workers& workers, TuningRecord& record, const MeasureOptions& options,
                     double until_s, int rounds,
                     const std::function<void(const FinalsProgress&)>& progress);

// Predicted seconds of the first `rounds` rounds of a line-up, by what the outcomes say of its
// kernels.
double predicted_finals_s(const Lineup& lineup, const std::vector<Outcome>& outcomes,
                          const std::vector<GemmShape>& shapes, const MeasureOptions& options,
                          int rounds);

}  // namespace tilewright

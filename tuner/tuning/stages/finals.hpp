// Which of the best candidates wins on each shape?
//
// Block after block, each in a worker process of its own: rounds over all shapes, in each on each
// shape one sample of each finalist that is still in, in random order. Which go on: blocks.hpp.
#pragma once

#include <functional>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/search/auxiliary_cost.hpp"

namespace tilewright {

// In a hundred blocks even kernels that differ by a hundredth from process to process are told from
// others. Finals that have no time for so many end earlier.
inline constexpr int kMaxRounds = 500;

struct FinalsProgress {
  int round = 0;
  GemmShape shape;
  std::size_t finalists = 0;  // that ran in this round
  double share = 0.0;         // of the finals' time that is over; they may end earlier
};

enum class FinalsEnd { kDone, kTime, kStopped };

// Measures the record's line-up for `rounds` rounds or until `until_s` of the record's clock; a
// round that is predicted to end later is not begun. What the record holds of it already counts.
// kDone: no more are needed.
FinalsEnd run_finals(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& options,
                     double until_s, int rounds,
                     const std::function<void(const FinalsProgress&)>& progress);

// Predicted seconds of the first `rounds` rounds of a line-up, by what the outcomes say of its
// kernels.
double predicted_finals_s(const Lineup& lineup, const std::vector<Outcome>& outcomes,
                          const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary,
                          const MeasureOptions& options, int rounds);

}  // namespace tilewright

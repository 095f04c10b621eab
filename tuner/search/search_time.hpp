// What did a search's time go into?
#pragma once

#include <algorithm>

#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// Of each moment one: kMeasuring: a candidate is verified or measured. kCompiling: that has to
// wait, for a candidate is built or loaded. kWaiting: neither; workers start, or lines are synced.
enum class SearchActivity { kMeasuring, kCompiling, kWaiting };

// `measurer`: what the worker that measures has announced; null: it is idle. `compiling`: some
// worker compiles ahead. What is compiled beside a measurement costs no time.
inline SearchActivity activity_of(const WorkerActivity* measurer, bool compiling) {
  if (measurer != nullptr && measurer->kind == WorkerActivityKind::kLaunch)
    return SearchActivity::kMeasuring;
  const bool builds = measurer != nullptr && measurer->kind == WorkerActivityKind::kBuild;
  return builds || compiling ? SearchActivity::kCompiling : SearchActivity::kWaiting;
}

// When the time of a phase is over, the candidate that is measured may go on so long.
inline double allowed_overrun_s(double phase_s) {
  return std::clamp(0.1 * phase_s, 0.5, 3.0);
}

struct SearchTime {
  int candidates = 0;
  double measuring_s = 0.0;
  double compiling_s = 0.0;
  double waiting_s = 0.0;

  double all_s() const { return measuring_s + compiling_s + waiting_s; }
  void spend(SearchActivity activity, double seconds) {
    double& sum = activity == SearchActivity::kMeasuring   ? measuring_s
                  : activity == SearchActivity::kCompiling ? compiling_s
                                                           : waiting_s;
    sum += seconds;
  }
  SearchTime& operator+=(const SearchTime& other) {
    candidates += other.candidates;
    measuring_s += other.measuring_s;
    compiling_s += other.compiling_s;
    waiting_s += other.waiting_s;
    return *this;
  }
};

}  // namespace tilewright

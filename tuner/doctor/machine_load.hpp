// Measures how much other programs use the processors while tilewright measures.
//
// Figures from a busy machine are unreliable. Times alone do not show it: under a constant load all
// of them are equally long.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/journal/records/statistics.hpp"

namespace tilewright {

// What the processors have done until a moment, in seconds.
struct ProcessorTime {
  double at_s = 0.0;    // of the moment
  double used_s = 0.0;  // by all programs, on all cores
  double own_s = 0.0;   // by this process and its child processes that have ended
  int cores = 0;
  double load_average = 0.0;  // of the last minute; includes this process
};

// Reads /proc/stat and /proc/loadavg below `root` and the time of this process. Returns nullopt if
// the files cannot be read.
std::optional<ProcessorTime> processor_time(const std::string& root = "/");

// Returns for example "other programs use 1.4 of 2 cores (load 6.2)"; "" if they used less
// than a fifth of the cores between two moments, or if this is unknown.
std::string busy_text(const std::optional<ProcessorTime>& from,
                      const std::optional<ProcessorTime>& to);

// Observes the machine from construction on. The constructor waits 0.2 s.
class LoadWatch {
 public:
  LoadWatch();

  // Returns a warning for the start of a measurement; "" if the machine was idle before.
  std::string at_start() const;
  // Returns a warning for the end, when all child processes have ended; "" if the machine was idle
  // meanwhile. `times` are the summaries of samples that would be equal on an idle machine.
  std::string at_end(const std::vector<Summary>& times) const;

 private:
  std::optional<ProcessorTime> before_;
  std::optional<ProcessorTime> start_;
};

// Returns the median over the summaries of (90th - 10th percentile) / median; 0 if there are none.
double typical_spread(const std::vector<Summary>& times);

}  // namespace tilewright

// What the stages of a tuning share.
#pragma once

#include <stdexcept>
#include <variant>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

struct TuneContext {
  DeviceWorker& worker;    // measures
  TuningJournal& journal;  // also the clock of the tuning
  const TuneOptions& options;
  TuneProgress& progress;

  // Returns the remaining time of the tuning in seconds.
  double left_s() const { return options.budget_s - journal.now_s(); }
};

// Measures the kernels of a request, and adds their outcomes to the journal. If the worker was lost
// and the request asks for one process, the outcomes have no samples. Throws DeviceLost and
// JournalError.
std::variant<Outcomes, Stopped, OutOfTime> measure(TuneContext& context,
                                                   const MeasureRequest& request);

// No candidate for an op works, or none was tried.
class NoUsableKernel : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// There was no time for any candidate. what() names what is missing.
class NothingTried : public NoUsableKernel {
  using NoUsableKernel::NoUsableKernel;
};

}  // namespace tilewright

// How does a device get its profile?
//
// The supervisor's story: open the device (in a worker), measure its rates, search each op's space,
// find pack kernels, hold the finals, choose. All that is learnt goes into the journal first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/finals/best_so_far.hpp"
#include "tuner/finals/finals.hpp"
#include "tuner/search/search_time.hpp"
#include "tuner/search/tune_options.hpp"

namespace tilewright {

// What a tuning tells while it runs. All functions are called from the tuning thread.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;

  struct State {
    std::string phase;          // "NN" ..., "packed"
    int tried = 0;              // candidates of this phase
    double valid = 0.0;         // points of its space, or that may be tried; 0: not counted
    bool is_last = false;       // no other phase of the search follows
    int all_tried = 0;          // candidates of all phases of the search
    double all_expected = 0.0;  // an estimate of how many that will be at its end; 0: unknown
    double phase_spent_s = 0.0;
    double phase_budget_s = 0.0;
    double total_left_s = 0.0;             // of the whole budget
    double best_gflops = 0.0;              // of any kernel so far, on any shape; 0: none yet
    double peak_gflops = 0.0;              // of the device; 0: unknown
    std::string best_kernel;               // that one
    GemmShape best_shape;                  // there
    std::map<OutcomeClass, int> failures;  // of all phases
    BestSoFar best;                        // of all kernels
  };

  // The device is open. `resumed`: candidates that the journal held already.
  virtual void begin(const DeviceInfo& device, const std::string& journal, std::size_t resumed) = 0;
  // `partial`: there was no time for all of them.
  virtual void rates(const DeviceRates& rates, Precision precision, bool partial) = 0;
  virtual void candidate(const State& state) = 0;
  virtual void finals(const FinalsProgress& progress, double left_s) = 0;
  // Before each build and launch, whatever stage it belongs to; seconds left of the whole budget.
  virtual void working(double /*left_s*/) {}
  // Something that the user should know.
  virtual void note(const std::string& text) = 0;
};

struct TuneResult {
  std::string output;   // path where the profile should go
  std::string journal;  // path
  JournalContents contents;
  SearchTime search;     // of this session
  Profile profile;       // empty of kernels if no candidate was tried before the end
  bool stopped = false;  // by the user
  bool complete = false;
  // Why the tuning ended early, and what to do: the device was given up, the journal cannot be
  // written, or no candidate of an op works. Empty: it did not.
  std::string failure;
};

// Tunes one device. Throws Error if the device or its driver is broken from the start, JournalError
// and UsageError for what the user can mend, StoppedBeforeWork.
TuneResult tune(const TuneOptions& options, TuneObserver& observer);

}  // namespace tilewright

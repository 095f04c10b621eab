// What a person sees while a tuning runs: one line, of what is done, how long it will take, and the
// best kernel so far.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"
#include "tuner/tuning/live_line.hpp"
#include "tuner/tuning/stages/finals.hpp"

namespace tilewright {

// How far the searches are.
struct SearchProgress {
  std::string phase;      // "NN" ..., "packed", "built-in"
  int tried = 0;          // candidates of all phases
  double expected = 0.0;  // an estimate of how many that will be at the end; 0: unknown
};

// Writes to standard error: on a terminal a line that changes in place, else a line a minute. Every
// figure of seconds that are left is an upper limit. All calls are made by the tuning's thread.
class TuneProgress {
 public:
  using Write = std::function<void(const std::string&)>;
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  TuneProgress();
  // Writes elsewhere.
  TuneProgress(Write write, bool terminal, Now now = std::chrono::steady_clock::now);

  // Returns lines that begin() prints first: what the user should know about this device. May be
  // empty.
  std::function<std::vector<std::string>(const DeviceInfo&)> device_notes;

  // The device is open. `resumed`: outcomes that the journal held already.
  void begin(const DeviceInfo& device, const std::string& journal, std::size_t resumed);
  // `partial`: there was no time for all of them.
  void rates(const DeviceRates& rates, Precision precision, bool partial);
  // Counts towards the best so far and the failures: of this session, or of an earlier one.
  void outcome(const Outcome& outcome);

  // What is at work, for how long at most. working() is called before each build and launch, so
  // that no stage is silent.
  void working(double left_s);
  void stage(const std::string& name) { stage_ = done_ = name; }
  void search(const SearchProgress& progress, double left_s);
  void finals(const FinalsProgress& progress, double left_s);

  // A line that stays: something that the user should know.
  void note(const std::string& text);

 private:
  void show(const std::string& stage, double left_s);
  std::string best_text() const;

  Write write_;
  LiveLine live_;
  bool terminal_;
  Now now_;
  std::string stage_;  // of the last line
  std::string done_;   // in the present stage
  struct Best {
    double gflops = 0.0;  // of any kernel, on any shape; 0: none yet
    KernelId kernel;
    GemmShape shape;
  };
  Best best_;
  double peak_gflops_ = 0.0;  // 0: unknown
  std::map<OutcomeClass, int> counts_;
  std::chrono::steady_clock::time_point finals_start_;
  double finals_start_share_ = 0.0;  // of their time that was over before
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tilewright

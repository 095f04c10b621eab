// Shows the progress of a tuning on one line: what is done, how long it will take, and the best
// kernel so far.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"
#include "tuner/tuning/report/live_line.hpp"

namespace tilewright {

// The progress of the searches.
struct SearchProgress {
  std::string task;       // "NN" ..., "packed", "built-in"
  int tried = 0;          // candidates of all searches
  double expected = 0.0;  // estimated total; 0: unknown
};

// The progress of the finals.
struct FinalsProgress {
  int round = 0;
  GemmShape shape;
  std::size_t finalists = 0;  // number that ran in this round
  double share = 0.0;         // part of the finals' time that is over; they may end earlier
};

// Writes to standard error: on a terminal, a line that is updated in place; otherwise, a line per
// minute. All remaining times are upper limits. All functions must be called from the tuning's
// thread.
class TuneProgress {
 public:
  // Writes text to the terminal.
  using Write = std::function<void(const std::string&)>;
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  TuneProgress();
  // Writes with `write` instead.
  TuneProgress(Write write, bool terminal, Now now = std::chrono::steady_clock::now);

  // Returns lines that begin() prints first: what the user should know about this device. May be
  // empty.
  std::function<std::vector<std::string>(const DeviceInfo&)> device_notes;

  // Called when the device is open. `resumed` is the number of outcomes that the journal already
  // contains.
  void begin(const DeviceInfo& device, const std::string& journal, std::size_t resumed);
  // `partial` is true if there was no time for all rates.
  void rates(const DeviceRates& rates, Precision precision, bool partial);
  // Counts an outcome of this session or an earlier one for the best kernel and the failures.
  void outcome(const Outcome& outcome);

  // These set what is in progress, and the maximum remaining time in seconds. working() is called
  // before each build and launch, so that every stage shows some progress.
  void working(double left_s);
  void stage(const std::string& name) { stage_ = done_ = name; }
  void search(const SearchProgress& progress, double left_s);
  void finals(const FinalsProgress& progress, double left_s);

  // Prints a permanent line for the user.
  void note(const std::string& text);

 private:
  void show(const std::string& stage, double left_s);
  std::string best_text() const;

  Write write_;
  LiveLine live_;
  bool terminal_;
  Now now_;
  std::string stage_;  // stage of the latest line
  std::string done_;   // what is done in the present stage
  struct BestKernel {
    double gflops = 0.0;  // of any kernel on any shape; 0: none yet
    KernelId kernel;
    GemmShape shape;
  };
  BestKernel best_;
  double peak_gflops_ = 0.0;  // 0: unknown
  std::map<OutcomeClass, int> counts_;
  std::chrono::steady_clock::time_point finals_start_;
  double finals_start_share_ = 0.0;  // part of the finals' time that had passed before
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tilewright

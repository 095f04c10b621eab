// Runs one search on a device that may crash, hang or slow down.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "tuner/process/compilers.hpp"
#include "tuner/search/cost.hpp"
#include "tuner/search/reference.hpp"
#include "tuner/search/search.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Returns how long a candidate may still be measured after the time of its task is over, in
// seconds.
double allowed_overrun_s(double task_s);

// One search: proposes candidates, has them compiled and measured, and records their outcomes.
// While a candidate is measured, compilers build the next ones. Not thread-safe.
class SearchRun {
 public:
  // Why a search ended: the time was over, all candidates were tried, or a stop was requested.
  enum class End { kTime, kExhausted, kStopped };

  // All references must outlive the run. Outcomes of this task that the journal already contains
  // are reported to the strategy. `name` is the name of the task in outcomes.
  SearchRun(TuneContext& context, Compilers& compilers, SearchStrategy& strategy, CostModel costs,
            std::string name);

  // Tries candidates until the journal's clock reaches `until_s`, until no candidates are left, or
  // until a stop is requested. Calls `done` with each outcome. `most` limits the number of
  // candidates of this task, including those in the journal; at the limit the search ends as if no
  // candidates were left. Throws DeviceLost and JournalError.
  End run(double until_s, int most, const std::function<void(const Outcome&)>& done);

 private:
  End search(double until_s);
  // Returns the next candidate without an outcome; nullopt if there is none.
  std::optional<KernelId> propose();
  // Records that a kernel supports none of the shapes.
  void refuse(const KernelId& kernel);
  // Gives candidates to the compilers.
  void hand_out(double left_s);
  // Measures a kernel that needed `built_s` seconds to compile; 0: it is not compiled yet. It is
  // given up without an outcome when the journal's clock reaches `give_up_s`.
  void measure(const KernelId& kernel, double built_s, double give_up_s);
  // Records an outcome, learns from it and passes it on.
  void take(Outcome outcome);
  void learn(const Outcome& outcome);

  TuneContext& context_;
  Compilers& compilers_;
  SearchStrategy& strategy_;
  CostModel costs_;
  std::string name_;
  std::function<void(const Outcome&)> done_;
  std::set<std::string> suspects_;  // texts of kernels during which the machine went down
  // To be measured without being compiled before, when nothing else is in progress: a suspect, so
  // that a second failure is certainly its fault, or any candidate if there are no compilers.
  std::optional<KernelId> alone_;
  // Time that the latest candidate took to measure, in earlier sessions with compiling; 0: none
  // yet.
  double trial_s_ = 0.0;
  int max_candidates_ = 0;
  bool exhausted_ = false;
  Reference reference_;
};

}  // namespace tilewright

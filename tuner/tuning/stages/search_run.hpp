// Runs one search on a device that may crash, hang or slow down.
#pragma once

#include <deque>
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

// One search: proposes candidates, has them compiled and measured, and records their outcomes. Not
// thread-safe.
class SearchRun {
 public:
  // Why a search ended: the time was over, all candidates were tried, or a stop was requested.
  enum class End { kTime, kExhausted, kStopped };

  // All references must outlive the run. Outcomes of this task that the journal already contains
  // are reported to the strategy. `name` is the name of the task in outcomes.
  SearchRun(TuneContext& context, const Compilers& compilers, SearchStrategy& strategy,
            CostModel costs, std::string name);

  // Tries candidates until the journal's clock reaches `until_s`, until no candidates are left, or
  // until a stop is requested. Calls `done` with each outcome. `most` limits the number of
  // candidates of this task, including those in the journal; at the limit the search ends as if no
  // candidates were left. Throws DeviceLost and JournalError.
  End run(double until_s, int most, const std::function<void(const Outcome&)>& done);

 private:
  // Returns the next candidate without an outcome; nullopt if there is none.
  std::optional<KernelId> propose();
  // Records that a kernel supports none of the shapes.
  void refuse(const KernelId& kernel);
  // Collects results of the workers.
  void collect();
  // Gives work to idle workers.
  void hand_out(double left_s);
  // Returns true if no other work may be given out.
  bool hand_out_suspect(bool time_is_left);
  // Stops all workers.
  void give_up();
  bool anyone_busy() const;
  void wait();
  std::size_t compiling_now() const;
  int at_work() const;
  // Measures a kernel that needed `built_s` seconds to compile; 0: it is not compiled yet.
  void start_trial(const KernelId& kernel, double built_s);
  // Records an outcome, learns from it and passes it on.
  void take(Outcome outcome);
  void learn(const Outcome& outcome);

  TuneContext& context_;
  const Compilers& compilers_;
  const bool takes_turns_;  // compiling and measuring must not overlap
  SearchStrategy& strategy_;
  CostModel costs_;
  std::string name_;
  std::function<void(const Outcome&)> done_;
  std::deque<Outcome> ready_;        // of compiling the candidates that wait to be measured
  std::set<std::string> suspects_;   // texts of kernels during which the machine went down
  std::optional<KernelId> suspect_;  // to be tried next, alone
  bool suspect_on_trial_ = false;
  double built_s_ = 0.0;  // time that compiling the candidate on trial took
  double trial_start_s_ = 0.0;
  // Time that the latest candidate took to measure, in earlier sessions with compiling; 0: none
  // yet.
  double trial_s_ = 0.0;
  double overrun_s_ = 0.0;  // how long a candidate may still be measured after the time is over
  // If compiling and measuring alternate: it is the turn of measuring.
  bool measuring_turn_ = false;
  int max_candidates_ = 0;
  bool exhausted_ = false;
  Reference reference_;
};

}  // namespace tilewright

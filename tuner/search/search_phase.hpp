// How is a space searched with a device that may crash, hang and slow down?
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "tuner/records/tuning_record.hpp"
#include "tuner/search/cost.hpp"
#include "tuner/search/reference.hpp"
#include "tuner/search/search.hpp"
#include "tuner/worker/compilers.hpp"

namespace tilewright {

// When the time of a phase is over, the candidate that is measured may go on so long.
double allowed_overrun_s(double phase_s);

class SearchPhase {
 public:
  enum class End { kTime, kExhausted, kStopped };

  // All must outlive the phase. What the record holds already is reported to the strategy.
  SearchPhase(DeviceWorker& worker, const Compilers& compilers, TuningRecord& record,
              SearchStrategy& strategy, CostModel costs, DeviceRates rates,
              const MeasureOptions& options, std::string name);

  // Tries candidates until `until_s` of the record's clock, until there are none left, or until a
  // stop is requested. `done` is told each outcome. `most`: that the phase may try, those that the
  // record holds included; then none are left.
  End run(double until_s, int most, const std::function<void(const Outcome&)>& done);

 private:
  struct Candidate {
    KernelId kernel;
    double prepared_s = 0.0;  // that compiling it ahead took
  };

  using Done = std::function<void(const Outcome&)>;

  std::optional<KernelId> propose(const Done& done);
  void refuse(const KernelId& kernel, const Done& done);
  void collect(const Done& done);
  void hand_out(bool time_is_left, const Done& done);
  bool hand_out_suspect(bool time_is_left);
  void give_up();
  bool anyone_busy() const;
  void wait();
  std::size_t compiling_now() const;
  int at_work() const;
  void start_trial(const Candidate& candidate);
  void take(Outcome outcome, double took_s, const Done& done);
  void learn(const Outcome& outcome);

  DeviceWorker& worker_;  // measures
  const Compilers& compilers_;
  const bool takes_turns_;  // compiling and measuring must not overlap
  TuningRecord& record_;
  SearchStrategy& strategy_;
  CostModel costs_;
  DeviceRates rates_;  // candidates are spelled by
  MeasureOptions options_;
  std::string name_;
  std::deque<Candidate> ready_;  // compiled, to be measured
  std::map<const DeviceWorker*, std::pair<KernelId, double>> compiling_;  // what, since
  Candidate on_trial_;
  std::set<std::string> suspects_;   // texts: the machine went down while they were at work
  std::optional<KernelId> suspect_;  // to be tried next, alone
  bool suspect_on_trial_ = false;
  double trial_begin_s_ = 0.0;
  bool measuring_turn_ = false;  // where compiling and measuring take turns
  int most_ = 0;
  bool exhausted_ = false;
  Reference reference_;
};

}  // namespace tilewright

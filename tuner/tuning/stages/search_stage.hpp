// Divides the search time of a tuning between its spaces and searches them.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/compilers.hpp"
#include "tuner/tuning/no_usable_kernel.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Runs the searches of a tuning.
class SearchStage {
 public:
  // All arguments must outlive the stage.
  SearchStage(DeviceWorker& worker, const Compilers& compilers, TuningJournal& journal,
              const TuneOptions& options, const std::vector<SearchTask>& tasks,
              TuneProgress& progress)
      : worker_(worker),
        compilers_(compilers),
        journal_(journal),
        options_(options),
        tasks_(tasks),
        progress_(progress) {}

  // Measures the baseline (baseline_stage.hpp) until the journal's clock reaches `until_s`. Returns
  // false if a stop was requested.
  bool measure_built_in(const MeasureOptions& measure, double until_s);
  // Returns true if an op has no candidate yet, although its space contains some.
  bool lacks_candidates() const;
  // Tries one candidate for each op that has none, until the journal's clock reaches `end_s`. Does
  // nothing if the number of candidates is limited. Returns false if a stop was requested.
  bool try_each_op(const MeasureOptions& measure, double end_s);
  // Throws NothingTried if no candidate was tried at all although there are some.
  void require_candidates() const;
  // Searches one space after the other until the journal's clock reaches `end_s`. Time that one
  // does not use goes to those after it. Returns false if a stop was requested. Throws
  // NoUsableKernel if only known points are to be tried and the space contains none.
  bool run(const MeasureOptions& measure, double end_s);
  // Sets the relative shares of the spaces in the search time, in the order of the tasks. Time that
  // was spent so far counts.
  void set_weights(std::vector<double> weights) { weights_ = std::move(weights); }
  // Returns true if no space has untried points.
  bool exhausted() const { return used_up_.size() == tasks_.size(); }
  // Returns the names of the parts for which there was no time.
  std::vector<std::string> missing() const;

 private:
  // Searches one space until the journal's clock reaches `until_s` or `most` candidates were tried
  // over all sessions. Returns false if a stop was requested.
  bool search(std::size_t index, const MeasureOptions& measure, double until_s, int most);
  // Tries one candidate if the space has none yet. A share of the time that is shorter than a
  // candidate would be spent in vain, so this one may take until `until_s`. Does nothing if the
  // number of candidates is limited. Returns false if a stop was requested.
  bool try_first(std::size_t index, const MeasureOptions& measure, double until_s);
  bool lacks_candidate(const SearchTask& task) const;
  // Returns the time for the search of a task in seconds, with what it has spent.
  double share_s(std::size_t index) const;
  void check_known() const;
  SearchProgress progress_in(const SearchTask& task) const;
  double left_s() const { return options_.budget_s - journal_.now_s(); }
  // The remaining time in seconds; less if the number of candidates is limited.
  double left_s(const SearchProgress& progress) const;
  const DeviceRates& rates() const { return *journal_.contents().rates; }

  DeviceWorker& worker_;
  const Compilers& compilers_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const std::vector<SearchTask>& tasks_;
  TuneProgress& progress_;
  std::vector<double> weights_ = task_weights(tasks_);
  std::set<std::string> used_up_;  // tasks whose spaces have no untried points
  double end_s_ = 0.0;             // of all searches, on the journal's clock
};

}  // namespace tilewright

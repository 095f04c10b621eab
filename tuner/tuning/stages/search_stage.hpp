// Divides the search time of a tuning between its spaces and searches them.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/process/compilers.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Runs the searches of a tuning.
class SearchStage {
 public:
  // All arguments must outlive the stage.
  SearchStage(TuneContext& context, Compilers& compilers, const std::vector<SearchTask>& tasks)
      : context_(context), compilers_(compilers), tasks_(tasks) {}

  // Returns true if an op has no candidate yet, although its space contains some.
  bool lacks_candidates() const;
  // Tries one candidate for each op that has none, until the journal's clock reaches `end_s`. Does
  // nothing if the number of candidates is limited. Returns false if a stop was requested.
  bool try_each_op(double end_s);
  // Throws NothingTried if no candidate was tried at all although there are some.
  void require_candidates() const;
  // Searches one space after the other until the journal's clock reaches `end_s`. Time that one
  // does not use goes to those after it. Returns false if a stop was requested. Throws
  // NoUsableKernel if only known points are to be tried and the space contains none.
  bool run(double end_s);
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
  bool search(std::size_t index, double until_s, int most);
  // Tries one candidate if the space has none yet. A share of the time that is shorter than a
  // candidate would be spent in vain, so this one may take until `until_s`. Does nothing if the
  // number of candidates is limited. Returns false if a stop was requested.
  bool try_first(std::size_t index, double until_s);
  bool lacks_candidate(const SearchTask& task) const;
  // Returns the time for the search of a task in seconds, with what it has spent.
  double share_s(std::size_t index) const;
  void check_known() const;
  SearchProgress progress_in(const SearchTask& task) const;
  // The remaining time in seconds; less if the number of candidates is limited.
  double left_s(const SearchProgress& progress) const;
  const DeviceRates& rates() const { return *context_.journal.contents().rates; }

  TuneContext& context_;
  Compilers& compilers_;
  const std::vector<SearchTask>& tasks_;
  std::vector<double> weights_ = task_weights(tasks_);
  std::set<std::string> used_up_;  // tasks whose spaces have no untried points
  double end_s_ = 0.0;             // of all searches, on the journal's clock
};

}  // namespace tilewright

// Divides a tuning's time for searching between its spaces.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/compilers.hpp"
#include "tuner/tuning/no_usable_kernel.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

class SearchStage {
 public:
  // All must outlive the stage.
  SearchStage(DeviceWorker& worker, const Compilers& compilers, TuningJournal& record,
              const TuneOptions& options, const std::vector<SearchTask>& tasks,
              TuneProgress& progress)
      : worker_(worker),
        compilers_(compilers),
        journal_(record),
        options_(options),
        tasks_(tasks),
        progress_(progress) {}

  // The kernels that serve without this tuning come first (baseline_stage.hpp). False: a stop was
  // requested.
  bool measure_built_in(const MeasureOptions& measure);
  // Searches one space after the other until `end_s` of the record's clock; what one does not use
  // goes to those after it. Likewise. Throws NoUsableKernel where only known points shall be tried
  // and none is in the space.
  bool run(const MeasureOptions& measure, double end_s);
  // No space has points left.
  bool exhausted() const { return used_up_.size() == tasks_.size(); }
  // What there was no time for, as names.
  std::vector<std::string> missing() const;

 private:
  bool search(std::size_t index, const MeasureOptions& measure, double end_s);
  void check_known() const;
  SearchProgress progress_in(const SearchTask& task) const;
  double left_s() const { return options_.budget_s - journal_.now_s(); }
  // The same, but less where candidates are counted.
  double left_s(const SearchProgress& progress) const;
  const DeviceRates& rates() const { return *journal_.contents().rates; }

  DeviceWorker& worker_;
  const Compilers& compilers_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const std::vector<SearchTask>& tasks_;
  TuneProgress& progress_;
  std::set<std::string> used_up_;  // tasks whose spaces have no points left
  double end_s_ = 0.0;             // of all searches, on the record's clock
};

}  // namespace tilewright

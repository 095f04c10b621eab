// How is a tuning's time for searching divided between its spaces, and what is told of it?
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/records/tuning_record.hpp"
#include "tuner/search/search_tasks.hpp"
#include "tuner/search/search_time.hpp"
#include "tuner/tuning/nothing_works.hpp"
#include "tuner/tuning/tuning.hpp"
#include "tuner/worker/compilers.hpp"

namespace tilewright {

class SearchStage {
 public:
  // All must outlive the stage.
  SearchStage(DeviceWorker& worker, const Compilers& compilers, TuningRecord& record,
              const TuneOptions& options, const std::vector<SearchTask>& tasks,
              TuneObserver& observer)
      : worker_(worker),
        compilers_(compilers),
        record_(record),
        options_(options),
        tasks_(tasks),
        observer_(observer) {}

  // The kernels that serve without this tuning come first (baseline_stage.hpp). False: a stop was
  // requested.
  bool measure_built_in(const MeasureOptions& measure);
  // Searches one space after the other until `end_s` of the record's clock; what one does not use
  // goes to those after it. Likewise. Throws NothingWorks where only known points shall be tried
  // and none is in the space.
  bool run(const MeasureOptions& measure, double end_s);
  // What run() spent.
  const SearchTime& time() const { return time_; }
  // No space has points left.
  bool exhausted() const { return used_up_.size() == tasks_.size(); }
  // What there was no time for, as names.
  std::vector<std::string> missing() const;

 private:
  struct Best {
    double gflops = 0.0;
    KernelId kernel;
    GemmShape shape;
  };
  bool search(std::size_t index, const MeasureOptions& measure, double end_s);
  void note_best(const Outcome& outcome);
  void check_known() const;
  TuneObserver::State state_of(const SearchTask& task, double budget_s, int most) const;
  void add_totals(TuneObserver::State& state) const;
  void add_best(TuneObserver::State& state) const;
  const DeviceRates& rates() const { return *record_.contents().rates; }

  DeviceWorker& worker_;
  const Compilers& compilers_;
  TuningRecord& record_;
  const TuneOptions& options_;
  const std::vector<SearchTask>& tasks_;
  TuneObserver& observer_;
  std::set<std::string> used_up_;  // tasks whose spaces have no points left
  Best best_;                      // of all phases
  BestSoFar bests_;                // likewise, by op and shape
  SearchTime time_;
  double end_s_ = 0.0;  // of all searches, on the record's clock
};

}  // namespace tilewright

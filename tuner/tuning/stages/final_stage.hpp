// How do the outcomes of a search become a decision?
//
// The best candidates of each op, and the kernels that would serve without this tuning, are
// measured on all shapes, once pack and reduce kernels were found that they need.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/no_usable_kernel.hpp"
#include "tuner/tuning/stages/finals.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// Deaths of the machine with the same kernel at work, after which it is not tried again.
inline constexpr int kDeathsToQuarantine = 2;

class FinalStage {
 public:
  struct Times {
    double packs_s = 0.0;  // for finding kernels that run beside products
    double end_s = 0.0;    // of the finals, on the record's clock
  };
  // All but the times must outlive the stage.
  FinalStage(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
             const MeasureOptions& measure, const Times& times);

  // Goes on with what the record holds of it. False: a stop was requested. Throws
  // NoUsableKernel.
  bool run(const std::function<void(const FinalsProgress&)>& progress);

 private:
  std::vector<KernelId> choose_finalists_for(Op op) const;
  std::map<Op, std::vector<KernelId>> finalists();
  std::map<Op, std::vector<KernelId>> chosen_before() const;
  // Throws NoUsableKernel.
  [[noreturn]] void fail_without(Op op) const;
  bool may_run(const Outcome& outcome) const;
  std::vector<KernelId> baselines(Op op) const;
  std::vector<Outcome> starting_outcomes(Op op, const std::vector<Outcome>& tried) const;
  std::size_t screening_shapes() const;
  std::size_t usual_finalists() const;  // of each op
  bool tune_auxiliaries(const std::map<Op, std::vector<KernelId>>& finalists);
  // keeps_known: what the record holds of finals stays where there is no time for others.
  void make_lineup(const std::map<Op, std::vector<KernelId>>& finalists, bool keeps_known);
  const DeviceRates& rates() const { return *journal_.contents().rates; }

  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  MeasureOptions measure_;
  Times times_;
  std::size_t min_finalists_;     // of each op
  std::set<std::string> barred_;  // texts: the machine went down in a final with them
};

}  // namespace tilewright

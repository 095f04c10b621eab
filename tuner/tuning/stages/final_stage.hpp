// Prepares and runs the finals after a search.
//
// The best candidates of each op and the baseline kernels are measured on all shapes. Before that,
// the pack and reduction kernels that they require are found.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/tuning/no_usable_kernel.hpp"
#include "tuner/tuning/stages/finals.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// If the machine goes down this many times while the same kernel is running, the kernel is not
// tried again.
inline constexpr int kDeathsToQuarantine = 2;

// Selects the finalists and measures them.
class FinalStage {
 public:
  struct Times {
    double packs_s = 0.0;  // for finding auxiliary kernels
    double end_s = 0.0;    // end of the finals on the journal's clock
  };
  // The context must outlive the stage.
  FinalStage(TuneContext& context, const Times& times);

  // Continues what the journal contains. Returns false if a stop was requested. Throws
  // NoUsableKernel.
  bool run();

 private:
  // Returns the candidates for an op, in the order in which they become finalists.
  std::vector<KernelId> choose_finalists_for(Op op) const;
  std::map<Op, std::vector<KernelId>> finalists();
  std::map<Op, std::vector<KernelId>> chosen_before() const;
  // Throws NoUsableKernel.
  [[noreturn]] void fail_without(Op op) const;
  bool may_run(const Outcome& outcome) const;
  std::vector<KernelId> baselines(Op op) const;
  std::vector<Outcome> starting_outcomes(Op op, const std::vector<Outcome>& tried) const;
  std::size_t screening_shapes() const;
  std::size_t usual_finalists() const;  // per op
  bool tune_auxiliaries(const std::map<Op, std::vector<KernelId>>& finalists);
  // Begins finals of as many of these as there is time for, and of the baselines. If `keeps_known`
  // is true and there is no time for new finals, the results of earlier ones are kept.
  void begin_finals(const std::map<Op, std::vector<KernelId>>& finalists, bool keeps_known);
  const DeviceRates& rates() const { return *context_.journal.contents().rates; }
  int compute_units() const {
    return context_.journal.contents().header.device.identity.compute_units;
  }

  TuneContext& context_;
  Times times_;
  std::size_t min_finalists_;  // per op
  std::set<KernelId> barred_;  // result of failed_later()
};

}  // namespace tilewright

// Formats what the summary of a tuning for energy prints.
#pragma once

#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

// Returns the energy of one launch of a plan's kernel, such as ", 5.03 (4.97-5.09) mJ, 12.3
// GFLOPS/W, 0.81 x the energy of built-in"; "" if it was not measured. The ratio compares whole
// plans. `built_in` is the plan that runs without the profile; null: unknown.
std::string energy_text(const GemmShape& shape, const PlanTime& plan, const PlanTime* built_in);

// Compares the energy of the winners with that of the kernels that run without the profile.
class EnergyComparison {
 public:
  // Adds a winner. `built_in` as for energy_text().
  void add(const PlanTime& winner, const PlanTime* built_in);
  // Returns the lines about a tuning with another objective than time; none for the time.
  std::vector<std::string> lines(const JournalContents& contents) const;

 private:
  std::vector<double> energy_ratios_;
  std::vector<double> time_ratios_;  // of the same winners
};

}  // namespace tilewright

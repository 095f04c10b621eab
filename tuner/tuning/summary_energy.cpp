#include "tuner/tuning/summary_energy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "profiles/base/printable.hpp"
#include "tuner/energy/joules_text.hpp"
#include "tuner/journal/energy_rounds.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/objective_costs.hpp"
#include "tuner/tuning/summary.hpp"

namespace tilewright {
namespace {

// Energy of one launch in joules; 0 if it was not measured.
double median_joules(const PlanTime* plan) {
  return plan == nullptr || plan->samples_j.empty() ? 0.0 : summarize(plan->samples_j).median;
}

}  // namespace

std::string energy_text(const GemmShape& shape, const PlanTime& plan, const PlanTime* built_in) {
  const double joules = median_joules(&plan);
  if (joules == 0.0) return "";
  const auto [low, high] = std::minmax_element(plan.samples_j.begin(), plan.samples_j.end());
  const double built_in_joules = median_joules(built_in);
  return fmt::format(
      ", {}, {:.4g} GFLOPS/W{}", joules_text(joules, *low, *high), 1e-9 * flops(shape) / joules,
      built_in_joules > 0.0
          ? fmt::format(", {:.2f} x the energy of built-in", joules / built_in_joules)
          : "");
}

void EnergyComparison::add(const PlanTime& winner, const PlanTime* built_in) {
  const double joules = median_joules(&winner);
  const double built_in_joules = median_joules(built_in);
  if (joules == 0.0 || built_in_joules == 0.0) return;
  energy_ratios_.push_back(joules / built_in_joules);
  time_ratios_.push_back(winner.total_ns() / built_in->total_ns());
}

std::vector<std::string> EnergyComparison::lines(const JournalContents& contents) const {
  const JournalHeader& header = contents.header;
  if (header.objective == Objective::kTime) return {};
  const auto measured =
      std::count_if(header.shapes.begin(), header.shapes.end(),
                    [&](const GemmShape& shape) { return !joules_on(contents, shape).empty(); });
  if (measured == 0) {
    return {
        "energy was not measured, so the kernels are chosen by time; tune with a longer --budget"};
  }
  std::vector<std::string> lines;
  if (!energy_ratios_.empty()) {
    lines.push_back(fmt::format(
        "objective {}: on {} product{}, the chosen kernels need {} x the energy and {} x the time of "
        "the built-in kernels (geometric mean, smallest to largest)",
        to_text(header.objective), energy_ratios_.size(), energy_ratios_.size() == 1 ? "" : "s",
        ratios_text(energy_ratios_), ratios_text(time_ratios_)));
  }
  lines.push_back(fmt::format(
      "energy: one launch without packing; median (smallest-largest) of up to {} samples of at "
      "least {:g} s; the sensors cover: {}; measured on {} of {} shapes{}",
      kEnergySamples, header.energy_sample_s,
      printable(fmt::format("{}", fmt::join(header.energy_covers, ", "))), measured,
      header.shapes.size(),
      std::cmp_equal(measured, header.shapes.size())
          ? ""
          : ", elsewhere kernels are weighed by their mean power; a longer --budget measures more"));
  return lines;
}

}  // namespace tilewright

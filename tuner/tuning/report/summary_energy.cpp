#include "tuner/tuning/report/summary_energy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/base/printable.hpp"
#include "tuner/energy/joules_text.hpp"
#include "tuner/journal/energy_rounds.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/objective_costs.hpp"
#include "tuner/tuning/report/summary.hpp"

namespace tilewright {
namespace {

// Energy of one launch in joules; 0 if it was not measured.
double median_joules(const PlanTime* plan) {
  return plan == nullptr || plan->samples_j.empty() ? 0.0 : summarize(plan->samples_j).median;
}

// Returns the energy of a plan relative to that of the built-in one; nullopt if that of a kernel
// was not measured. Packing and the second launch of a kernel that divides k count with the power
// of the built-in kernel, as in PlanTime::cost_ns().
std::optional<double> times_built_in_energy(const PlanTime& plan, const PlanTime* built_in) {
  const double joules = median_joules(&plan);
  const double built_in_joules = median_joules(built_in);
  if (joules == 0.0 || built_in_joules == 0.0) return std::nullopt;
  const double joules_per_ns = built_in_joules / built_in->kernel_ns.value;
  return (joules + plan.auxiliary.ns * joules_per_ns) /
         (built_in_joules + built_in->auxiliary.ns * joules_per_ns);
}

}  // namespace

std::string energy_text(const GemmShape& shape, const PlanTime& plan, const PlanTime* built_in) {
  const double joules = median_joules(&plan);
  if (joules == 0.0) return "";
  const auto [low, high] = std::minmax_element(plan.samples_j.begin(), plan.samples_j.end());
  const std::optional<double> ratio = times_built_in_energy(plan, built_in);
  return fmt::format(", {}, {:.4g} GFLOPS/W{}", joules_text(joules, *low, *high),
                     1e-9 * flops(shape) / joules,
                     ratio ? fmt::format(", {:.2f} x the energy of built-in", *ratio) : "");
}

void EnergyComparison::add(const PlanTime& winner, const PlanTime* built_in) {
  const std::optional<double> ratio = times_built_in_energy(winner, built_in);
  if (!ratio) return;
  energy_ratios_.push_back(*ratio);
  time_ratios_.push_back(winner.total_ns() / built_in->total_ns());
}

std::vector<std::string> EnergyComparison::lines(const JournalContents& contents) const {
  const JournalHeader& header = contents.header;
  if (header.objective == Objective::kTime) return {};
  const auto measured =
      std::count_if(header.shapes.begin(), header.shapes.end(),
                    [&](const GemmShape& shape) { return !joules_on(contents, shape).empty(); });
  if (measured == 0) {
    return {"energy was not measured, so the kernels are chosen by time"};
  }
  std::vector<std::string> lines;
  if (!energy_ratios_.empty()) {
    lines.push_back(fmt::format(
        "objective {}: on {} product{}, the chosen kernels need {} x the energy and {} x the "
        "time of "
        "the built-in kernels (geometric mean, smallest to largest)",
        to_text(header.objective), energy_ratios_.size(), energy_ratios_.size() == 1 ? "" : "s",
        ratios_text(energy_ratios_), ratios_text(time_ratios_)));
  }
  lines.push_back(fmt::format(
      "energy: one launch, median (smallest-largest) of up to {} samples of at least {:g} s; in "
      "comparisons, packing and adding up the parts of a divided k count with the power of the "
      "built-in kernel; the sensors cover: {}; measured on {} of {} shapes{}",
      kEnergySamples, header.energy_sample_s,
      printable(fmt::format("{}", fmt::join(header.energy_covers, ", "))), measured,
      header.shapes.size(),
      std::cmp_equal(measured, header.shapes.size())
          ? ""
          : ", elsewhere kernels are weighed by their mean power"));
  return lines;
}

}  // namespace tilewright

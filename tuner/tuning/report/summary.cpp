#include "tuner/tuning/report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/select/validation.hpp"
#include "tuner/tuning/report/time_account.hpp"

namespace tilewright {
namespace {

std::string auxiliary_text(const AuxiliaryCost::Cost& auxiliary) {
  if (!auxiliary.reduces) return auxiliary.packs > 0 ? ", packing included" : "";
  return auxiliary.packs > 0 ? ", packing and adding up included" : ", adding up included";
}

// Returns the plan that runs without the profile; null if it was not measured.
const PlanTime* built_in_plan(const Baseline& baseline, const JournalContents& contents,
                              const Standings& standing, std::size_t problem) {
  const auto& [op, shape, weight, predicted] = standing.problems[problem];
  const auto kernel = baseline.first_that_works(contents.outcomes, op, shape);
  if (!kernel) return nullptr;
  return standing.time(problem, *kernel);
}

// The products that the profile does not cover; none if it covers all.
std::vector<std::string> not_covered_lines(const JournalHeader& header, const Profile& profile) {
  const std::string& uncovered = profile.provenance.not_covered;
  if (uncovered.empty()) return {};
  std::vector<std::string> lines = {"not covered, built-in kernels run: " + uncovered};
  if (header.designed == 0 || header.ops.size() < 3) {
    lines.push_back("to cover more, tune without --ops and --shapes");
  }
  return lines;
}

// Which random products have no figures, and why; "": all have.
std::string unmeasured_text(const JournalContents& contents) {
  const std::vector<ValidatedProduct>& products = contents.products;
  const auto is_measured = &ValidatedProduct::is_measured;
  const auto first = std::ranges::find(products, false, is_measured);
  if (first == products.end()) return "";
  return fmt::format("{} of {} random products could not be measured, for example {} {}: {}",
                     std::ranges::count(products, false, is_measured), products.size(),
                     to_text(first->op), to_text(first->shape),
                     printable(first->failure.substr(0, first->failure.find('\n'))));
}

// Kernels are not slowed down equally, so results of finals on a disturbed machine are less
// reliable. Returns "" if it was not disturbed.
std::string disturbance_text(const JournalContents& contents) {
  constexpr double kMuch = 0.1;  // a smaller slow-down is not mentioned
  double most = 0.0;
  GemmShape where;
  for (const GemmShape& shape : contents.header.shapes) {
    const double slower = usual_slow_down(contents.finals.outcomes, shape);
    if (slower > most) where = shape;
    most = std::max(most, slower);
  }
  if (most < kMuch) return "";
  return fmt::format(
      "warning: the device was busy or throttled ({} ran {:.0f} % slower than at its best), so the "
      "choice of kernels may be wrong; stop other programs, pin the clock, and tune again with "
      "--fresh",
      to_text(where), 100.0 * most);
}

// The lines about the element type of this tuning; none if it was not validated.
std::vector<std::string> own_validation_lines(const JournalContents& contents,
                                              const Profile& profile) {
  for (const Validation& validation : profile.validations) {
    if (validation.precision != contents.header.precision) continue;
    std::vector<std::string> lines = validation_lines(validation);
    if (std::string line = held_out_line(contents); !line.empty()) {
      lines.insert(lines.begin() + 1, std::move(line));
    }
    return lines;
  }
  return {};
}

// The winner on a problem, and how it compares with what runs without the profile.
struct Winner {
  KernelId kernel;
  double gflops = 0.0;
  const PlanTime* built_in = nullptr;  // the plan that runs without the profile; null: unknown
  // The speed divided by the speed without the profile; nullopt if this was not measured.
  std::optional<double> times_built_in = std::nullopt;
  bool is_built_in = false;  // it is the kernel that runs without the profile
};

// Returns the standings without the kernels that are not in the profile.
Standings restrict_to(const Profile& profile, Standings standing) {
  for (KernelTimes& times : standing.times) {
    std::erase_if(times, [&](const auto& time) {
      return find_kernel(profile, time.first.facts().name) == nullptr;
    });
  }
  return standing;
}

// The winners point into the standings.
std::vector<std::optional<Winner>> find_winners(const JournalContents& contents,
                                                const Standings& standing) {
  const Baseline baseline(contents.header);
  std::vector<std::optional<Winner>> winners(standing.problems.size());
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const KernelId best = winner(standing, i);
    if (best.empty()) continue;
    const PlanTime& time = *standing.time(i, best);
    Winner& own =
        winners[i].emplace(Winner{best, flops(standing.problems[i].shape) / time.total_ns(),
                                  built_in_plan(baseline, contents, standing, i)});
    if (own.built_in) own.times_built_in = speed_ratio(time.total_ns(), own.built_in->total_ns());
    own.is_built_in = own.built_in == &time;
  }
  return winners;
}

// A comparison of some winners with the kernels that run without the profile.
struct Comparison {
  int products = 0;
  double gflops = 0.0;  // the highest rate
  std::vector<double> ratios;
  bool all_built_in = true;  // each winner is the kernel that runs without the profile

  void add(const Winner& own) {
    ++products;
    all_built_in = all_built_in && own.is_built_in;
    gflops = std::max(gflops, own.gflops);
    if (own.times_built_in) ratios.push_back(*own.times_built_in);
  }
};

std::string gflops_text(double gflops, double peak) {
  return fmt::format(
      "{:.1f} GFLOPS{}", gflops,
      peak > 0.0 ? fmt::format(" ({} % of peak)", percent_of_peak(gflops, peak)) : "");
}

void add_winners(const Standings& standing, const std::vector<std::optional<Winner>>& winners,
                 double peak, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const auto& problem = standing.problems[i];
    const std::string title = fmt::format("{} {}", to_text(problem.op), to_text(problem.shape));
    if (!winners[i]) {
      lines.push_back(title + ": nothing measured");
      continue;
    }
    const Winner& own = *winners[i];
    const PlanTime& time = *standing.time(i, own.kernel);
    lines.push_back(fmt::format("{}: {}{} {}{}", title, gflops_text(own.gflops, peak),
                                own.times_built_in
                                    ? fmt::format(", {:.2f} x built-in", *own.times_built_in)
                                    : ", built-in not measured",
                                own.kernel.facts().name, auxiliary_text(time.auxiliary)));
  }
}

std::string curve_text(const JournalContents& contents, const Standings& standing) {
  const Portfolio portfolio = make_portfolio(contents, standing, 0);
  std::string curve;
  if (portfolio.built_in > 0.0) {
    curve = fmt::format("{:.1f} % with built-in kernels alone", 100.0 * portfolio.built_in);
  }
  for (std::size_t i = 0; i < portfolio.curve.size(); ++i) {
    curve += fmt::format("{}{:.1f} % with {}", curve.empty() ? "" : ", ",
                         100.0 * portfolio.curve[i], i + 1);
  }
  if (curve.empty()) return "";
  return fmt::format(
      "speed with fewer kernels, relative to the fastest kernel on each shape{} (geometric mean): "
      "{}{}",
      contents.header.designed > 0 ? ", measured or predicted" : "", curve,
      portfolio.curve.empty()
          ? ""
          : fmt::format("{} product kernel{}", portfolio.built_in > 0.0 ? " more" : "",
                        portfolio.curve.size() == 1 ? "" : "s"));
}

// Returns for example "12 candidates tried: 10 ok, 2 build".
std::string candidates_text(const JournalContents& contents) {
  std::map<OutcomeClass, int> counts;
  int all = 0;
  for (const Outcome& outcome : contents.outcomes) {
    if (!is_from_search(outcome)) continue;
    ++counts[outcome.result];
    ++all;
  }
  const std::string failures = failures_text(counts);
  return fmt::format("{} candidates tried: {} ok{}{}", all, counts[OutcomeClass::kOk],
                     failures.empty() ? "" : ", ", failures);
}

// What matters to those who develop the search.
void add_details(const JournalContents& contents, const Profile& profile,
                 std::vector<std::string>& lines) {
  constexpr std::size_t kMaxWinners = 12;  // more are in the profile (`show`)
  const Standings standing = standings(contents);
  if (standing.problems.size() <= kMaxWinners) {
    const Standings in_profile = restrict_to(profile, standing);
    add_winners(in_profile, find_winners(contents, in_profile),
                product_peak(profile.rates, contents.header.precision), lines);
  }
  lines.push_back(curve_text(contents, standing));
  if (const double error = typical_error(profile.models); error > 0.0) {
    lines.push_back(fmt::format(
        "kernel models: {:.0f} % error on shapes that were not used to fit them (median of the "
        "kernels)",
        100.0 * std::expm1(error)));
  }
  if (const std::string account = time_account(contents.spent.by_activity_s); !account.empty()) {
    lines.push_back("time: " + account);
  }
}

// Returns what the best kernels gain on the products of the tuning.
std::string tuned_line(const Comparison& all, bool had_finals) {
  const std::string products =
      fmt::format("{} tuned product{}", all.products, all.products == 1 ? "" : "s");
  if (all.ratios.empty()) return fmt::format("no built-in kernel was measured on the {}", products);
  if (all.all_built_in) {
    return fmt::format("on {}, nothing better than the built-in kernels was found{}", products,
                       had_finals ? "" : "; there were no finals");
  }
  return fmt::format("on {}, the best kernels are {} x as fast as the built-in ones", products,
                     ratios_text(all.ratios));
}

}  // namespace

std::vector<std::string> verdict_lines(const JournalContents& contents, const Profile& profile) {
  const double peak = product_peak(profile.rates, contents.header.precision);
  const Standings standing = restrict_to(profile, standings(contents));
  const auto winners = find_winners(contents, standing);
  Comparison all;
  std::map<Op, Comparison> by_op;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    if (!winners[i]) continue;
    all.add(*winners[i]);
    by_op[standing.problems[i].op].add(*winners[i]);
  }
  std::vector<std::string> lines = own_validation_lines(contents, profile);
  if (lines.empty()) lines.push_back(tuned_line(all, !contents.finals.outcomes.empty()));
  lines.push_back("op  tuned products  x built-in            fastest");
  for (const auto& [op, of_op] : by_op) {
    lines.push_back(fmt::format("{:<4}{:>14}  {:<20}  {}", to_text(op), of_op.products,
                                ratios_text(of_op.ratios), gflops_text(of_op.gflops, peak)));
  }
  if (contents.header.b_prepacked) return lines;  // networks need only the op NN
  for (std::string& line : not_covered_lines(contents.header, profile)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile,
                                       bool verbose) {
  std::vector<std::string> lines = {
      unmeasured_text(contents), disturbance_text(contents), moved_clock_text(contents),
      fmt::format("{}; in the profile: {}", candidates_text(contents), kernel_count_text(profile))};
  if (verbose) add_details(contents, profile, lines);
  std::erase_if(lines, [](const std::string& line) { return line.empty(); });
  return lines;
}

}  // namespace tilewright

#include "tuner/tuning/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/forms.hpp"
#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/model_fit.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/time_account.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kLogLines = 6;  // maximum number of lines of a build log

// Returns the first lines of a driver's message, escaped, because it may contain control
// characters.
std::string first_lines(const std::string& text, std::size_t count) {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < count && begin < text.size(); ++i) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (i > 0) lines += '\n';
    lines += printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string auxiliary_text(const AuxiliaryCost::Cost& auxiliary) {
  if (!auxiliary.reduces) return auxiliary.packs > 0 ? ", packing included" : "";
  return auxiliary.packs > 0 ? ", packing and adding up included" : ", adding up included";
}

// Returns for example "9 kernels: 4 gemm, 3 pack, 2 activation".
std::string kernels_text(const Profile& profile) {
  std::map<Role, int> roles;
  for (const KernelRecord& kernel : profile.kernels) ++roles[kernel.role];
  std::string text = fmt::format("{} kernels", profile.kernels.size());
  const char* separator = ": ";
  for (const auto& [role, count] : roles) {
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, to_text(role));
  }
  return text;
}

// Returns the points of all kernels that the library may run on the device without this tuning:
// those for its class and those for every device, in any form of multiply-adds.
std::set<std::string> built_in_points(const JournalHeader& header) {
  std::set<std::string> points;
  for (const Profile& profile : built_in_for(header.device, header.precision)) {
    for (const Op op : header.ops) {
      for (const ParameterPoint& point : warm_points(profile, op, header.device.limits)) {
        points.insert(to_text(without_multiply_add_form(point)));
      }
    }
  }
  return points;
}

// Returns the speed relative to the best built-in kernel that was measured; nullopt if there is
// none. The kernel that the library would choose may be slower.
std::optional<double> times_built_in(const std::set<std::string>& built_in,
                                     const Standings& standing, std::size_t problem,
                                     const PlanTime& best) {
  std::optional<double> built_in_ns;
  for (std::size_t plan = 0; plan < standing.lineup.plans.size(); ++plan) {
    const auto& time = standing.times[problem][plan];
    if (!time ||
        !built_in.contains(to_text(without_multiply_add_form(standing.kernel(plan).point()))))
      continue;
    built_in_ns = std::min(built_in_ns.value_or(time->total_ns()), time->total_ns());
  }
  if (!built_in_ns) return std::nullopt;
  return speed_ratio(best.total_ns(), *built_in_ns);
}

// Returns "" if the profile has results for all transpose combinations that a caller can use.
std::string untuned_text(const Profile& profile) {
  std::vector<std::string_view> missing;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const bool tuned = std::any_of(profile.results.begin(), profile.results.end(),
                                   [&](const ShapeResult& result) { return result.op == op; });
    if (!tuned) missing.push_back(to_text(op));
  }
  if (missing.empty()) return "";
  return fmt::format(
      "not tuned: {0}. Products of {0} use kernels that were not tried for them; --ops nn,nt,tn "
      "tunes all",
      fmt::join(missing, ", "));
}

// Returns the number of samples that are used although the clock changed during them, because there
// were no better ones.
std::size_t moved_samples(const JournalContents& contents) {
  const auto moved = [](const ClockPair& clocks) { return clocks[0] != clocks[1]; };
  std::size_t count = 0;
  for (const Outcome& outcome : contents.outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      count += static_cast<std::size_t>(
          std::count_if(samples.clocks_hz.begin(), samples.clocks_hz.end(), moved));
    }
  }
  for (const Round& round : contents.rounds) {
    for (const auto& [finalist, clocks] : round.clocks_hz) count += moved(clocks) ? 1 : 0;
  }
  return count;
}

// Kernels are not slowed down equally, so results of finals on a disturbed machine are less
// reliable. Returns "" if it was not disturbed.
std::string disturbance_text(const JournalContents& contents) {
  constexpr double kMuch = 0.1;  // a smaller slow-down is not mentioned
  double most = 0.0;
  GemmShape where;
  for (const GemmShape& shape : contents.header.shapes) {
    const double slower = usual_slow_down(contents.rounds, shape);
    if (slower > most) where = shape;
    most = std::max(most, slower);
  }
  if (most < kMuch) return "";
  return fmt::format(
      "in half of the finals on {} everything took {:.0f} % longer or more than in their fastest "
      "tenth: other kernels may be the best when the device is calm; stop what else runs, pin the "
      "clock, and tune again (--fresh)",
      to_text(where), 100.0 * most);
}

// Adds the winner on each problem, and the comparison with the built-in kernels.
void add_winners(const JournalContents& contents, const Standings& standing, double peak,
                 std::vector<std::string>& lines) {
  const std::set<std::string> built_in = built_in_points(contents.header);
  double sum_of_logs = 0.0;
  int compared = 0;
  for (std::size_t i = 0; i < standing.problems.size(); ++i) {
    const Op op = standing.problems[i].op;
    const GemmShape& shape = standing.problems[i].shape;
    const auto best = winner(standing, i);
    if (!best) {
      lines.push_back(fmt::format("{} {}: nothing measured", to_text(op), to_text(shape)));
      continue;
    }
    const PlanTime& time = *standing.times[i][*best];
    const double gflops = flops(shape) / time.total_ns();
    const std::optional<double> ratio = times_built_in(built_in, standing, i, time);
    if (ratio) {
      sum_of_logs += std::log(*ratio);
      ++compared;
    }
    lines.push_back(
        fmt::format("{} {}: {:.1f} GFLOPS{}{} {}{}", to_text(op), to_text(shape), gflops,
                    peak > 0.0 ? fmt::format(" ({} % of peak)", percent_of_peak(gflops, peak)) : "",
                    ratio ? fmt::format(", {:.2f} x built-in", *ratio) : ", built-in not measured",
                    kernel_name(standing.kernel(*best).point()), auxiliary_text(time.auxiliary)));
  }
  if (compared > 1) {
    lines.push_back(
        fmt::format("{:.2f} x the best built-in kernel for this device, geometric mean of {} "
                    "products",
                    std::exp(sum_of_logs / compared), compared));
  }
}

std::string curve_text(const JournalContents& contents, const Standings& standing) {
  const Portfolio portfolio = make_portfolio(contents, standing, 0);
  std::string curve;
  for (std::size_t i = 0; i < portfolio.curve.size(); ++i) {
    curve +=
        fmt::format("{}{:.1f} % with {}", i == 0 ? "" : ", ", 100.0 * portfolio.curve[i], i + 1);
  }
  if (curve.empty()) return "";
  return fmt::format(
      "of the speed of the fastest finalist on each shape{} (geometric mean): {} product kernel{}",
      contents.header.designed > 0 ? ", measured or predicted" : "", curve,
      portfolio.curve.size() == 1 ? "" : "s");
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

}  // namespace

std::string failures_text(const std::map<OutcomeClass, int>& counts) {
  std::string text;
  for (const auto& [result, count] : counts) {
    if (result == OutcomeClass::kOk) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(result));
  }
  return text;
}

std::vector<std::string> summary_lines(const JournalContents& contents, const Profile& profile) {
  const Precision precision = contents.header.precision;
  const double peak = product_peak(profile.rates, precision);
  const Standings standing = standings(contents);
  std::vector<std::string> lines;
  add_winners(contents, standing, peak, lines);
  if (is_raised_peak(profile.rates, precision)) {
    lines.push_back(fmt::format(
        "peak: {:.4g} GFLOPS, of the fastest kernel, which passed the micro-benchmarks: a "
        "lower bound of what the device can do",
        peak));
  }
  lines.push_back(curve_text(contents, standing));
  if (const double error = typical_error(profile.models); error > 0.0) {
    lines.push_back(fmt::format(
        "models of kernels: on shapes that were left out {:.0f} % off (the middle kernel)",
        100.0 * std::expm1(error)));
  }
  // Networks use only one op.
  if (!contents.header.b_prepacked) lines.push_back(untuned_text(profile));
  lines.push_back(disturbance_text(contents));
  lines.push_back(
      fmt::format("{}; in the profile: {}", candidates_text(contents), kernels_text(profile)));
  const std::string account = time_account(contents.spent_on_s);
  if (!account.empty()) lines.push_back("time: " + account);
  std::erase_if(lines, [](const std::string& line) { return line.empty(); });
  return lines;
}

// The example is the first candidate with a build log, or else the first one.
std::vector<std::string> failure_lines(const JournalContents& contents) {
  std::vector<std::string> lines;
  for (const OutcomeClass result : kOutcomeClasses) {
    if (result == OutcomeClass::kOk) continue;
    int count = 0;
    const Outcome* example = nullptr;
    for (const Outcome& outcome : contents.outcomes) {
      if (outcome.result != result || outcome.phase == kPacking) continue;  // they are listed below
      ++count;
      const bool better = example != nullptr && example->build_log.empty();
      if (example == nullptr || (better && !outcome.build_log.empty())) example = &outcome;
    }
    if (example == nullptr) continue;
    lines.push_back(fmt::format("{} {}, for example {}: {}", count, to_text(result),
                                example->kernel.text(), first_lines(example->reason, 1)));
    if (!example->build_log.empty()) lines.push_back(first_lines(example->build_log, kLogLines));
  }
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.phase != kPacking) continue;
    lines.push_back(
        fmt::format("left out: {}: {}", outcome.kernel.text(), first_lines(outcome.reason, 1)));
  }
  for (const auto& [finalist, reason] : contents.finalist_failures) {
    lines.push_back(fmt::format("left the finals: {}: {}",
                                contents.lineup->finalists[finalist].text(),
                                first_lines(reason, 1)));
  }
  if (const std::size_t moved = moved_samples(contents)) {
    lines.push_back(
        fmt::format("during {} samples that count the clock changed, ten times in a row: their "
                    "figures are doubtful; pin the clock (docs/tune-your-board.md)",
                    moved));
  }
  return lines;
}

}  // namespace tilewright

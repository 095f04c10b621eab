#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "profiles/base/printable.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/energy/energy_text.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kNameWidth = 28;

// "-" if it was not measured.
std::string spread(const Summary& summary, double scale = 1.0) {
  if (summary.samples == 0) return "-";
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", scale * summary.median, scale * summary.low,
                     scale * summary.high);
}

std::string short_name(const std::string& competitor) {
  return printable(std::filesystem::path(competitor).stem().string());
}

std::string timer_name(const BenchReport& report) {
  return report.device_time ? "device time" : "wall time";
}

// ---- products: one row each

std::string product_columns(const BenchReport& report) {
  std::string text =
      fmt::format("{:<4}{:<17}{:>24}{:>9}", "op", "m x n x k", "tilewright", "% launch");
  for (const std::string& name : report.competitors) {
    text += fmt::format("{:>24}{:>8}", short_name(name), "ratio");
  }
  return text + "  kernel\n";
}

std::string launch_percent(const BenchResult& result) {
  const std::optional<double> share = result.launch_share();
  return share ? fmt::format("{:.0f}", 100.0 * *share) : "-";
}

std::string product_row(const BenchReport& report, const BenchResult& result) {
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  std::string text = fmt::format("{:<4}{:<17}{:>24}{:>9}", to_text(result.op),
                                 to_text(result.shape), spread(own.rate()), launch_percent(result));
  for (const std::string& name : report.competitors) {
    const std::optional<double> ratio = result.ratio(name);
    text += fmt::format("{:>24}{:>8}", spread(result.figure(FigureKind::kCompetitor, name).rate()),
                        ratio ? fmt::format("{:.2f}", *ratio) : "-");
  }
  text += fmt::format("  {}\n", printable(fmt::format("{}", fmt::join(own.kernels, "+"))));
  for (const BenchFigure* plan : result.all(FigureKind::kPlan)) {
    text +=
        fmt::format("{:<21}{:>24}  {}\n", "  plan", spread(plan->rate()), printable(plan->name));
  }
  for (const std::string& plan : result.left_out) {
    text += fmt::format("  skipped, predicted to exceed --max-dispatch: {}\n", printable(plan));
  }
  return text + energy_rows(result);
}

// ---- networks and points: a block for each result with a line for each figure

struct Line {
  std::string name;
  std::string figure;
  std::string first = {};
  std::string second = {};
  std::string rest = {};
};

std::string block(const std::string& title, const std::vector<Line>& lines) {
  std::size_t width = kNameWidth;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  std::string text = title + "\n";
  for (const Line& line : lines) {
    std::string row = fmt::format("  {:<{}}{:>28}{:>10}{:>10}  {}", line.name, width, line.figure,
                                  line.first, line.second, line.rest);
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

Line network_line(const BenchFigure& figure, const std::string& name, double peak_gflops,
                  const std::string& rest) {
  const double gflops =
      figure.work > 0.0 && figure.is_measured() ? figure.work / figure.ns().median : 0.0;
  return {name, spread(figure.ns(), 1e-3), gflops > 0.0 ? fmt::format("{:.1f}", gflops) : "-",
          percent_of_peak(gflops, peak_gflops), rest};
}

std::string network_block(const BenchReport& report, const BenchResult& result) {
  const double peak = report.peak_gflops();
  std::vector<Line> lines{{"", "us", "GFLOPS", "% peak"}};
  for (const BenchFigure* step : result.all(FigureKind::kStep)) {
    lines.push_back(network_line(*step, printable(step->name), peak,
                                 fmt::format("{}", fmt::join(step->kernels, "+"))));
  }
  lines.push_back(network_line(result.figure(FigureKind::kOwn), "forward, wall time", peak,
                               fmt::format("% launch: {}", launch_percent(result))));
  for (const BenchFigure* competitor : result.all(FigureKind::kCompetitor)) {
    const std::optional<double> ratio = result.ratio(competitor->name);
    lines.push_back(network_line(*competitor, short_name(competitor->name), 0.0,
                                 ratio ? fmt::format("ratio {:.2f}", *ratio) : ""));
  }
  lines.push_back(network_line(result.figure(FigureKind::kLaunchFloor), "launch floor", 0.0,
                               "an empty kernel and the wait for it"));
  return block(fmt::format("batch {}", result.batch), lines);
}

std::string points_block(const BenchResult& result) {
  std::vector<Line> lines{{"", "GFLOPS"}};
  for (const BenchFigure& point : result.figures) {
    lines.push_back({printable(point.name), spread(point.rate())});
  }
  return block(to_text(result.shape), lines);
}

// ---- after all results

std::string launch_floors(const BenchReport& report) {
  std::vector<double> floors_us;
  for (const BenchResult& result : report.results) {
    const BenchFigure& floor = result.figure(FigureKind::kLaunchFloor);
    if (floor.is_measured()) floors_us.push_back(1e-3 * floor.ns().median);
  }
  if (floors_us.empty()) return "";
  return fmt::format(
      "% launch: time of an empty kernel's launch and the wait for it, {:.3g} to {:.3g} us "
      "(medians), as a share of a call, at most 100; near 100, a faster kernel does not help\n",
      quantile(floors_us, 0.0), quantile(floors_us, 1.0));
}

std::string idle_waits(const IdleWaits& waits) {
  if (waits.waits == 0) return "";
  std::string text = fmt::format(
      "turns: before each sample, all threads become idle (waiting time at most {:.0f} ms), and one "
      "warm-up call runs\n",
      1e3 * waits.longest_s);
  if (waits.not_idle > 0) {
    text += fmt::format(
        "warning: {} of {} samples began while threads of competitors were still running after "
        "{:.0f} ms\n",
        waits.not_idle, waits.waits, 1e3 * IdleWait::kLimit_s);
  }
  return text;
}

std::string network_peak(const BenchReport& report) {
  const double peak = report.peak_gflops();
  return fmt::format("% peak: share of the single-precision peak in the profile{}{}\n",
                     peak > 0.0 ? fmt::format(", {:.0f} GFLOPS", peak) : " (this one has none)",
                     report.precision == Precision::kHalf
                         ? " (half-precision networks accumulate in single precision)"
                         : "");
}

// Says for which batches better kernels cannot help; "" if there are none.
std::string batches_of_launches(const BenchReport& report) {
  constexpr double kMuch = 0.3;
  std::vector<std::int64_t> batches;
  for (const BenchResult& result : report.results) {
    if (result.launch_share().value_or(0.0) >= kMuch) batches.push_back(result.batch);
  }
  if (batches.empty()) return "";
  return fmt::format(
      "a launch takes {:.0f} % or more of a forward pass at batch {}. Larger batches share launches; "
      "for\nsingle samples of a small network a library for the CPU is faster\n",
      100.0 * kMuch, fmt::join(batches, ", "));
}

}  // namespace

std::string heading(const BenchReport& report) {
  const BenchConditions& conditions = report.conditions;
  const std::string processor =
      conditions.processor.empty() ? "" : fmt::format("{}, ", conditions.processor);
  const std::string device =
      printable(fmt::format("{} ({}{})", conditions.device, processor, conditions.platform));
  switch (report.kind) {
    case BenchKind::kProducts:
      return fmt::format(
          "{}GEMM end to end on {}: GFLOPS, median (10th-90th percentile) of the wall time of a "
          "call until C is complete; competitors take turns; {}\n{}",
          static_cast<char>(std::toupper(blas_letter(report.precision, report.complex).front())),
          device, kRatioMeaning, product_columns(report));
    case BenchKind::kNetwork:
      return fmt::format(
          "{} (widths {}{}{}) on {}: us, median (10th-90th percentile); steps: device time of their "
          "commands; the rest: wall time of a forward pass until its output is complete; "
          "competitors take turns; {}\n",
          printable(report.model), report.widths, of_elements(report.precision),
          report.output.empty() ? "" : fmt::format("; output {}", in_quotes(report.output)), device,
          kRatioMeaning);
    case BenchKind::kPoints:
      break;
  }
  return fmt::format(
      "points on {}: GFLOPS, median (10th-90th percentile) of the kernel's {} on operands in "
      "its own layouts; kernels take turns\n",
      device, timer_name(report));
}

std::string to_text(const BenchReport& report, const BenchResult& result) {
  switch (report.kind) {
    case BenchKind::kProducts:
      return product_row(report, result);
    case BenchKind::kNetwork:
      return "\n" + network_block(report, result);
    case BenchKind::kPoints:
      break;
  }
  return "\n" + points_block(result);
}

std::string footer(const BenchReport& report) {
  std::string text = report.kind == BenchKind::kProducts ? "" : "\n";
  text += launch_floors(report);
  if (report.kind == BenchKind::kNetwork)
    text += network_peak(report) + batches_of_launches(report);
  // Crashes in products and networks are reported as errors instead.
  if (report.kind == BenchKind::kPoints) {
    for (const auto* lines : {&report.missing, &report.in_part}) {
      for (const std::string& line : *lines) text += fmt::format("- {}\n", printable(line));
    }
  }
  text += idle_waits(report.waits);
  text += energy_footer(report.energy);
  if (!report.profile.empty()) text += fmt::format("profile: {}\n", printable(report.profile));
  for (const auto& [name, details] : report.details) {
    text += fmt::format("{}: {}\n", printable(name), printable(details));
  }
  for (const auto& [name, why] : report.not_here) {
    text += fmt::format("competitor {} is missing: {}\n", name, printable(why));
  }
  return text;
}

}  // namespace tilewright

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "profiles/base/printable.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/bench_energy.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/shares.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kNameWidth = 28;

// One digit after the point below the limit, none from there on.
std::string short_number(double value, double limit) {
  return fmt::format("{:.{}f}", value, value < limit ? 1 : 0);
}

// "-" if it was not measured.
std::string spread(const Summary& summary, double scale = 1.0) {
  if (summary.samples == 0) return "-";
  return fmt::format("{} ({}-{})", short_number(scale * summary.median, 100.0),
                     short_number(scale * summary.low, 10.0),
                     short_number(scale * summary.high, 10.0));
}

std::string short_name(const std::string& competitor) {
  return printable(std::filesystem::path(competitor).stem().string());
}

// ---- products: one row for each shape, or for each product

std::string product_columns(const BenchReport& report) {
  if (!report.op_columns.empty()) {
    std::string text = fmt::format("{:<15}", "m x n x k");
    for (const Op op : report.op_columns) text += fmt::format("{:>20}", to_text(op));
    return text;
  }
  std::string text = fmt::format("{:<3}{:<15} {:>15}", "op", "m x n x k", "tilewright");
  for (const std::string& name : report.competitors) {
    text += fmt::format(" {:>15}{:>6}", cut(short_name(name), 15), "ratio");
  }
  return text + "\n";
}

std::string launch_percent(const BenchResult& result) {
  const std::optional<double> share = result.launch_share();
  return share ? fmt::format("{:.0f}", 100.0 * *share) : "-";
}

// The cell of the last result, and before it the end of the last row if the shape is another one.
std::string product_cell(const BenchReport& report) {
  const std::vector<Op>& ops = report.op_columns;
  const auto column = [&](const BenchResult& result) {
    return std::find(ops.begin(), ops.end(), result.op) - ops.begin();
  };
  const BenchResult& result = report.results.back();
  const BenchResult* before =
      report.results.size() > 1 ? &report.results[report.results.size() - 2] : nullptr;
  std::string text;
  std::ptrdiff_t filled = 0;
  if (before != nullptr && before->shape == result.shape) {
    filled = column(*before) + 1;
  } else {
    text = fmt::format("\n{:<15}", to_text(result.shape));
  }
  text.append(static_cast<std::size_t>(20 * (column(result) - filled)), ' ');
  return text + fmt::format("{:>20}", spread(result.figure(FigureKind::kOwn).rate()));
}

std::string product_row(const BenchReport& report, const BenchResult& result) {
  const BenchFigure& own = result.figure(FigureKind::kOwn);
  std::string text = fmt::format("{:<3}{:<15} {:>15}", to_text(result.op), to_text(result.shape),
                                 spread(own.rate()));
  for (const std::string& name : report.competitors) {
    const std::optional<double> ratio = result.ratio(name);
    text += fmt::format(" {:>15}{:>6}", spread(result.figure(FigureKind::kCompetitor, name).rate()),
                        ratio ? fmt::format("{:.2f}", *ratio) : "-");
  }
  if (report.verbose) {
    text += fmt::format("  launch {} %  {}", launch_percent(result),
                        printable(fmt::format("{}", fmt::join(own.kernels, "+"))));
  }
  text += "\n";
  for (const BenchFigure* plan : result.all(FigureKind::kPlan)) {
    text += fmt::format("{:<18}{:>16}  {}\n", "  plan", spread(plan->rate()),
                        cut(printable(plan->name), report.verbose ? std::string::npos : 64));
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
    lines.push_back(
        network_line(*step, printable(step->name), peak,
                     report.verbose ? fmt::format("{}", fmt::join(step->kernels, "+")) : ""));
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
      "% launch: an empty kernel's launch ({:.3g} to {:.3g} us) as a share of a call; near 100 %,\n"
      "          launch overhead dominates\n",
      quantile(floors_us, 0.0), quantile(floors_us, 1.0));
}

std::string idle_waits(const BenchReport& report) {
  const IdleWaits& waits = report.waits;
  std::string text;
  if (waits.waits > 0 && report.verbose) {
    text = fmt::format(
        "turns: before each sample all threads become idle (within {:.0f} ms), and one call warms up\n",
        1e3 * waits.longest_s);
  }
  if (waits.not_idle > 0) {
    text += fmt::format(
        "warning: {} of {} samples began while threads of competitors were still running\n",
        waits.not_idle, waits.waits);
  }
  return text;
}

// The ratios to each competitor, together.
std::string mean_ratios(const BenchReport& report) {
  std::string text;
  for (const std::string& name : report.competitors) {
    std::vector<double> ratios;
    for (const BenchResult& result : report.results) {
      if (const auto ratio = result.ratio(name)) ratios.push_back(*ratio);
    }
    if (ratios.empty()) continue;
    text +=
        fmt::format("ratio to {}: geometric mean {}, slower on {} of {}\n", short_name(name),
                    ratios_text(ratios),
                    std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1.0; }),
                    ratios.size());
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
  constexpr const char* kRatios = "; ratio above 1: tilewright is faster";
  const BenchConditions& conditions = report.conditions;
  const std::string device =
      printable(fmt::format("{} ({})", conditions.device, short_platform(conditions.platform)));
  const char* ratios = report.competitors.empty() ? "" : kRatios;
  switch (report.kind) {
    case BenchKind::kProducts:
      return fmt::format(
          "{}GEMM on {}\nGFLOPS of whole calls, median (10th-90th percentile){}\n{}",
          static_cast<char>(std::toupper(blas_letter(report.precision, report.complex).front())),
          device, ratios, product_columns(report));
    case BenchKind::kNetwork:
      return fmt::format(
          "{} (widths {}{}{}) on {}\nus, median (10th-90th percentile); steps: device time; the "
          "rest: wall time{}\n",
          printable(report.model), report.widths, of_elements(report.precision),
          report.output.empty() ? "" : fmt::format("; output {}", in_quotes(report.output)), device,
          ratios);
    case BenchKind::kPoints:
      break;
  }
  return fmt::format(
      "points on {}: GFLOPS, median (10th-90th percentile) of the kernel's {} on operands in "
      "its own layouts; kernels take turns\n",
      device, report.device_time ? "device time" : "wall time");
}

std::string to_text(const BenchReport& report, const BenchResult& result) {
  switch (report.kind) {
    case BenchKind::kProducts:
      return report.op_columns.empty() ? product_row(report, result) : product_cell(report);
    case BenchKind::kNetwork:
      return "\n" + network_block(report, result);
    case BenchKind::kPoints:
      break;
  }
  return "\n" + points_block(result);
}

std::string footer(const BenchReport& report) {
  const bool ends_line = report.kind == BenchKind::kProducts && report.op_columns.empty();
  std::string text = ends_line ? "" : "\n";
  if (report.verbose || report.kind == BenchKind::kNetwork) text += launch_floors(report);
  if (report.kind == BenchKind::kNetwork)
    text += network_peak(report) + batches_of_launches(report);
  // Crashes in products and networks are reported as errors instead.
  if (report.kind == BenchKind::kPoints) {
    for (const auto* lines : {&report.missing, &report.in_part}) {
      for (const std::string& line : *lines) text += fmt::format("- {}\n", printable(line));
    }
  }
  text += idle_waits(report);
  text += energy_footer(report.energy);
  if (!report.profile.empty()) {
    text += fmt::format("profile: {}\n",
                        printable(report.verbose ? report.profile : short_origin(report.profile)));
  }
  for (const auto& [name, details] : report.details) {
    text += fmt::format("{}: {}\n", printable(name), printable(details));
  }
  for (const auto& [name, why] : report.not_here) {
    text += fmt::format("competitor {} is missing: {}\n", name, printable(why));
  }
  if (report.kind == BenchKind::kProducts) text += mean_ratios(report);
  return text;
}

}  // namespace tilewright

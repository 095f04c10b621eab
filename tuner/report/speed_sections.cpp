#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "runtime/call/epilogue.hpp"
#include "tuner/rates/roofline.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

constexpr int kCurvePoints = 48;

GemmShape shape_of(const ShapeResult& result) {
  return {result.m, result.n, result.k};
}

bool is_square(const GemmShape& shape) {
  return shape.m == shape.n && shape.n == shape.k;
}

Json figure_row(const ReportProfile& report, const ShapeResult& result) {
  const GemmShape shape = shape_of(result);
  return {{"who", report.name},
          {"shape", short_text(shape)},
          {"size", size_of(shape)},
          {"gflops", result.gflops},
          {"low", flops(shape) / result.high_ns},
          {"high", flops(shape) / result.low_ns},
          {"form", is_square(shape) ? "square" : "other shape"},
          {"kernel", result.kernel}};
}

// What a square product could reach at best, and what a launch leaves of it, from size to size.
void add_bounds(const ReportProfile& report, double from, double to, Json& rows) {
  const DeviceRates& rates = report.profile.rates;
  const Precision precision = measured_precision(report.profile);
  const double peak = peak_of(rates, precision);
  const auto matrix_bytes = 3.0 * static_cast<double>(bytes_of(precision));
  if (!(peak > 0.0)) return;
  for (int i = 0; i < kCurvePoints; ++i) {
    const double size = from * std::pow(to / from, i / (kCurvePoints - 1.0));
    const double all = 2.0 * size * size * size;
    const double memory = rates.copy_gbytes_per_s > 0.0
                              ? all / (matrix_bytes * size * size) * rates.copy_gbytes_per_s
                              : peak;
    rows.push_back({{"who", report.name},
                    {"bound", "roofline of a square"},
                    {"size", size},
                    {"gflops", std::min(peak, memory)}});
    // Lines behind the plot's figures: a launch that costs less than the product is no bound.
    if (rates.launch_ns > 0.0 && all / rates.launch_ns < 2.0 * peak) {
      rows.push_back({{"who", report.name},
                      {"bound", "launch floor"},
                      {"size", size},
                      {"gflops", all / rates.launch_ns}});
    }
  }
}

struct OpFigures {
  Json figures = Json::array();
  std::map<std::string, std::pair<double, double>> sizes;  // least and greatest, by profile
};

std::map<Op, OpFigures> figures_by_op(const ReportInputs& inputs) {
  std::map<Op, OpFigures> by_op;
  for (const ReportProfile& report : inputs.profiles) {
    for (const ShapeResult* result : best_results(report.profile)) {
      if (result->samples == 0) continue;  // predicted
      OpFigures& of_op = by_op[result->op];
      of_op.figures.push_back(figure_row(report, *result));
      const double size = size_of(shape_of(*result));
      auto& [least, greatest] = of_op.sizes.try_emplace(report.name, size, size).first->second;
      least = std::min(least, size);
      greatest = std::max(greatest, size);
    }
  }
  return by_op;
}

std::vector<std::string> table_row(const ReportProfile& report, const ShapeResult& result) {
  const Precision precision = measured_precision(report.profile);
  const GemmShape shape = shape_of(result);
  const auto percent = [&](double bound) {
    return bound > 0.0 ? fmt::format("{:.0f}", 100.0 * result.gflops / bound) : "-";
  };
  return {std::string(to_text(result.op)),
          short_text(shape),
          figure(result.gflops),
          fmt::format("{} to {}", figure(flops(shape) / result.high_ns),
                      figure(flops(shape) / result.low_ns)),
          percent_of_peak(result.gflops, peak_of(report.profile.rates, precision)),
          percent(roofline_gflops(report.profile.rates, shape, precision)),
          std::to_string(result.samples),
          result.kernel};
}

using Problem = std::tuple<Op, double, std::string>;

std::map<Problem, double> rates_of(const Profile& profile) {
  std::map<Problem, double> rates;
  for (const ShapeResult* result : best_results(profile)) {
    if (result->samples == 0) continue;
    const GemmShape shape = shape_of(*result);
    rates[{result->op, size_of(shape), short_text(shape)}] = result->gflops;
  }
  return rates;
}

}  // namespace

std::vector<const ShapeResult*> best_results(const Profile& profile) {
  std::map<std::tuple<Op, double, std::int64_t, std::int64_t>, const ShapeResult*> best;
  const Precision precision = measured_precision(profile);
  for (const ShapeResult& result : profile.results) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel != nullptr && (kernel->precision != precision || !meets(*kernel, {}))) continue;
    const ShapeResult*& place = best[{result.op, size_of(shape_of(result)), result.m, result.n}];
    if (place == nullptr || result.gflops > place->gflops) place = &result;
  }
  std::vector<const ShapeResult*> all;
  for (const auto& [problem, result] : best) all.push_back(result);
  return all;
}

ReportSection speed_section(const ReportInputs& inputs) {
  ReportSection section(
      "speed", "GFLOPS by size",
      "Device time of the fastest kernel on each product that was tuned, without packing; bars are "
      "the 10th to the 90th percentile. The size is the cube root of m n k. The roofline is the "
      "lesser of the measured peak and what a copy's rate allows a square product; at the launch "
      "floor a product takes no longer than one more launch.");
  for (auto& [op, of_op] : figures_by_op(inputs)) {
    Json bounds = Json::array();
    for (const ReportProfile& report : inputs.profiles) {
      const auto sizes = of_op.sizes.find(report.name);
      if (sizes == of_op.sizes.end()) continue;
      add_bounds(report, sizes->second.first, sizes->second.second, bounds);
    }
    section.plot("speed", std::string(to_text(op)),
                 {{"figures", std::move(of_op.figures)}, {"bounds", std::move(bounds)}}, "figures");
  }
  for (const ReportProfile& report : inputs.profiles) {
    std::vector<std::vector<std::string>> rows;
    for (const ShapeResult* result : best_results(report.profile)) {
      if (result->samples > 0) rows.push_back(table_row(report, *result));
    }
    if (rows.empty()) section.missing(report.name + ": it holds no measured results.");
    section.table(report.name,
                  {"op", "m x n x k", "GFLOPS", "10th to 90th percentile", "% of peak",
                   "% of roofline", "samples", "kernel"},
                  rows);
  }
  return section;
}

// Nothing to say of one profile, nor of such as share no product.
ReportSection comparison_section(const ReportInputs& inputs) {
  ReportSection section(
      "comparison", "Side by side",
      "GFLOPS of each profile on the products that all of them were tuned on, and "
      "in brackets over the first one's.");
  if (inputs.profiles.size() < 2) return section;
  std::vector<std::map<Problem, double>> rates;
  std::vector<std::string> head{"op", "m x n x k"};
  for (const ReportProfile& report : inputs.profiles) {
    rates.push_back(rates_of(report.profile));
    head.push_back(report.name);
  }
  std::map<Op, Json> ratios;
  std::vector<std::vector<std::string>> rows;
  for (const auto& of_first : rates.front()) {
    const Problem& problem = of_first.first;
    if (!std::all_of(rates.begin(), rates.end(), [&](const auto& r) { return r.count(problem); })) {
      continue;
    }
    const auto& [op, size, shape] = problem;
    const double first = of_first.second;
    std::vector<std::string> cells{std::string(to_text(op)), shape, figure(first)};
    for (std::size_t i = 1; i < rates.size(); ++i) {
      const double own = rates[i].at(problem);
      cells.push_back(fmt::format("{} ({:.2f})", figure(own), own / first));
      ratios[op].push_back({{"who", inputs.profiles[i].name},
                            {"shape", shape},
                            {"size", size},
                            {"ratio", own / first}});
    }
    rows.push_back(cells);
  }
  if (rows.empty()) section.missing("The profiles have no tuned product in common.");
  for (auto& [op, data] : ratios) {
    section.plot("comparison",
                 fmt::format("{}: over {}", to_text(op), inputs.profiles.front().name),
                 {{"ratios", std::move(data)}}, "ratios");
  }
  section.table("", head, rows);
  return section;
}

}  // namespace tilewright

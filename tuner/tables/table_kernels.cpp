// Tables of kernels' rates: the published kernel and ours, beside their figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/bench/point_bench.hpp"
#include "tuner/tables/table_bench.hpp"

namespace tilewright {
namespace {

// What one cell may be taken from: a kernel, or the same with several work-groups.
using Candidates = std::vector<std::size_t>;

class KernelsTable {
 public:
  KernelsTable(const SeedTable& table, TableBench& bench);
  TableReport run();

 private:
  Candidates candidates(const std::string& kernel);
  std::size_t add(const std::string& kernel);
  std::string theirs(const nlohmann::json& column, const GemmShape& shape) const;
  std::string here(const nlohmann::json& column, const Candidates& from, const PointBenchRow& row);
  double in_unit(double gflops, const GemmShape& shape) const;
  std::string claim(const nlohmann::json& claim, const PointBenchReport& report) const;
  std::optional<double> ratio(const std::string& of, const std::string& over,
                              const PointBenchReport& report) const;

  const SeedTable& table_;
  TableBench& bench_;
  bool is_time_;
  PointBenchOptions options_;
  std::map<std::string, Candidates> by_kernel_;
};

KernelsTable::KernelsTable(const SeedTable& table, TableBench& bench)
    : table_(table), bench_(bench), is_time_(table.data.at("unit") == "us") {
  options_.shapes = bench.request().shapes;
  if (options_.shapes.empty()) {
    for (const std::int64_t size : table.data.value("sizes", std::vector<std::int64_t>{})) {
      options_.shapes.push_back({size, size, size});
    }
    for (const std::string& shape : table.data.value("shapes", std::vector<std::string>{})) {
      options_.shapes.push_back(parse_shape(shape).value());
    }
  }
  options_.seconds_per_shape = bench.request().seconds;
  options_.measure.max_dispatch_ns = bench.request().max_dispatch_ns;
  options_.command = bench.request().command;
  for (const auto& column : table.data.at("columns")) {
    for (const std::string kernel : column.at("here")) by_kernel_[kernel] = candidates(kernel);
  }
}

std::size_t KernelsTable::add(const std::string& kernel) {
  const ChosenPoint chosen = choose_points(kernel, "--table").at(0);
  const auto same = [&](const ChosenPoint& other) { return other.name == chosen.name; };
  const auto known = std::find_if(options_.points.begin(), options_.points.end(), same);
  const auto at = static_cast<std::size_t>(known - options_.points.begin());
  if (known == options_.points.end()) options_.points.push_back(chosen);
  return at;
}

Candidates KernelsTable::candidates(const std::string& kernel) {
  if (kernel.empty()) return {};
  Candidates all;
  for (const std::string& work_group :
       table_.data.value("work_groups", std::vector<std::string>{})) {
    all.push_back(add(fmt::format("{}@{}", kernel, work_group)));
  }
  if (all.empty()) all.push_back(add(kernel));
  return all;
}

// Theirs count 2 N^2 (N + 1) in one document: scaling C is work, too.
double KernelsTable::in_unit(double gflops, const GemmShape& shape) const {
  if (is_time_) return 1e-3 * flops(shape) / gflops;
  if (table_.data.at("flops") == "2 N^3") return gflops;
  return gflops * static_cast<double>(shape.k + 1) / static_cast<double>(shape.k);
}

std::string KernelsTable::theirs(const nlohmann::json& column, const GemmShape& shape) const {
  const auto sizes = table_.data.value("sizes", std::vector<std::int64_t>{});
  const auto at =
      static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), shape.m) - sizes.begin());
  if (!column.contains("theirs") || at == sizes.size() || shape.m != shape.n ||
      shape.k != shape.m) {
    return "-";
  }
  const std::string figure = fmt::format("{:g}", column["theirs"].at(at).get<double>());
  if (!column.contains("spread")) return figure;
  return fmt::format("{} +- {:g}", figure, column["spread"].at(at).get<double>());
}

std::string KernelsTable::here(const nlohmann::json& column, const Candidates& from,
                               const PointBenchRow& row) {
  const std::string statistic = column.value("statistic", table_.data.value("statistic", "median"));
  std::vector<double> rounds;
  std::optional<std::size_t> best;
  for (const std::size_t point : from) {
    if (!row.gflops[point]) continue;
    if (!best || row.gflops[point]->median > row.gflops[*best]->median) best = point;
    for (const double gflops : row.rounds_gflops[point]) rounds.push_back(gflops);
  }
  if (!best) return "-";
  const auto figure = [&](double gflops) {
    const double value = in_unit(gflops, row.shape);
    return value >= 100.0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  };
  if (statistic == "high") return figure(*std::max_element(rounds.begin(), rounds.end()));
  const Summary of = statistic == "best" ? *row.gflops[*best] : summarize(rounds);
  const auto [low, high] = is_time_ ? std::pair(of.high, of.low) : std::pair(of.low, of.high);
  std::string text = fmt::format("{} ({}-{})", figure(of.median), figure(low), figure(high));
  if (statistic != "best") return text;
  const std::string& name = options_.points[*best].name;
  const std::size_t group = name.find('@');
  return group == std::string::npos ? text : text + " " + name.substr(group);
}

// A geometric mean over the sizes that both have.
std::optional<double> KernelsTable::ratio(const std::string& of, const std::string& over,
                                          const PointBenchReport& report) const {
  const auto found = [&](const std::string& kernel, const PointBenchRow& row) {
    const auto known = by_kernel_.find(kernel);
    return known == by_kernel_.end() || known->second.empty() ? std::nullopt
                                                              : row.gflops[known->second.front()];
  };
  double logarithms = 0.0;
  int count = 0;
  for (const PointBenchRow& row : report.rows) {
    const auto [above, below] = std::pair(found(of, row), found(over, row));
    if (!above || !below) continue;
    logarithms += std::log(above->median / below->median);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(logarithms / count);
}

std::string KernelsTable::claim(const nlohmann::json& claim, const PointBenchReport& report) const {
  const std::string of = claim.at("of");
  const std::string over = claim.at("over");
  const auto text = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
  };
  const std::string their_over =
      by_kernel_.contains(over + "-original@4x16") ? over + "-original@4x16" : over + "-original";
  return fmt::format("{}: theirs {:g}; their kernels here {}, ours here {} (geometric means)",
                     claim.at("text").get<std::string>(), claim.at("theirs").get<double>(),
                     text(ratio(of + "-original", their_over, report)),
                     text(ratio(of, over, report)));
}

TableReport KernelsTable::run() {
  const PointBenchReport report =
      run_point_benchmark(bench_.worker(), options_, [&](const PointBenchReport& so_far) {
        bench_.request().told(to_text(so_far.rows.back().shape) + " is measured");
      });
  TableReport made;
  made.conditions = report.conditions;
  made.crashes = report.crashes;
  Grid grid{{"m x n x k", "column", "theirs", "their kernel here", "ours here"}, {}};
  for (const PointBenchRow& row : report.rows) {
    for (const auto& column : table_.data.at("columns")) {
      const Candidates& original = by_kernel_.at(column.at("here")[0]);
      const Candidates& ours = by_kernel_.at(column["here"][1]);
      grid.rows.push_back({to_text(row.shape), column.at("title"), theirs(column, row.shape),
                           here(column, original, row), here(column, ours, row)});
    }
  }
  made.grids = {std::move(grid)};
  made.notes.push_back(fmt::format(
      "{}; here medians (10th-90th percentile) of the kernel's {}, kernels take turns",
      is_time_ ? "us" : "GFLOPS of " + table_.data.at("flops").get<std::string>(), report.timer));
  for (const auto& one : table_.data.value("claims", nlohmann::json::array())) {
    made.notes.push_back(claim(one, report));
  }
  if (!report.in_part.empty()) {
    made.notes.push_back(
        fmt::format("{} measurements are of some rows at a time: no launch is to take longer than "
                    "{:.0f} ms (--max-dispatch)",
                    report.in_part.size(), 1e-6 * options_.measure.max_dispatch_ns));
  }
  // Of many work-groups most are beyond some device's limits.
  constexpr std::ptrdiff_t kTold = 6;
  const auto missing = static_cast<std::ptrdiff_t>(report.missing.size());
  made.notes.insert(made.notes.end(), report.missing.begin(),
                    report.missing.begin() + std::min(kTold, missing));
  if (missing > kTold) made.notes.push_back(fmt::format("and {} more like these", missing - kTold));
  return made;
}

}  // namespace

TableReport kernels_table(const SeedTable& table, TableBench& bench) {
  return KernelsTable(table, bench).run();
}

}  // namespace tilewright

// Tables of what a library serves: best rates, parameters, CPU and device.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/bench/benchmark.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/tables/table_bench.hpp"

namespace tilewright {
namespace {

BenchReport measured_products(const SeedTable& table, TableBench& bench) {
  BenchOptions options;
  options.shapes = bench.request().shapes;
  if (options.shapes.empty()) {
    for (const std::string shape : table.data.at("shapes")) {
      options.shapes.push_back(parse_shape(shape).value());
    }
  }
  options.ops = {Op::kNN, Op::kNT, Op::kTN};
  options.rivals = table.data.at("rivals").get<std::vector<std::string>>();
  options.profile = bench.request().profile;
  options.seconds_per_product = bench.request().seconds;
  options.max_dispatch_ns = bench.request().max_dispatch_ns;
  options.command = bench.request().command;
  return run_benchmark(bench.worker(), options, [&](const BenchReport& report) {
    const BenchResult& result = report.results.back();
    bench.request().told(
        fmt::format("{} {} is measured", to_text(result.op), to_text(result.shape)));
  });
}

// The greatest median of all products; 0: there is none.
double best(const BenchReport& report) {
  double most = 0.0;
  for (const BenchResult& result : report.results) {
    if (result.gflops.samples > 0) most = std::max(most, result.gflops.median);
  }
  return most;
}
double best_of_rival(const BenchReport& report, const std::string& rival) {
  double most = 0.0;
  for (const BenchResult& result : report.results) {
    const auto found = result.rivals.find(rival);
    if (found != result.rivals.end()) most = std::max(most, found->second.median);
  }
  return most;
}

std::string figure(double value) {
  return value > 0.0 ? fmt::format("{:.3g}", value) : "-";
}

Grid peaks(const SeedTable& table, const BenchReport& report, double known_peak) {
  const double peak = std::max(known_peak, best(report));
  Grid grid{{"here", "GFLOPS", "% of peak"}, {}};
  const auto add = [&](const std::string& who, double gflops) {
    grid.rows.push_back({who, figure(gflops), figure(100.0 * gflops / peak)});
  };
  add("tilewright", best(report));
  for (const std::string rival : table.data.at("rivals")) add(rival, best_of_rival(report, rival));
  return grid;
}

Grid parameters(const BenchReport& report) {
  Grid grid{{"here", "kernel"}, {}};
  for (const BenchResult& result : report.results) {
    grid.rows.push_back(
        {fmt::format("{} {}", to_text(result.op), to_text(result.shape)), result.kernel});
  }
  return grid;
}

}  // namespace

TableReport products_table(const SeedTable& table, TableBench& bench) {
  const BenchReport report = measured_products(table, bench);
  const std::string show = table.data.at("show");
  TableReport made;
  made.conditions = report.conditions;
  made.crashes = report.crashes.size();
  made.grids.push_back(their_grid(table));
  if (show == "parameters") {
    made.grids.push_back(parameters(report));
  } else {
    made.grids.push_back(peaks(table, report, bench.peak_gflops(report.rates)));
    made.notes.push_back("here: end to end, the best median of NN, NT and TN on all shapes");
  }
  if (table.data.contains("reason")) made.notes.push_back(table.data["reason"]);
  made.notes.insert(made.notes.end(), report.crashes.begin(), report.crashes.end());
  made.notes.push_back(fmt::format("profile: {}", report.profile));
  return made;
}

}  // namespace tilewright

// Tables of nets: what a forward takes on the CPU and on the device.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/bench/profile_choice.hpp"
#include "tuner/networks/net_bench.hpp"
#include "tuner/networks/net_choice.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/tables/table_bench.hpp"

namespace tilewright {
namespace {

constexpr const char* kCpu = "cblas";

std::string ms(const Summary& ns) {
  return fmt::format("{:.3g} ({:.3g}-{:.3g})", 1e-6 * ns.median, 1e-6 * ns.low, 1e-6 * ns.high);
}

NetBenchReport measured_net(const std::string& net, std::int64_t batch, TableBench& bench) {
  NetBenchOptions options;
  options.model_name = net;
  options.batches = {batch};
  options.rivals = {kCpu};
  options.profile = choose_profile(bench.request().profile);
  options.seconds_per_batch = bench.request().seconds;
  options.command = bench.request().command;
  return run_net_benchmark(
      bench.device(), choose_net(net), options, [](const NetBenchReport&) {},
      [](const NetResult&) {});
}

std::string shortest(const nlohmann::json& number) {
  return fmt::format("{}", number.get<double>());
}

std::string cpu_text(const NetResult& result) {
  const auto cpu = result.rivals.find(kCpu);
  return cpu == result.rivals.end() ? "-" : ms(cpu->second);
}

// Of one net: the forward, or each of its steps.
void add_forward(Grid& grid, const NetResult& result) {
  grid.header = {"where", "theirs", "here, ms"};
  grid.rows.push_back({"CPU", "a plot", cpu_text(result)});
  grid.rows.push_back({"device", "a plot", ms(result.forward_ns)});
}
void add_steps(Grid& grid, const NetResult& result) {
  grid.header = {"step", "theirs", "here, ms", "% of the steps", "kernels"};
  double all_ns = 0.0;
  for (const NetStepResult& step : result.steps) {
    if (step.device_ns) all_ns += step.device_ns->median;
  }
  for (const NetStepResult& step : result.steps) {
    const auto& ns = step.device_ns;
    grid.rows.push_back({step.step.name, "a plot", ns ? ms(*ns) : "-",
                         ns ? fmt::format("{:.0f}", 100.0 * ns->median / all_ns) : "-",
                         fmt::format("{}", fmt::join(step.step.kernels, "+"))});
  }
}

// Of many nets: a row each. Theirs: ms on the CPU and on the GPU, and the speedup that they print.
void add_speedup(Grid& grid, const std::string& net, const nlohmann::json& theirs,
                 const NetResult& result) {
  grid.header = {"net",      "CPU theirs",  "GPU theirs",  "speedup theirs",
                 "CPU here", "device here", "speedup here"};
  const auto rival = result.rivals.find(kCpu);
  grid.rows.push_back(
      {net, shortest(theirs.at(0)), shortest(theirs.at(1)), shortest(theirs.at(2)),
       cpu_text(result), ms(result.forward_ns),
       rival == result.rivals.end() ? "-" : fmt::format("{:.2f}", result.ratio(kCpu))});
}
void add_utilisation(Grid& grid, const std::string& net, const nlohmann::json& theirs,
                     double their_peak, const NetResult& result, double peak) {
  grid.header = {"net", "% of peak theirs", "% of peak here"};
  const double gflops = 1e-6 * result.flops / theirs.at(1).get<double>();
  grid.rows.push_back({net, fmt::format("{:.0f}", 100.0 * gflops / their_peak),
                       percent_of_peak(result.gflops(), peak)});
}

}  // namespace

TableReport nets_table(const SeedTable& table, TableBench& bench) {
  const std::string show = table.data.at("show");
  TableReport made;
  Grid grid;
  // Nets are measured in this process. On an H100 a worker that was started when it had opened the
  // device found no platform of NVIDIA's, so the worker comes first.
  const double measured_peak = show == "utilisation" ? bench.peak_gflops({}) : 0.0;
  std::vector<NetBenchReport> reports;
  for (const std::string net : table.data.at("nets")) {
    reports.push_back(measured_net("preset:" + net, table.data.at("batch"), bench));
    const NetResult& result = reports.back().results.at(0);
    const nlohmann::json& theirs = table.data.at("theirs");
    if (show == "forward") add_forward(grid, result);
    if (show == "steps") add_steps(grid, result);
    if (show == "speedup") add_speedup(grid, net, theirs.at(net), result);
    if (show == "utilisation") {
      add_utilisation(grid, net, theirs.at(net), table.data.at("peak_gflops"), result,
                      measured_peak);
    }
  }
  const NetBenchReport& last = reports.back();
  made.conditions = last.conditions;
  made.notes.push_back(fmt::format("profile: {}", last.profile));
  for (const auto& [rival, details] : last.rival_details) {
    made.notes.push_back(fmt::format("{}: {}", rival, details));
  }
  made.grids = {std::move(grid)};
  return made;
}

}  // namespace tilewright

#include <fmt/format.h>

#include <filesystem>

#include "profiles/printable.hpp"
#include "tuner/networks/net_bench.hpp"
#include "tuner/records/shares.hpp"

namespace tilewright {
namespace {

std::string time_text(const Summary& ns) {
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", 1e-3 * ns.median, 1e-3 * ns.low, 1e-3 * ns.high);
}

std::string rate_text(double gflops) {
  return gflops > 0.0 ? fmt::format("{:.1f}", gflops) : "-";
}

std::string line(const std::string& what, const std::string& time, double gflops,
                 double peak_gflops, const std::string& rest) {
  return fmt::format("  {:<28}{:>28}{:>10}{:>8}  {}\n", what, time, rate_text(gflops),
                     percent_of_peak(gflops, peak_gflops), rest);
}

}  // namespace

std::string to_table(const NetResult& result, double peak_gflops) {
  std::string text = fmt::format("batch {}\n", result.batch);
  text += fmt::format("  {:<28}{:>28}{:>10}{:>8}\n", "", "us", "GFLOPS", "% peak");
  for (const NetStepResult& step : result.steps) {
    text += line(printable(step.step.name), step.device_ns ? time_text(*step.device_ns) : "-",
                 step.gflops(), peak_gflops, fmt::format("{}", fmt::join(step.step.kernels, "+")));
  }
  text += line("forward, wall time", time_text(result.forward_ns), result.gflops(), peak_gflops,
               fmt::format("% launch: {:.0f}", 100.0 * result.launch_share()));
  for (const auto& [name, ns] : result.rivals) {
    text += line(std::filesystem::path(name).stem().string(), time_text(ns),
                 result.flops / ns.median, 0.0, fmt::format("ratio {:.2f}", result.ratio(name)));
  }
  text += line("launch floor", time_text(result.launch_floor_ns), 0.0, 0.0,
               "an empty kernel and the wait for it");
  return text;
}

}  // namespace tilewright

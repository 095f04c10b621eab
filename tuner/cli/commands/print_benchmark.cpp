#include "tuner/cli/commands/print_benchmark.hpp"

#include <cstdio>

#include "tuner/cli/print.hpp"
#include "tuner/doctor/machine_load.hpp"

namespace tilewright {
namespace {

void print_end(bool json, const BenchReport& report) {
  if (json) {
    print_lines(to_json(report) + "\n");
  } else {
    if (report.results.empty()) print_lines(heading(report));
    print_lines(footer(report));
  }
  std::fflush(standard_output());
}

void print_warning(const std::string& warning) {
  if (!warning.empty()) print(stderr, "{}\n", warning);
}

}  // namespace

int print_benchmark(DeviceWorker& worker, bool json, BenchReport& report,
                    const std::function<void(const ResultDone& done)>& run) {
  const DeviceInfo& facts = worker.facts();
  if (facts.kind == DeviceKind::kCpu && !facts.clock_warning.empty()) {
    print(stderr, "{}\n", facts.clock_warning);
  }
  try {
    run([&](const BenchReport& so_far) {
      if (json) return;
      if (so_far.results.size() == 1) print_lines(heading(so_far));
      print_lines(to_text(so_far, so_far.results.back()));
      std::fflush(standard_output());
    });
  } catch (...) {
    // The results are printed before the error message.
    if (!report.results.empty()) print_end(json, report);
    throw;
  }
  print_end(json, report);
  print_lines(stderr, worker.last_words());  // output of drivers and competitors
  if (report.crashes == 0) return 0;
  if (report.kind == BenchKind::kProducts || report.kind == BenchKind::kNetwork) {
    for (const std::string& sentence : report.missing) print(stderr, "tilewright: {}\n", sentence);
  }
  print(stderr,
        "tilewright: {} failures; if kernels of a profile failed, `tilewright verify` names them\n",
        report.crashes);
  return 1;
}

int measure_with_load_warnings(const std::function<int(BenchReport& report)>& measure) {
  const LoadWatch load;
  print_warning(load.at_start());
  BenchReport report;
  const int exit_code = measure(report);
  std::vector<Summary> times;
  for (const BenchResult& result : report.results) {
    for (const BenchFigure& figure : result.figures) times.push_back(figure.ns());
  }
  print_warning(load.at_end(times));
  return exit_code;
}

}  // namespace tilewright

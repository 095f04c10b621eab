// Prints the report of a benchmark while it grows.
#pragma once

#include <functional>

#include "tuner/bench/benchmark.hpp"

namespace tilewright {

// Calls `run`, which adds results to the report, and prints each as it comes; as JSON, all at the
// end. If `run` throws, what was measured before is printed. Returns the exit code: 1 if something
// crashed.
int print_benchmark(DeviceWorker& worker, bool json, BenchReport& report,
                    const std::function<void(const ResultDone& done)>& run);

}  // namespace tilewright

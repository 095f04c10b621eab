// Prints the results of a benchmark as they are measured.
#pragma once

#include <functional>

#include "tuner/bench/benchmark.hpp"

namespace tilewright {

// Calls `run`, which adds results to the report and calls `done` after each, and prints each result
// at once. With `json` it prints the whole report at the end. If `run` throws, the results so far
// are printed before the exception is passed on. Returns the exit code: 1 if something crashed.
int print_benchmark(DeviceWorker& worker, bool json, BenchReport& report,
                    const std::function<void(const ResultDone& done)>& run);

}  // namespace tilewright

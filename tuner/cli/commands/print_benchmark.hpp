// Prints the results of a benchmark as they are measured.
#pragma once

#include <functional>

#include "tuner/bench/benchmark.hpp"

namespace tilewright {

// Calls `run`, which adds results to the report and calls `done` after each one. Prints each result
// at once, or with `json` the whole report at the end; then warnings, and what is missing and why.
// If `run` throws, prints the results so far and passes the exception on. Returns the exit code: 1
// if something crashed or hung, otherwise 0.
int print_benchmark(DeviceWorker& worker, bool json, BenchReport& report,
                    const std::function<void(const ResultDone& done)>& run);

// Calls `measure`, which fills a report and ends its workers, and returns its exit code. Warns
// before and after it if other programs use the processors.
int measure_with_load_warnings(const std::function<int(BenchReport& report)>& measure);

}  // namespace tilewright

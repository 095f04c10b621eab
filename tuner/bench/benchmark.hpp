// Measures products or the forward pass of a network end to end, alternating with competitors.
//
// Times are wall times from the call to the complete result, including packing and launches. The
// measurements run in a worker process.
#pragma once

#include <functional>
#include <vector>

#include "tuner/bench/bench_protocol.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Called after each result with the report so far; the result is its last one.
using ResultDone = std::function<void(const BenchReport&)>;

// Called with each loss of a worker process because of which something is not measured.
using ResultLost = std::function<void(const WorkerLost&)>;

// Measures each request and adds its result to the report. The result of each competitor is checked
// before it is timed; a wrong result is a WrongResult. If the worker reports an error, crashes or
// hangs, the competitor that caused it is skipped, and a new worker measures the others. Throws
// Error if the profile cannot be opened.
void run_benchmark(
    DeviceWorker& worker, const std::vector<BenchRequest>& requests, BenchReport& report,
    const ResultDone& done, const ResultLost& lost = [](const WorkerLost&) {});

}  // namespace tilewright

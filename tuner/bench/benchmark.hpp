// Measures products or a net's forward end to end, in turns with competitors.
//
// Wall time from the call to the finished result, packing and launches included, in a worker
// process.
#pragma once

#include <functional>
#include <vector>

#include "tuner/bench/bench_protocol.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {

// Called with the report so far after each result, which is its last.
using ResultDone = std::function<void(const BenchReport&)>;

// Measures each request and adds its result to the report. Before a competitor is timed, its result
// is checked; a wrong one is an Error. What the worker reports an error of, dies of or hangs in is
// left out, and the others go on in the next worker. Throws Error if the profile cannot be opened.
void run_benchmark(DeviceWorker& worker, const std::vector<BenchRequest>& requests,
                   BenchReport& report, const ResultDone& done);

}  // namespace tilewright

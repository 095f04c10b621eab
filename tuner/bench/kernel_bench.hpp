// Measures the kernels of points alternately.
//
// The operands are already in the layouts of the kernel. Times are device times if the device has a
// timer. Kernels are verified before they are timed; incorrect ones get no figure.
#pragma once

#include <vector>

#include "tuner/bench/benchmark.hpp"
#include "tuner/bench/point_choice.hpp"

namespace tilewright {

struct KernelBenchOptions {
  double seconds =
      0.0;  // time per shape or size, for all kernels; the minimum of rounds runs anyway
  MeasureOptions measure = {};
};

// Measures the kernel of each point on each shape, for at least five rounds. Throws Error if the
// device or its driver is broken.
void bench_points(DeviceWorker& worker, const std::vector<ChosenPoint>& points,
                  const std::vector<GemmShape>& shapes, const KernelBenchOptions& options,
                  BenchReport& report, const ResultDone& done);

}  // namespace tilewright

// Chooses points by option values, and measures their kernels alternately.
//
// The operands are already in the layouts of the kernel. Times are device times if the device has a
// timer. Kernels are verified before they are timed; incorrect ones get no figure.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/space/named_points.hpp"
#include "tuner/bench/benchmark.hpp"

namespace tilewright {

// Returns the point with that name. Throws UsageError with the option and all names.
const NamedPoint& choose_point(const std::string& name, const char* option);

struct ChosenPoint {
  std::string name;  // name of a named point; otherwise name of its kernel
  ParameterPoint point;
};

// Parses a comma-separated list of names and of points in the format of profiles ("gemm tile_m=4").
// Duplicates are removed. "published" stands for all named points, which are from publications.
// Throws UsageError with the option.
std::vector<ChosenPoint> choose_points(const std::string& list, const char* option);

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

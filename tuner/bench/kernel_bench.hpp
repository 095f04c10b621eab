// Measures single kernels alternately: those of points, or the pack kernels of a profile.
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

// Measures each pack kernel of the profile (an argument of choose_profile()) for at least nine
// rounds, on the sizes for which plans use it: a square matrix that may fit into caches, and one
// that does not. For comparison, a copy of the same number of bytes is measured alternately with
// the kernels. Throws Error if the profile has no pack kernels, or the device or its driver is
// broken.
void bench_packs(DeviceWorker& worker, const std::string& profile,
                 const KernelBenchOptions& options, BenchReport& report, const ResultDone& done);

// Returns the bytes that a pack kernel moves per element: it reads one and writes one. Padding does
// not count.
constexpr double packed_bytes_per_element(Precision precision) {
  return 2.0 * static_cast<double>(bytes_per_element(precision));
}

// Converts a figure of a profile to GB/s (10^9 bytes, read and written); 0 for 0.
double pack_gbytes_per_s(double ns_per_element, Precision precision = Precision::kSingle);

}  // namespace tilewright

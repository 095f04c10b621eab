// Measures kernels alone, in turns: those of points, or the pack kernels of a profile.
//
// Time of the kernel on operands that already lie as it wants them, device time where the device
// has a timer. Kernels are verified before they are timed; the others have no figure.
#pragma once

#include <vector>

#include "tuner/bench/benchmark.hpp"
#include "tuner/bench/point_choice.hpp"

namespace tilewright {

struct KernelBenchOptions {
  double seconds = 0.0;  // of one shape or size, all kernels together; some rounds run in any case
  MeasureOptions measure = {};
};

// Measures the kernel of each point on each shape, for at least five rounds. Throws Error if the
// device or its driver is broken.
void bench_points(DeviceWorker& worker, const std::vector<ChosenPoint>& points,
                  const std::vector<GemmShape>& shapes, const KernelBenchOptions& options,
                  BenchReport& report, const ResultDone& done);

// Measures each pack kernel of the profile (as choose_profile() takes it), for at least nine
// rounds, on the sizes for which plans take it: a square matrix that caches may hold, and one that
// none holds. Packing reads and writes as a copy does: a copy of as many bytes takes turns with the
// kernels. Throws Error if the profile has none, or the device or its driver is broken.
void bench_packs(DeviceWorker& worker, const std::string& profile,
                 const KernelBenchOptions& options, BenchReport& report, const ResultDone& done);

// Bytes that a pack kernel moves for an element: one is read, one is written. Padding does not
// count.
constexpr double packed_bytes_per_element(Precision precision) {
  return 2.0 * static_cast<double>(bytes_per_element(precision));
}

// GB/s (10^9 bytes, read and written) that a profile's figure means; 0 for 0.
double pack_gbytes_per_s(double ns_per_element, Precision precision = Precision::kSingle);

}  // namespace tilewright

// What the models predict about a kernel before it is compiled.
#pragma once

#include <string>
#include <vector>

#include "codelets/model/cache_model.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Predictions for one kernel on one GPU.
struct Expectation {
  int registers = 0;  // lower bound of the number of registers, each of gpu.vector_width floats
  int residents = 0;  // work-items that are resident on a compute unit at the same time
  CacheFootprint footprint;
  double l1_share = 0.0;  // footprint as a fraction of a compute unit's cache; 0: unknown
  MissPattern misses;
  double min_cache_block_k = 0.0;  // minimum number of k steps between barriers
};

// `gpu` must be known().
Expectation expect(const GemmPoint& point, const GpuFacts& gpu);

// Describes the predictions in sentences. They contain no times, because the models predict none.
std::vector<std::string> explain(const GemmPoint& point, const GpuFacts& gpu);

// Predicted speed as a fraction (0 to 1) of what the kernel could reach. It is lower if too few
// work-items hide latencies, if the work-items need more cache than there is, if (on Midgard) they
// read more places at the same time than the core keeps page addresses, or if barriers cost more
// than loads. It is 1 if nothing is known about the GPU. Use it only to order candidates.
double expected_share(const GemmPoint& point, const GpuFacts& gpu);

}  // namespace tilewright

// What do the models say of a kernel before it is compiled?
#pragma once

#include <string>
#include <vector>

#include "codelets/model/cache_model.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

struct Expectation {
  int registers = 0;  // at least, of gpu.vector_width floats
  int residents = 0;  // work-items at a time on a compute unit
  CacheFootprint footprint;
  double l1_share = 0.0;  // of the cache of a compute unit that the footprint takes; 0: unknown
  MissPattern misses;
  double least_cache_block_k = 0.0;  // steps of k
};

// `gpu` must be known().
Expectation expect(const GemmPoint& point, const GpuFacts& gpu);

// What to expect of the kernel, a sentence each, without a figure of time: the models know none.
std::vector<std::string> explain(const GemmPoint& point, const GpuFacts& gpu);

// The share of its speed that a kernel keeps, by the models: less where few work-items hide each
// other's waiting, where they need more cache than there is, or (Midgard) read more places at a
// time than it finds the addresses of, and where barriers cost more than loads. From 0 to 1, 1
// where nothing is known of the GPU. Only fit to order candidates.
double expected_share(const GemmPoint& point, const GpuFacts& gpu);

}  // namespace tilewright

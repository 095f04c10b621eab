// Proposes candidates for auxiliary kernels (pack, reduction, activation, softmax).
//
// These functions do not access a device.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Returns the points to try, without duplicates and in this order: the points in `first`, then
// points that are known to be fast, then random points. All have the codelet and the required
// parameters of `requirement`.
std::vector<ParameterPoint> auxiliary_candidates(const ParameterPoint& requirement,
                                                 const std::vector<KernelId>& first,
                                                 const SpaceLimits& limits);

// Describes which auxiliary kernel is needed, and how long to search for it.
struct AuxiliaryRequirement {
  ParameterPoint requirement;           // codelet and required parameters of the kernel
  double seconds = 1.0;                 // once a kernel works, no other is started after this time
  std::size_t most = 0;                 // and no more than this many are tried; 0: all
  std::vector<KernelId> first = {};     // tried before all others
  std::vector<KernelId> excluded = {};  // not tried
};
// Creates the request that measures the candidates. Throws std::invalid_argument if `requirement`
// is a product (gemm or gemv).
MeasureRequest auxiliary_request(const AuxiliaryRequirement& requirement, const SpaceLimits& limits,
                                 const MeasureOptions& options);

}  // namespace tilewright

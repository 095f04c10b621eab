// Which kernels beside products suit the device: what is asked of a worker, and which of its
// answers is the best?
//
// Pure: no device.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// Points of the demand's codelet with what the demand names, in the order in which they shall be
// tried, without repeats: those of `first`, some that are known to do well, random ones.
std::vector<ParameterPoint> auxiliary_candidates(const ParameterPoint& demand,
                                                 const std::vector<KernelId>& first,
                                                 const SpaceLimits& limits);

// Rows and columns of the matrix on which the kernel of this point is timed.
int moved_extent(const ParameterPoint& point);

// What the best kernel is wanted for, and how long it is looked for.
struct AuxiliaryDemand {
  ParameterPoint demand;  // of codelet pack, reduce ..., with the demanded parameters given
  double seconds = 1.0;   // once one works, no other is begun after so long,
  std::size_t most = 0;   // and no more than so many are tried; 0: all
  std::vector<KernelId> first = {};     // that are tried before all others
  std::vector<KernelId> excluded = {};  // that are not tried
};
// Throws std::invalid_argument for a product.
MeasureRequest auxiliary_request(const AuxiliaryDemand& demand, const SpaceLimits& limits,
                                 const MeasureOptions& options);
// The fastest of those that work.
PackReply best_auxiliary(const ParameterPoint& demand, const MeasureReply& reply);

}  // namespace tilewright

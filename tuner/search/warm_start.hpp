// Which kernels of a profile should a search try first?
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/profile.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// The points of the profile's gemm and gemv kernels for plain products that serve `op` (by its
// results, or because they read both operands where the op has them) and that are valid on this
// device: first those that came near the best on most shapes. Kernels whose point is not readable
// any more are skipped: a profile may be older than the parameters.
std::vector<ParameterPoint> warm_points(const Profile& profile, Op op, const SpaceLimits& limits);

// The profile as a warm start for another precision: its kernels for single precision are emitted
// anew from their points, whatever their texts are; results keep their times.
Profile warm_profile(const Profile& profile, Precision precision);

// Likewise the points of its other kernels that do what `demand` asks for: a point of codelet pack,
// reduce, activation or softmax.
std::vector<ParameterPoint> warm_auxiliaries(const Profile& profile, const ParameterPoint& demand,
                                             const SpaceLimits& limits);

// What a library may serve the device with before any tuning: of each class that is likely, its
// kernels, then those for every device.
std::vector<Profile> built_in_for(const DeviceInfo& device,
                                  Precision precision = Precision::kSingle);

}  // namespace tilewright

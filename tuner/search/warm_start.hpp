// Selects the kernels of existing profiles that a search tries first.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/profile.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Returns the device as the rules for starting points need it. They count in floats, so for double
// precision the sizes are halved.
DeviceInfo typed_device(DeviceInfo device, Precision precision);

// Returns the points of the profile's gemm and gemv kernels for plain products of `op`. These are
// kernels with results for the op, or that read both of its operands in place, and are valid on
// this device. The kernels that were nearest to the best on most shapes come first. Kernels whose
// point cannot be parsed are skipped, because the profile may be older than the parameters.
std::vector<ParameterPoint> warm_points(const Profile& profile, Op op, const SpaceLimits& limits);

// Returns the profile as a warm start for another precision. Its single-precision kernels are
// emitted anew from their points, and results keep their times.
Profile warm_profile(const Profile& profile, Precision precision);

// Returns the points of the profile's auxiliary kernels that meet a requirement: a pack, reduction,
// activation or softmax point.
std::vector<ParameterPoint> warm_auxiliaries(const Profile& profile,
                                             const ParameterPoint& requirement,
                                             const SpaceLimits& limits);

// Returns the kernels that the library may use on the device without any tuning: the built-in
// profile for the device's own class, then one for each other likely class. Each contains the
// kernels of its class and those for every device.
std::vector<Profile> built_in_for(const DeviceInfo& device,
                                  Precision precision = Precision::kSingle);

}  // namespace tilewright

// Which kernels beside products suit the device: packs, what adds up the parts of a split k, and
// what does a network's part by itself?
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codelets/point/validity.hpp"
#include "tuner/measure/open_device.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

struct TunedPack {
  KernelId kernel;
  // Median, on a square of moved_extent(), or on four parts of 500 x 500 together.
  double ns_per_element = 0.0;
};

using EmitPack = std::function<KernelRecord(const ParameterPoint&)>;
// Told before each candidate is built and before it is launched.
using AboutTo = std::function<void(PhaseKind kind, const std::string& point)>;

// Tries points of the demand's codelet, with what the demand names (layouts, image, bias,
// activation): some that are known to do well, and random ones, but none of those excluded. Of
// activation it names whether to go along memory, too (id_order flat). Checks each element by
// element, and returns the fastest; nullopt if none works. Stops trying after the request's
// seconds or candidates, but not before one works. A demand for a product is a
// std::invalid_argument. Throws Error where a launch is refused, since what follows in the same
// context may be refused for that: ask again in a new one, with the point that was announced last
// among the excluded.
std::optional<TunedPack> tune_pack(OpenDevice& open, const SpaceLimits& limits,
                                   const PackRequest& request, const EmitPack& emit_point,
                                   const AboutTo& about_to);

// Samples of moving, adding up or applying a square of so many rows, in ns of the whole, or why
// there are none.
std::variant<std::vector<double>, Rejection> sample_auxiliary(OpenDevice& open,
                                                              LoadedKernel& kernel,
                                                              std::int64_t extent,
                                                              const MeasureOptions& options);

// The first element that a pack kernel gets wrong, or nullopt. Extents that no tile divides, gaps
// and offsets included; and once with lines that begin at multiples of 64 bytes.
std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel);

}  // namespace tilewright

// On which shapes is a device tuned, if nobody says?
//
// On a few that fill the space of (m, n, k) evenly, on a logarithmic scale: square, tall, wide,
// deep and skinny, with extents in whole vectors and with odd ones. From them a kernel's model is
// fitted, and predicts it on all others. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// What a product must not exceed.
struct ShapeBounds {
  double most_flops = 2e9;
  double most_bytes = 64e6;  // of A, B and C together
  bool operator==(const ShapeBounds&) const = default;
};

// A good kernel does such a product in a fraction of what one dispatch may take, as far as units
// and clock tell, and its matrices are a small part of the device's memory.
ShapeBounds shape_bounds(const DeviceInfo& device, double max_dispatch_ns,
                         Precision precision = Precision::kSingle);

// The shapes of a design: two squares, and shapes of a low-discrepancy sequence (Roberts 2018, "The
// unreasonable effectiveness of quasirandom sequences": the generalised golden ratio) that the seed
// shifts. Extents are from 16 to 4096, but one in five shapes has an m or n below that. Of three
// shapes one is odd. All are different.
std::vector<GemmShape> designed_shapes(std::size_t count, std::uint64_t seed,
                                       const ShapeBounds& bounds);

// So many random shapes of the same kind: those that somebody may want one day.
std::vector<GemmShape> random_shapes(std::size_t count, std::uint64_t seed,
                                     const ShapeBounds& bounds);

// In octaves of m, n and k.
double squared_distance(const GemmShape& a, const GemmShape& b);

// So many of the shapes: the first, then each as far from those before it as can be, of logarithms.
// None is of more than `most_flops`, unless all are.
std::vector<GemmShape> far_apart(std::vector<GemmShape> shapes, std::size_t count,
                                 double most_flops);

}  // namespace tilewright

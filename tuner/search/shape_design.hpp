// Chooses the shapes on which a device is tuned if the user gives none.
//
// They fill the space of (m, n, k) evenly on a logarithmic scale: square, tall, wide, deep and
// skinny shapes, with extents that are multiples of the vector width and with odd ones. A
// performance model of each kernel is fitted to these shapes and predicts its time on all others.
// These functions do not access a device.
#pragma once

#include <cstdint>
#include <vector>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Upper limits for a product.
struct ShapeBounds {
  double max_flops = 2e9;
  double max_bytes = 64e6;  // of A, B and C together
  int gpu_units = 0;        // compute units of a GPU; 0: the device is no GPU
  bool operator==(const ShapeBounds&) const = default;
};

// Returns limits for the device: a good kernel needs only a fraction of max_dispatch_ns, as
// estimated from compute units and clock, and the matrices use at most 1/16 of the device's memory.
ShapeBounds shape_bounds(const DeviceInfo& device, double max_dispatch_ns,
                         Precision precision = Precision::kSingle);

// Returns `count` shapes of a design, and a few more on a GPU. These are two squares, on a GPU up
// to three more, which give each compute unit from 1.25 to 10 work-groups and so show how long an
// almost empty last wave takes, one shape with odd extents, one layer of a network (64 rows) with
// weights as large as the limits permit (up to 4096 x 4096), and shapes from a low-discrepancy
// sequence (Roberts 2018, "The unreasonable effectiveness of quasirandom sequences": the
// generalised golden ratio) that the seed shifts. Extents are from 16 to 4096, except that about
// one in five shapes has an m or n below 16: 1 in the first two of these, 8 to 15 in the others;
// their other extents are from 1024. One in seven shapes of the sequence is deep (m and n up to 96,
// k from 1024), one in seven is a layer of a network (m up to 128, n and k from 256), and one in 14
// is deep with n from 8 to 15. Half of the shapes of the sequence are not rounded to multiples
// of 16. On a GPU, the squares from 256 to 2048 whose extents are powers of two below that of the
// largest square follow: people try these first. All shapes are different.
std::vector<GemmShape> designed_shapes(std::size_t count, std::uint64_t seed,
                                       const ShapeBounds& bounds);

// Returns random shapes of the same kinds except the last, as examples of what users may need. Of
// those with a small m or n, some are vectors and most have 2 to 16 rows or columns, wherever they
// stand in the sequence; their other extents are from 16.
std::vector<GemmShape> random_shapes(std::size_t count, std::uint64_t seed,
                                     const ShapeBounds& bounds);

// Returns the largest square whose extents are multiples of 64 and whose product takes at most
// `max_ns` at the given rate. Its extents are at most 4096, and max_flops of the bounds does not
// apply.
GemmShape square_within(double max_ns, double gflops, ShapeBounds bounds);

// Selects `count` shapes that represent all: the first one, then repeatedly the shape that reduces
// the mean distance, sqrt(squared_distance()), of all shapes to the nearest selected one most.
// Shapes of more than `max_flops` are ignored unless all are larger.
std::vector<GemmShape> representatives(std::vector<GemmShape> shapes, std::size_t count,
                                       double max_flops);

}  // namespace tilewright

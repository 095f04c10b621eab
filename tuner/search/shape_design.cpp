#include "tuner/search/shape_design.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

constexpr double kMinShapeExtent = 16.0;
constexpr double kMaxShapeExtent = 4096.0;
constexpr double kMinFlops = 2e6;  // smaller products consist mainly of launch overhead
constexpr int kNarrowEvery = 5;    // every fifth shape has an m or n of at most kMinShapeExtent
// Fraction of narrow random shapes that are drawn as vectors. More of these are too small.
constexpr double kVectorShare = 1.0 / 3.0;
constexpr int kOddEvery = 2;  // every second shape has extents that are not rounded
// Every seventh shape has few tiles of C and a large k. Kernels that split k among work-items or
// work-groups are intended for these shapes, and hardly any other kernel is fast on them.
constexpr int kDeepEvery = 7;
constexpr int kFirstDeep = 3;            // index of the first such shape
constexpr double kMaxDeepExtent = 96.0;  // of m and n
constexpr double kMinDepth = 1024.0;     // minimum k
// In a design, every 14th shape is deep and has few columns, like the last layer of a classifier.
constexpr int kNarrowAndDeepEvery = 2 * kDeepEvery;
constexpr int kNarrowAndDeep = 8;  // index of the first such shape
// Every seventh shape is a large layer of a network with a small batch: few rows, large n and k.
constexpr int kLayerEvery = kDeepEvery;
constexpr int kLayer = 5;                  // index of the first such shape
constexpr double kMaxBatch = 128.0;        // m
constexpr double kMinLayerExtent = 256.0;  // of n and k
// Minimum of the other extents of a narrow shape of the design, unless it is deep. Smaller ones
// take hardly longer than a launch on a large GPU, so they do not show how fast a kernel reads its
// operands.
constexpr double kMinBesideNarrow = 1024.0;

// Three random numbers from 0 to 1.
using Draw = std::array<double, 3>;

double bytes(const GemmShape& shape) {
  const auto area = [](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(rows) * static_cast<double>(columns);
  };
  return sizeof(float) * (area(shape.m, shape.k) + area(shape.k, shape.n) + area(shape.m, shape.n));
}

bool fits(const GemmShape& shape, const ShapeBounds& bounds) {
  return flops(shape) <= bounds.max_flops && bytes(shape) <= bounds.max_bytes;
}

std::int64_t between(double least, double most, double draw) {
  return std::llround(least * std::pow(most / least, draw));
}

// Rounds to a multiple of 16, large extents to a multiple of 64.
std::int64_t rounded(std::int64_t extent) {
  const std::int64_t step = extent >= 512 ? 64 : 16;
  return std::max(step, (extent + step / 2) / step * step);
}

// A range of extents.
struct Range {
  double least = kMinShapeExtent;
  double most = kMaxShapeExtent;
};

using Ranges = std::array<Range, 3>;  // of m, n and k

constexpr Ranges kDeepRanges = {Range{kMinShapeExtent, kMaxDeepExtent},
                                Range{kMinShapeExtent, kMaxDeepExtent},
                                Range{kMinDepth, kMaxShapeExtent}};

Ranges drawn_from(std::size_t index) {
  Ranges ranges;
  if (index % kDeepEvery == kFirstDeep) {
    ranges = kDeepRanges;
  } else if (index % kLayerEvery == kLayer) {
    ranges[0].most = kMaxBatch;
    ranges[1].least = ranges[2].least = kMinLayerExtent;
  }
  return ranges;
}

GemmShape drawn_shape(const Draw& draw, std::size_t index, const Ranges& ranges) {
  std::array<std::int64_t, 3> extents{};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = between(ranges[i].least, ranges[i].most, draw[i]);
    if (index % kOddEvery != 0) extents[i] = rounded(extents[i]);
  }
  return {extents[0], extents[1], extents[2]};
}

// The extent of a shape that becomes narrow: 0 for m, 1 for n; nullopt if none does.
std::optional<std::size_t> narrow_extent(std::size_t index) {
  const bool is_special = index % kDeepEvery == kFirstDeep || index % kLayerEvery == kLayer;
  if (index % kNarrowEvery != 1 || is_special) return std::nullopt;
  return index / kNarrowEvery % 2;
}

std::int64_t& extent(GemmShape& shape, std::size_t axis) {
  return axis == 0 ? shape.m : shape.n;
}

// The first shape narrow in m and the first narrow in n are vectors, the most frequent case. The
// others have at least 8 rows or columns: a kernel made for 8 to 16 rows or columns also computes
// products with fewer, but is searched only if the design has such a shape.
GemmShape shape_of_design(const Draw& draw, std::size_t index) {
  constexpr double kMinNarrow = 8.0;
  const bool is_narrow_and_deep = index % kNarrowAndDeepEvery == kNarrowAndDeep;
  const auto narrow = is_narrow_and_deep ? std::optional<std::size_t>(1) : narrow_extent(index);
  Ranges ranges = is_narrow_and_deep ? kDeepRanges : drawn_from(index);
  if (narrow && !is_narrow_and_deep) {
    for (Range& range : ranges) range.least = kMinBesideNarrow;
  }
  GemmShape shape = drawn_shape(draw, index, ranges);
  if (narrow) {
    const bool is_vector = !is_narrow_and_deep && index / kNarrowEvery < 2;
    extent(shape, *narrow) =
        is_vector ? 1 : between(kMinNarrow, kMinShapeExtent - 1.0, draw[*narrow]);
  }
  return shape;
}

// Few shapes may be drawn at a time, so chance decides which are vectors.
GemmShape random_shape(const Draw& draw, std::size_t index) {
  GemmShape shape = drawn_shape(draw, index, drawn_from(index));
  if (const auto narrow = narrow_extent(index)) {
    const double rest = (draw[*narrow] - kVectorShare) / (1.0 - kVectorShare);
    extent(shape, *narrow) = rest < 0.0 ? 1 : between(2.0, kMinShapeExtent, rest);
  }
  return shape;
}

// Returns the n-th point of the sequence.
Draw quasirandom(std::size_t n, const Draw& shift) {
  constexpr double kRatio = 1.22074408460575947536;  // the solution of x^4 = x + 1
  Draw draw{};
  double step = 1.0;
  for (std::size_t i = 0; i < draw.size(); ++i) {
    step /= kRatio;
    draw[i] = std::fmod(shift[i] + step * static_cast<double>(n), 1.0);
  }
  return draw;
}

Draw random_draw(std::mt19937_64& random) {
  constexpr double kUnit = 1.0 / 18446744073709551616.0;  // 2^-64
  Draw draw{};
  for (double& each : draw) each = static_cast<double>(random()) * kUnit;
  return draw;
}

GemmShape largest_square(const ShapeBounds& bounds, std::int64_t most) {
  std::int64_t extent = 16;
  while (extent < most && fits({2 * extent, 2 * extent, 2 * extent}, bounds)) extent *= 2;
  return {extent, extent, extent};
}

// A layer of a network with a small batch, with equal n and k. Its weights may not fit into caches.
GemmShape largest_layer(const ShapeBounds& bounds) {
  constexpr std::int64_t kRows = 64;
  auto extent = static_cast<std::int64_t>(kMaxShapeExtent);
  while (extent > kRows && !fits({kRows, extent, extent}, bounds)) extent -= kRows;
  return {kRows, extent, extent};
}

// Squares whose C has 1.25, 2.5 and 5 tiles of 64 x 128 elements for each compute unit of a GPU. A
// kernel with smaller tiles has more work-groups. Between two of the squares, the time makes a step
// that depends on the number of groups that a unit runs at the same time.
std::vector<GemmShape> squares_in_waves(const ShapeBounds& bounds) {
  constexpr double kGroupElements = 64.0 * 128.0;
  std::vector<GemmShape> squares;
  for (const double groups_per_unit : {1.25, 2.5, 5.0}) {
    const double elements = groups_per_unit * bounds.gpu_units * kGroupElements;
    const std::int64_t extent = rounded(std::llround(std::sqrt(elements)));
    const GemmShape square{extent, extent, extent};
    if (elements > 0.0 && fits(square, bounds)) squares.push_back(square);
  }
  return squares;
}

// Adds shapes from `next` until there are `count`. Shapes that do not fit or are there already are
// rejected; the number of attempts is limited.
template <class Next>
void fill(std::vector<GemmShape>& shapes, std::size_t count, const ShapeBounds& bounds,
          const Next& next) {
  constexpr std::size_t kMaxDraws = 1000;  // attempts per shape
  for (std::size_t i = 0; shapes.size() < count && i < kMaxDraws * count; ++i) {
    const GemmShape shape = next(i, shapes.size());
    const bool is_new = std::find(shapes.begin(), shapes.end(), shape) == shapes.end();
    if (is_new && flops(shape) >= kMinFlops && fits(shape, bounds)) shapes.push_back(shape);
  }
}

}  // namespace

ShapeBounds shape_bounds(const DeviceInfo& device, double max_dispatch_ns, Precision precision) {
  // Multiply-adds per compute unit and cycle, and the part of a dispatch that a good kernel may
  // take. The part is small, because candidates may be many times slower than the best kernel, and
  // for GPUs also because a compute unit may have fewer lanes than assumed here. A CPU core
  // multiplies about two of its vectors per cycle.
  const bool gpu = device.side_by_side;
  constexpr int kMinVector = 8;  // otherwise CPUs with narrow vectors have few large products
  const double lanes = gpu ? 64.0 : 2.0 * std::max(device.native_vector_width, kMinVector);
  // Layers of networks have about 3e9 operations. With a smaller part, they would exceed the limit
  // of two cores of 2.1 GHz with AVX-512.
  const double cpu_part = device.native_vector_width > kMinVector ? 0.0625 : 0.05;
  const double part = gpu ? 0.025 : cpu_part;
  constexpr double kMinClock_ghz = 0.5;  // some drivers report less
  const double clock_ghz =
      std::max(kMinClock_ghz, static_cast<double>(device.identity.max_clock_mhz) / 1e3);
  const double gflops = 2.0 * lanes * clock_ghz * std::max(device.identity.compute_units, 1);
  constexpr double kPartOfMemory = 1.0 / 16.0;  // for the three matrices of a product
  ShapeBounds bounds;
  if (gpu) bounds.gpu_units = device.identity.compute_units;
  bounds.max_flops = std::max(2.0 * kMinFlops, gflops * part * max_dispatch_ns);
  if (device.memory_bytes > 0) {
    // bytes() counts floats.
    bounds.max_bytes =
        kPartOfMemory * static_cast<double>(device.memory_bytes) / floats_per_sum(precision);
  }
  return bounds;
}

std::vector<GemmShape> designed_shapes(std::size_t count, std::uint64_t seed,
                                       const ShapeBounds& bounds) {
  std::mt19937_64 random(seed);
  const Draw shift = random_draw(random);
  const GemmShape largest = largest_square(bounds, static_cast<std::int64_t>(kMaxShapeExtent));
  std::vector<GemmShape> shapes = {largest};
  if (largest.m >= 128) shapes.push_back({largest.m / 4, largest.n / 4, largest.k / 4});
  // Odd extents: large operands are packed first, or read element by element.
  const GemmShape odd{largest.m / 8 * 5 - 1, largest.n / 8 * 3 - 1, largest.k / 2 - 1};
  if (shapes.size() < count && flops(odd) >= kMinFlops) shapes.push_back(odd);
  for (const GemmShape& square : squares_in_waves(bounds)) {
    const bool is_new = largest.m < 5 * square.m && 10 * square.m < 9 * largest.m;
    if (shapes.size() < count / 4 && is_new) shapes.push_back(square);
  }
  const GemmShape layer = largest_layer(bounds);
  if (shapes.size() < count && flops(layer) >= kMinFlops) shapes.push_back(layer);
  const std::size_t given = shapes.size();
  fill(shapes, count, bounds, [&](std::size_t draw, std::size_t index) {
    return shape_of_design(quasirandom(draw, shift), index - given);
  });
  for (const std::int64_t extent : {2048, 1024, 512, 256}) {
    const GemmShape square{extent, extent, extent};
    const bool is_new = std::find(shapes.begin(), shapes.end(), square) == shapes.end();
    if (bounds.gpu_units > 0 && extent < largest.m && is_new) shapes.push_back(square);
  }
  return shapes;
}

std::vector<GemmShape> random_shapes(std::size_t count, std::uint64_t seed,
                                     const ShapeBounds& bounds) {
  std::mt19937_64 random(seed);
  std::vector<GemmShape> shapes;
  fill(shapes, count, bounds,
       [&](std::size_t, std::size_t index) { return random_shape(random_draw(random), index); });
  return shapes;
}

GemmShape square_within(double max_ns, double gflops, ShapeBounds bounds) {
  constexpr std::int64_t kStep = 64;
  bounds.max_flops = max_ns * gflops;
  auto extent = static_cast<std::int64_t>(kMaxShapeExtent);
  while (extent > kStep && !fits({extent, extent, extent}, bounds)) extent -= kStep;
  return {extent, extent, extent};
}

std::vector<GemmShape> representatives(std::vector<GemmShape> shapes, std::size_t count,
                                       double max_flops) {
  const auto is_short = [&](const GemmShape& shape) { return flops(shape) <= max_flops; };
  if (std::any_of(shapes.begin(), shapes.end(), is_short)) {
    std::erase_if(shapes, [&](const GemmShape& shape) { return !is_short(shape); });
  }
  const auto distance = [](const GemmShape& a, const GemmShape& b) {
    return std::sqrt(squared_distance(a, b));
  };
  std::vector<GemmShape> chosen;
  std::vector<double> nearest(shapes.size(), std::numeric_limits<double>::infinity());
  // Sum of the distances of all shapes to the nearest selected one, if this one is selected.
  const auto sum_with = [&](const GemmShape& candidate) {
    double sum = 0.0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      sum += std::min(nearest[i], distance(candidate, shapes[i]));
    }
    return sum;
  };
  while (chosen.size() < std::min(count, shapes.size())) {
    const GemmShape next =
        chosen.empty() ? shapes.front()
                       : *std::min_element(shapes.begin(), shapes.end(),
                                           [&](const GemmShape& a, const GemmShape& b) {
                                             return sum_with(a) < sum_with(b);
                                           });
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(next, shapes[i]));
    }
    chosen.push_back(next);
  }
  return chosen;
}

}  // namespace tilewright

#include "tuner/search/screening.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/search/shape_design.hpp"

namespace tilewright {
namespace {

// Extents up to this are narrow.
constexpr std::int64_t kMaxNarrowExtent = 16;
// If there are more than kFew shapes, kRepresentatives of them are chosen.
constexpr std::size_t kFew = 8;
constexpr std::size_t kRepresentatives = 6;

// Returns true if kernels for aligned operands, at least those with the widest vectors, may not
// support the shape.
bool is_odd(const GemmShape& shape) {
  constexpr std::int64_t kVector = 16;  // the widest vectors of OpenCL
  return shape.m % kVector != 0 || shape.n % kVector != 0 || shape.k % kVector != 0;
}

// Returns the shape for which `most` is greatest among those for which `may_be` holds and that have
// at most `max_flops`; nullptr if there is none.
template <class MayBe, class Most>
const GemmShape* greatest(const std::vector<GemmShape>& shapes, double max_flops, MayBe may_be,
                          Most most) {
  const GemmShape* found = nullptr;
  for (const GemmShape& shape : shapes) {
    if (!may_be(shape) || flops(shape) > max_flops) continue;
    if (found == nullptr || most(shape) > most(*found)) found = &shape;
  }
  return found;
}

bool is_among(const std::vector<GemmShape>& shapes, const GemmShape& shape) {
  return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
}

// Adds the largest odd shape. Kernels for aligned operands need packing for it, or its tiles fill
// the last wave of work-groups badly, so the best kernel for large squares may not be the best for
// it.
void add_largest_odd(std::vector<GemmShape>& chosen, const std::vector<GemmShape>& shapes,
                     double max_flops) {
  const GemmShape* largest = greatest(shapes, max_flops, is_odd, flops);
  if (largest != nullptr && !is_among(chosen, *largest)) chosen.push_back(*largest);
}

// Returns k per element of C.
double depth(const GemmShape& shape) {
  return static_cast<double>(shape.k) / static_cast<double>(shape.m * shape.n);
}

// Replaces the chosen shape (except the first) that is nearest to the deepest small shape by that
// shape. Only kernels that split k are fast there, more so the deeper the shape is; a less deep
// shape does not distinguish them from other kernels.
void put_in_deepest(std::vector<GemmShape>& chosen, const std::vector<GemmShape>& shapes,
                    double max_flops) {
  const GemmShape* deepest = greatest(shapes, max_flops, splitting_helps, depth);
  if (deepest == nullptr || chosen.size() < 2 || is_among(chosen, *deepest)) return;
  const auto nearest = std::min_element(
      chosen.begin() + 1, chosen.end(), [&](const GemmShape& a, const GemmShape& b) {
        return squared_distance(a, *deepest) < squared_distance(b, *deepest);
      });
  *nearest = *deepest;
}

constexpr std::int64_t kMinDividedK = 512;  // minimum k for more than one work-group per tile

// Number of tiles of C if each is the tile of a good work-group.
double group_tiles(const GemmShape& shape) {
  constexpr double kTile = 64.0;
  return std::ceil(static_cast<double>(shape.m) / kTile) *
         std::ceil(static_cast<double>(shape.n) / kTile);
}

}  // namespace

Dimension narrow_side(const GemmShape& shape) {
  if (std::min(shape.m, shape.n) > kMaxNarrowExtent) return Dimension::kNone;
  return shape.m < shape.n ? Dimension::kM : Dimension::kN;
}

std::vector<GemmShape> narrow_shapes(const std::vector<GemmShape>& shapes, Dimension narrow) {
  std::vector<GemmShape> result;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(result),
               [&](const GemmShape& shape) { return narrow_side(shape) == narrow; });
  return result;
}

bool splitting_helps(const GemmShape& shape) {
  constexpr double kUnits = 64.0;  // work-groups that keep a device busy
  return shape.k >= kMinDividedK && group_tiles(shape) < kUnits;
}

bool even_division_helps(const GemmShape& shape) {
  constexpr double kManyWaves = 2048.0;  // work-groups of which the last wave is a small part
  return shape.k >= kMinDividedK && group_tiles(shape) < kManyWaves;
}

CostModel screening_costs(const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                          const DeviceRates& rates, const std::vector<Outcome>& outcomes,
                          bool b_prepacked, int compute_units) {
  CostModel costs(ops, screening_shapes(shapes, max_screening_flops(rates)), rates, b_prepacked,
                  compute_units);
  for (const Outcome& outcome : outcomes) costs.learn(outcome);
  return costs;
}

std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes, double max_flops) {
  if (shapes.size() > kFew) {
    const auto is_narrow = [](const GemmShape& shape) {
      return narrow_side(shape) != Dimension::kNone;
    };
    if (!std::all_of(shapes.begin(), shapes.end(), is_narrow)) std::erase_if(shapes, is_narrow);
    const std::vector<GemmShape> all = shapes;
    shapes = representatives(std::move(shapes), kRepresentatives, max_flops);
    put_in_deepest(shapes, all, max_flops);
    add_largest_odd(shapes, all, max_flops);
    std::sort(shapes.begin(), shapes.end(),
              [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
    return shapes;
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  if (shapes.empty()) return shapes;
  const GemmShape largest = shapes.back();
  while (shapes.size() > 1 && flops(shapes.back()) > max_flops) shapes.pop_back();
  std::vector<GemmShape> chosen = shapes;
  if (shapes.size() > 3) chosen = {shapes.front(), shapes[shapes.size() / 2], shapes.back()};
  const auto odd = std::find_if(shapes.rbegin(), shapes.rend(), is_odd);
  if (odd != shapes.rend() && std::none_of(chosen.begin(), chosen.end(), is_odd)) {
    const auto place = std::find_if(chosen.begin(), chosen.end(), [&](const GemmShape& shape) {
      return flops(shape) > flops(*odd);
    });
    chosen.insert(place, *odd);
  }
  // A much larger shape shows effects of caches that the other shapes do not show.
  constexpr double kMuchLarger = 4.0;
  if (flops(largest) > kMuchLarger * flops(chosen.back())) chosen.push_back(largest);
  return chosen;
}

double max_screening_flops(const DeviceRates& rates) {
  constexpr double kUsualGflops = 300.0;  // assumed if the rates are not known
  // A journal contains only the rates for the type that is tuned.
  const double peak = std::max(rates.peak_gflops, rates.double_peak_gflops);
  return kShortLaunch_s * 1e9 * (peak > 0.0 ? peak : kUsualGflops);
}

}  // namespace tilewright

// Selects the shapes on which candidates are measured during a search.
//
// The finals measure on all shapes. These functions do not access a device.
#pragma once

#include <vector>

#include "tuner/search/cost.hpp"

namespace tilewright {

// Returns the dimension of C (kM or kN) in which a shape is so small that kernels for narrow
// products may be used; kNone if neither is.
Dimension narrow_side(const GemmShape& shape);
// Returns the shapes that are narrow in this dimension.
std::vector<GemmShape> narrow_shapes(const std::vector<GemmShape>& shapes, Dimension narrow);

// Returns true if C is so small and k so large that a device may be partly idle unless k is split.
// This depends on the shape alone, because the number of compute units that a driver reports must
// not decide which journals can be merged.
bool splitting_helps(const GemmShape& shape);
// Returns true if the last wave of large work-groups may leave most of a GPU idle unless the k
// steps of all tiles are divided evenly (stream_k). Depends on the shape alone, like
// splitting_helps().
bool even_division_helps(const GemmShape& shape);

// Returns the cost model for these ops on the screening shapes, after learning the outcomes. If
// `b_prepacked` is true op(B) is packed once and kept, so its packing costs nothing.
// `compute_units`: see AuxiliaryCost.
CostModel screening_costs(const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                          const DeviceRates& rates, const std::vector<Outcome>& outcomes,
                          bool b_prepacked = false, int compute_units = 1);

// Returns the screening shapes: enough to show the effect of caches, and small enough for many
// candidates.
//
// For up to eight shapes they are the smallest, the middle and the largest of at most `max_flops`.
// If the extents of all these are multiples of 16, the largest shape with other extents is added,
// because kernels for aligned operands may not support it. The largest of all shapes is added if it
// has more than four times the flops; only promising candidates are measured on it.
//
// For more than eight shapes, narrow ones are left out unless all are narrow. Six representatives
// are chosen, starting with the first. The small and deep shape with the most k per
// element of C replaces the one nearest to it, and the largest shape with an extent that is not a
// multiple of 16 is added.
std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes, double max_flops);
// Returns the flops that a good kernel performs within kShortLaunch_s, which is long enough to show
// the effect of caches on any device.
double max_screening_flops(const DeviceRates& rates);

}  // namespace tilewright

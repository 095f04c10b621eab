// Of many shapes, on which are candidates first measured?
//
// Pure. Finals measure on all of them.
#pragma once

#include <vector>

#include "tuner/search/cost.hpp"

namespace tilewright {

// The dimension of C (kM or kN) in which a shape is so small that kernels for narrow products may
// serve it; kNone: neither.
Dimension narrow_side(const GemmShape& shape);
// The shapes that are narrow in this dimension.
std::vector<GemmShape> narrow_shapes(const std::vector<GemmShape>& shapes, Dimension narrow);

// Is it so small and deep that a device may idle unless k is split? By the shape alone: how many
// compute units a driver tells of must not decide which journals belong together.
bool splitting_helps(const GemmShape& shape);

// What candidates cost that are tried for these ops, on screening_shapes(), as the outcomes teach
// it. b_prepacked as in Beside.
CostModel screening_costs(const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                          const DeviceRates& rates, const std::vector<Outcome>& outcomes,
                          bool b_prepacked = false);

// Least, middle and largest of the shapes, the largest of at most so many flops: enough to see
// what caches do, short enough for many candidates. With them come the largest whose extents are
// not in sixteens, if all of these are (kernels for aligned operands may not serve it), and the
// largest of all, if it has more than four times the flops: trials measure it of promising
// candidates only. Of more than eight, if not all are narrow those that are not: six that lie far
// apart, the first among them, and the small and deep one with the most k for an element of C in
// the place of the nearest other; and the largest odd one.
std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes, double most_flops);
// What a good kernel does in kShortLaunch_s: long enough for what caches do to show, on any device.
double most_screening_flops(const DeviceRates& rates);

}  // namespace tilewright

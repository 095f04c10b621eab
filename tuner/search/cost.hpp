// Computes the cost by which a search ranks its candidates.
//
// The cost is the mean of log(ns per flop) over the screening shapes and over the transpose
// combinations that the search is for. The time is end to end: the kernel plus its predicted
// auxiliary cost. Smaller is better; a difference of 0.01 is 1 % of time. These functions do not
// access a device.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/records/outcome.hpp"
#include "tuner/search/auxiliary_cost.hpp"

namespace tilewright {

// Costs of candidates, which depend on the best times so far.
class CostModel {
 public:
  // If `b_prepacked` is true op(B) is packed once and kept, so its packing costs nothing.
  // `compute_units`: see AuxiliaryCost.
  CostModel(std::vector<Op> ops, std::vector<GemmShape> shapes, const DeviceRates& rates,
            bool b_prepacked = false, int compute_units = 1)
      : ops_(std::move(ops)),
        shapes_(std::move(shapes)),
        auxiliary_(rates, b_prepacked, compute_units) {}

  // Returns the cost of a candidate; nullopt if it was not measured on any shape. On a shape
  // without samples, the candidate counts as slower than the best by the same factor as on the
  // shape before. On a shape that it cannot support it counts as twice the best time. learn() must
  // have been called with the outcome.
  std::optional<double> cost(const Outcome& outcome) const;
  // Returns the cost for each shape separately: the mean of log(ns per flop) over the ops, or
  // infinity if the candidate was not measured on the shape or does not support it.
  std::vector<double> parts(const Outcome& outcome) const;
  // Updates best_ns() with the times of the outcome.
  void learn(const Outcome& outcome);
  // Best known kernel time per shape in ns; infinity if there is none.
  const std::vector<double>& best_ns() const { return best_ns_; }
  const std::vector<GemmShape>& shapes() const { return shapes_; }

  // Returns true if the kernel supports at least one of the shapes for at least one of the ops.
  bool supports_any(const KernelId& kernel) const;

  // Returns the kernel's time plus its auxiliary cost for one op and shape, in ns; infinity if it
  // was not measured or does not support them.
  double total_ns(const Outcome& outcome, Op op, const GemmShape& shape) const;

 private:
  std::vector<Op> ops_;
  std::vector<GemmShape> shapes_;
  AuxiliaryCost auxiliary_;
  std::vector<double> best_ns_ = std::vector<double>(shapes_.size(), kNone);
  static constexpr double kNone = std::numeric_limits<double>::infinity();
};

}  // namespace tilewright

// How good is a candidate for a search?
//
// Pure. A candidate's cost is the mean over the screening shapes, and over the operand combinations
// that the search is for, of log(ns per flop) end to end: the kernel's time, and the predicted
// time of what runs beside it. Less is better; a
// difference of 0.01 is 1 % of time.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/records/outcome.hpp"
#include "tuner/search/beside.hpp"

namespace tilewright {

class CostModel {
 public:
  // b_prepacked as in Beside.
  CostModel(std::vector<Op> ops, std::vector<GemmShape> shapes, const DeviceRates& rates,
            bool b_prepacked = false)
      : ops_(std::move(ops)), shapes_(std::move(shapes)), beside_(rates, b_prepacked) {}

  // nullopt: it failed before it was measured anywhere. On a shape without samples it counts as so
  // many times the best as on the one before it; where it serves others but can never take this
  // one, as twice the best. learn() comes first.
  std::optional<double> cost(const Outcome& outcome) const;
  // The parts that the cost is the mean of, for each shape over the ops: log(ns per flop); infinity
  // where it was not measured, or cannot serve.
  std::vector<double> parts(const Outcome& outcome) const;
  // Takes the outcome's times into account for best_ns().
  void learn(const Outcome& outcome);
  // Least known kernel time per shape; infinity: none yet.
  const std::vector<double>& best_ns() const { return best_ns_; }
  const std::vector<GemmShape>& shapes() const { return shapes_; }

  // Can it serve any of the shapes for any of the ops?
  bool serves_any(const KernelId& kernel) const;

  // The kernel's time for one op on a shape, end to end; infinity where it was not measured, or
  // cannot serve.
  double total_ns(const Outcome& outcome, Op op, const GemmShape& shape) const;

 private:
  std::vector<Op> ops_;
  std::vector<GemmShape> shapes_;
  Beside beside_;
  std::vector<double> best_ns_ = std::vector<double>(shapes_.size(), kNone);
  static constexpr double kNone = std::numeric_limits<double>::infinity();
};

}  // namespace tilewright

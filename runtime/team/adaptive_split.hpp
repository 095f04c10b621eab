// Decides how a team divides the products of one shape, and learns from measured times. Makes no
// measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/team/measured_choice.hpp"
#include "runtime/team/product_part.hpp"
#include "runtime/team/split.hpp"

namespace tilewright {

// Predicted times of the members for parts of one axis of a product.
struct ShapeCurves {
  SplitAxis axis = SplitAxis::kM;
  std::int64_t extent = 0;
  std::int64_t granule = 1;
  std::vector<TimeCurve> curves;  // of each member
};

// What each member computes in one call.
struct Division {
  Choice choice;  // way 0: all members together; 1 + i: member i alone
  SplitAxis axis = SplitAxis::kM;
  std::vector<std::int64_t> parts;  // of each member; 0: none
};

class AdaptiveSplit {
 public:
  // `scales`: measured relative to predicted time of each member while all multiply, if
  // other shapes or a team profile show it. `alone_ratios`: time of each member alone relative to
  // its time while all multiply; empty: 1. `overhead`: measured seconds that a product of all
  // members takes longer than the last one of them.
  AdaptiveSplit(ShapeCurves shape, std::vector<double> scales,
                std::vector<double> alone_ratios = {}, double overhead = 0.0);

  // The division that is predicted to be the fastest. A team must be predicted to be 5 % faster
  // than its best member.
  Division best_predicted() const;
  // The division whose turn it is, retries aside (see MeasuredChoice). Once all alternatives have
  // been measured, the same margin holds for measured times.
  Division current() const { return division({choice_.current()}); }
  // The division that the next call must use, and whose times must be recorded.
  Division next() { return division(choice_.next()); }
  // `seconds`: time of each member from the start of the call to the end of its part, or empty if a
  // member failed; `total`: of the whole call, with what others computed in place of a member that
  // failed. The time of a member changes the split smoothly: the first measured time counts fully,
  // each later one by a quarter and at most by a factor of two. Returns true if other shapes should
  // use the new scales: not if nothing was learned, nor after a retry, because other shapes may
  // have learned newer ones.
  bool record(const Division& division, const std::vector<double>& seconds, double total);

  const std::vector<double>& scales() const { return scales_; }
  // Predicted time of a member for its part.
  double predicted_seconds(std::size_t member, std::int64_t part) const {
    return scales_[member] * shape_.curves[member].seconds(part);
  }

 private:
  double together_seconds(const std::vector<std::int64_t>& parts) const;
  double alone_seconds(std::size_t member) const {
    return alone_ratios_[member] * predicted_seconds(member, shape_.extent);
  }
  // Of each way.
  std::vector<double> expected_seconds() const;
  Division division(const Choice& choice) const;
  void learn_scales(const Division& division, const std::vector<double>& seconds);
  void update_split();

  ShapeCurves shape_;
  std::vector<double> scales_;
  std::vector<double> alone_ratios_;
  double overhead_;
  std::vector<std::int64_t> parts_;  // of all members together
  MeasuredChoice choice_;
  std::size_t num_learned_ = 0;   // calls that changed the scales
  std::size_t num_restarts_ = 0;  // changes of the split that were tried like a new way
};

}  // namespace tilewright

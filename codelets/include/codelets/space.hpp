// How many kernels can the codelet say on this device, and which?
#pragma once

#include <cstdint>
#include <vector>

#include "codelets/validity.hpp"

namespace tilewright {

// All valid points of one operand combination, in the deterministic order of comparison.
class Space {
 public:
  Space(Op op, const SpaceLimits& limits);

  const std::vector<ParameterPoint>& points() const { return points_; }
  // How many points of the full product fell to each rule; indices are those of rules().
  const std::vector<std::int64_t>& fallen() const { return fallen_; }
  // Digest of the texts of all points: equal digests are equal spaces.
  std::string digest() const;
  // The valid points that differ from `point` in one parameter, by one place in its list of values
  // (words like `inner` and `multiply_add`: by any place).
  std::vector<ParameterPoint> neighbours(const ParameterPoint& point) const;

 private:
  void enumerate(std::size_t field, ParameterPoint& point);

  SpaceLimits limits_;
  std::vector<ParameterPoint> points_;
  std::vector<std::int64_t> fallen_;
};

}  // namespace tilewright

// Which features must random points have, so that every feature gets its share of them?
#pragma once

#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "codelets/space/space.hpp"

namespace tilewright {

// Points that have a feature in common; all else is left to chance.
struct PointClass {
  std::string_view name;
  std::string_view codelet;
  // Operands may be packed, padded or in images.
  bool packed = false;
  // The feature as text of points: one of each list is taken. Demanded parameters that are not
  // named have their first values.
  std::vector<std::vector<std::string_view>> features;
};

const std::vector<PointClass>& point_classes();

// A random valid point of the class; nullopt if the limits allow none.
std::optional<ParameterPoint> draw(const PointClass& points, const SpaceLimits& limits,
                                   std::mt19937_64& random,
                                   Precision precision = Precision::kSingle);

}  // namespace tilewright

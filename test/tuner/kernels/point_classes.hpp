// Defines classes of random points, so that every feature occurs in a fixed share of them.
#pragma once

#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "codelets/space/space.hpp"

namespace tilewright {

// Points that have a feature in common; everything else is random.
struct PointClass {
  std::string_view name;
  std::string_view codelet;
  // Operands may be packed, padded or in images.
  bool packed = false;
  // The feature as text of points: one element of each list is taken. Required parameters that are
  // not named have their first values.
  std::vector<std::vector<std::string_view>> features;
};

const std::vector<PointClass>& point_classes();

// Returns a random valid point of the class; nullopt if the limits permit none.
std::optional<ParameterPoint> draw(const PointClass& points, const SpaceLimits& limits,
                                   std::mt19937_64& random,
                                   Precision precision = Precision::kSingle);

}  // namespace tilewright

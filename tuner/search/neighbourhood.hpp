// Estimates the cost of a point from the costs of nearby points.
//
// Points are compared by their coordinates, one number per parameter. A parameter whose values form
// a scale has coordinates from 0 to 1; other parameters have whole numbers, so that different
// values are equally far apart.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// Coordinates of a point.
using NormalizedPoint = std::vector<float>;

// Returns the coordinates of a point; parameters with Field::required are left out. The values of a
// parameter do not form a scale if they are words or layouts, or if the first one is 0 ("none").
NormalizedPoint normalized_point(const ParameterPoint& point);
// Returns true if the values of a parameter form a scale.
bool is_scale(const std::vector<std::string>& values);
// Returns the coordinate of the value with index `value` among `values` values.
float normalized_value(std::size_t value, std::size_t values, bool scale);

// Costs of the points that have been tried.
class Neighbourhood {
 public:
  // Adds a point with its cost.
  void learn(NormalizedPoint places, double cost);
  // Returns the mean cost of the five nearest points, weighted by the inverse square of their
  // distance; 0 if no point is known.
  double expected_cost(const NormalizedPoint& places) const;

 private:
  struct Known {
    NormalizedPoint places;
    double cost;
  };
  std::vector<Known> known_;
};

}  // namespace tilewright

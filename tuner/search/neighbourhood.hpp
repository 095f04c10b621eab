// What do the points tried so far say of one that was not?
//
// Points are compared by their places: a number for each parameter, from 0 to 1 over its list of
// values where these are a scale, else whole numbers.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

using Places = std::vector<float>;

// Parameters that may be 0 ("none"), words and layouts are no scales.
Places places_of(const ParameterPoint& point);
// The same for a list of values in order.
bool is_scale(const std::vector<std::string>& values);
float place_of(std::size_t value, std::size_t values, bool scale);

class Neighbourhood {
 public:
  void learn(Places places, double cost);
  // Of the few nearest, the nearer the more it counts. 0 where nothing is known.
  double expected_cost(const Places& places) const;

 private:
  struct Known {
    Places places;
    double cost;
  };
  std::vector<Known> known_;
};

}  // namespace tilewright

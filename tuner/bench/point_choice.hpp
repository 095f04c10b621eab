// Parses the points that the user names.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/space/named_points.hpp"

namespace tilewright {

// The point of that name. Throws UsageError that names the option and lists what there is.
const NamedPoint& choose_point(const std::string& name, const char* option);

struct ChosenPoint {
  std::string name;  // of a named point; else of the point's kernel
  ParameterPoint point;
};

// The points of a comma-separated list of names and of points as profiles write them ("gemm
// tile_m=4"), without repeats. "published": all named points, which are those of publications.
// Throws UsageError that names the option.
std::vector<ChosenPoint> choose_points(const std::string& list, const char* option);

}  // namespace tilewright

// Parses the points of command-line options.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/space/named_points.hpp"

namespace tilewright {

// Returns the point with that name. Throws UsageError with the option and all names.
const NamedPoint& choose_point(const std::string& name, const char* option);

struct ChosenPoint {
  std::string name;  // name of a named point; otherwise name of its kernel
  ParameterPoint point;
};

// Parses a comma-separated list of names and of points in the format of profiles ("gemm tile_m=4").
// Duplicates are removed. "published" stands for all named points, which are from publications.
// Throws UsageError with the option.
std::vector<ChosenPoint> choose_points(const std::string& list, const char* option);

}  // namespace tilewright

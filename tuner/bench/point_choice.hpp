// Which points does the user mean?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/space/named_points.hpp"

namespace tilewright {

// The point of that name. Throws UsageError that names the option and lists what there is.
const NamedPoint& choose_point(const std::string& name, const char* option);

struct ChosenPoint {
  std::string name;                     // of a named point; else of the point's kernel
  std::optional<ParameterPoint> point;  // nullopt: the foreign kernel of that name
};

// Points from a comma-separated list of names, in which "seeds" stands for all of them, each
// followed by the foreign kernel that it is like, and of points as profiles write them ("gemm
// tile_m=4"), without repeats. NAME@4x16: with another work-group (local sizes of dimensions 0 and
// 1). Throws UsageError that names the option.
std::vector<ChosenPoint> choose_points(const std::string& list, const char* option);

}  // namespace tilewright

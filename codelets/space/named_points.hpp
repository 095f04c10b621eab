// Which kernels of others are points of ours?
//
// The kernels of the three works that tilewright grew from, so that one can run them, compare them
// and argue about them by name.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

struct NamedPoint {
  std::string_view name;
  std::string_view text;    // of the point, as parse_point() reads it
  std::string_view source;  // where the kernel is described
  std::string_view remark;  // what it is, and what we had to choose: a sentence

  ParameterPoint point() const { return parse_point(text); }
};

// In the order of their sources.
const std::vector<NamedPoint>& named_points();

// The point of that name, or nullptr.
const NamedPoint* find_named_point(std::string_view name);

}  // namespace tilewright

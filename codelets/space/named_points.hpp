// Kernels from publications, expressed as points.
//
// They come from the three works that tilewright is based on. With names, they can be run, compared
// and discussed.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// A published kernel.
struct NamedPoint {
  std::string_view name;
  std::string_view text;    // the point, in the format of parse_point()
  std::string_view source;  // publication that describes the kernel
  std::string_view remark;  // what the kernel is and what we had to choose, as a sentence

  ParameterPoint point() const { return parse_point(text); }
};

// All published kernels, in the order of their publications.
const std::vector<NamedPoint>& named_points();

// Returns the point with this name, or nullptr.
const NamedPoint* find_named_point(std::string_view name);

}  // namespace tilewright

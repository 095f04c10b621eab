// Which of the named points does the user mean?
#pragma once

#include <string>
#include <vector>

#include "codelets/named_points.hpp"

namespace tilewright {

// The point of that name. Throws UsageError that names the option and lists what there is.
const NamedPoint& choose_point(const std::string& name, const char* option);

// Points from a comma-separated list of names, in which "seeds" stands for all of them.
std::vector<NamedPoint> choose_points(const std::string& list, const char* option);

}  // namespace tilewright

#include "tuner/point_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tuner/usage_error.hpp"

namespace tilewright {

const NamedPoint& choose_point(const std::string& name, const char* option) {
  if (const NamedPoint* named = find_named_point(name)) return *named;
  std::vector<std::string_view> names;
  for (const NamedPoint& named : named_points()) names.push_back(named.name);
  throw UsageError(fmt::format("{}: '{}' is none of {}", option, name, fmt::join(names, ", ")));
}

std::vector<NamedPoint> choose_points(const std::string& list, const char* option) {
  if (list == "seeds") return named_points();
  std::vector<NamedPoint> points;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const NamedPoint& named = choose_point(name, option);
    const auto same = [&](const NamedPoint& other) { return other.name == named.name; };
    if (std::none_of(points.begin(), points.end(), same)) points.push_back(named);
  }
  if (points.empty()) throw UsageError(fmt::format("{}: no point is named", option));
  return points;
}

}  // namespace tilewright

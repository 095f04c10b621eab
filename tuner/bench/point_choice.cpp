#include "tuner/bench/point_choice.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "profiles/base/usage_error.hpp"

namespace tilewright {

const NamedPoint& choose_point(const std::string& name, const char* option) {
  if (const NamedPoint* named = find_named_point(name)) return *named;
  std::vector<std::string_view> names;
  for (const NamedPoint& named : named_points()) names.push_back(named.name);
  throw UsageError(fmt::format("{}: '{}' is not one of {}", option, name, fmt::join(names, ", ")));
}

std::vector<ChosenPoint> choose_points(const std::string& list, const char* option) {
  std::vector<ChosenPoint> points;
  const auto add = [&](ChosenPoint chosen) {
    const auto same = [&](const ChosenPoint& other) { return other.name == chosen.name; };
    if (std::none_of(points.begin(), points.end(), same)) points.push_back(std::move(chosen));
  };
  if (list == "published") {
    for (const NamedPoint& named : named_points()) add({std::string(named.name), named.point()});
    return points;
  }
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.find('=') == std::string::npos) {
      add({entry, choose_point(entry, option).point()});
      continue;
    }
    try {
      const ParameterPoint point = parse_point(entry);
      add({kernel_name(point), point});
    } catch (const ParameterError& error) {
      throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
  }
  if (points.empty()) throw UsageError(fmt::format("{}: the list of points is empty", option));
  return points;
}

}  // namespace tilewright

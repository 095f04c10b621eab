#include "tuner/bench/point_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "codelets/space/foreign_kernels.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {

namespace {

// The point with another work-group, if it is a product's.
ParameterPoint with_work_group(ParameterPoint point, std::array<int, 2> sizes) {
  auto* gemm = std::get_if<GemmPoint>(&point);
  if (gemm == nullptr) return point;
  const bool nm = gemm->id_order == IdOrder::kNM;
  gemm->work_group_m = sizes[nm ? 1 : 0];
  gemm->work_group_n = sizes[nm ? 0 : 1];
  return point;
}

// A named point or a foreign kernel, with or without another work-group.
ChosenPoint choose_named(const std::string& name, const char* option) {
  try {
    if (find_foreign(name)) return {name, std::nullopt};
    const auto [plain, work_group] = split_work_group(name);
    const ParameterPoint point = choose_point(std::string(plain), option).point();
    return {name, work_group ? with_work_group(point, *work_group) : point};
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

std::vector<ChosenPoint> all_of_the_seeds() {
  std::vector<ChosenPoint> points;
  for (const NamedPoint& named : named_points()) {
    points.push_back({std::string(named.name), named.point()});
    for (const ForeignKernel& foreign : foreign_kernels()) {
      if (foreign.analogue == named.name) points.push_back({foreign.record.name, std::nullopt});
    }
  }
  return points;
}

}  // namespace

const NamedPoint& choose_point(const std::string& name, const char* option) {
  if (const NamedPoint* named = find_named_point(name)) return *named;
  std::vector<std::string_view> names;
  for (const NamedPoint& named : named_points()) names.push_back(named.name);
  for (const ForeignKernel& foreign : foreign_kernels()) names.push_back(foreign.record.name);
  throw UsageError(fmt::format("{}: '{}' is none of {}", option, name, fmt::join(names, ", ")));
}

std::vector<ChosenPoint> choose_points(const std::string& list, const char* option) {
  std::vector<ChosenPoint> points;
  const auto add = [&](ChosenPoint chosen) {
    const auto same = [&](const ChosenPoint& other) { return other.name == chosen.name; };
    if (std::none_of(points.begin(), points.end(), same)) points.push_back(std::move(chosen));
  };
  if (list == "seeds") return all_of_the_seeds();
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.find('=') == std::string::npos) {
      add(choose_named(entry, option));
      continue;
    }
    try {
      const ParameterPoint point = parse_point(entry);
      add({kernel_name(point), point});
    } catch (const ParameterError& error) {
      throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
  }
  if (points.empty()) throw UsageError(fmt::format("{}: no point is named", option));
  return points;
}

}  // namespace tilewright

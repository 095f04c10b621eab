#include "runtime/team/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tilewright {
namespace {

// The largest number of units that a member computes in the given time.
std::int64_t units_within(const TimeCurve& curve, double scale, double seconds, std::int64_t units,
                          std::int64_t granule) {
  std::int64_t low = 0;
  std::int64_t high = units;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (scale * curve.seconds(middle * granule) <= seconds) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// The member whose part ends last.
std::size_t last_member(const std::vector<TimeCurve>& curves, const std::vector<double>& scales,
                        const std::vector<std::int64_t>& units, std::int64_t granule) {
  std::size_t last = 0;
  double latest = -1.0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const double seconds = scales[i] * curves[i].seconds(units[i] * granule);
    if (units[i] > 0 && seconds > latest) {
      last = i;
      latest = seconds;
    }
  }
  return last;
}

// Converts units to elements: the last part that is not 0 ends at the extent.
std::vector<std::int64_t> to_parts(std::vector<std::int64_t> units, std::int64_t extent,
                                   std::int64_t granule) {
  std::int64_t begin = 0;
  for (std::int64_t& part : units) {
    part = std::min(part * granule, extent - begin);
    begin += part;
  }
  return units;
}

}  // namespace

TimeCurve::TimeCurve(std::vector<std::pair<std::int64_t, double>> points)
    : points_(std::move(points)) {
  for (std::size_t i = 1; i < points_.size(); ++i) {
    points_[i].second = std::max(points_[i].second, points_[i - 1].second);
  }
}

// Below the first point the time is proportional to the part, but at least half of the first time,
// because a start and an incomplete tile cost time, too.
double TimeCurve::seconds(std::int64_t part) const {
  if (part <= 0) return 0.0;
  const auto& [first_part, first_seconds] = points_.front();
  if (part <= first_part || points_.size() == 1) {
    const double fraction = static_cast<double>(part) / static_cast<double>(first_part);
    return first_seconds * std::max(0.5, fraction);
  }
  const auto next =
      std::lower_bound(points_.begin() + 1, points_.end() - 1, part,
                       [](const auto& point, std::int64_t value) { return point.first < value; });
  const auto& [low, low_seconds] = *(next - 1);
  const double slope = (next->second - low_seconds) / static_cast<double>(next->first - low);
  return low_seconds + slope * static_cast<double>(part - low);
}

std::vector<std::int64_t> split_evenly_in_time(const std::vector<TimeCurve>& curves,
                                               const std::vector<double>& scales,
                                               std::int64_t extent, std::int64_t granule) {
  const std::int64_t units = (extent + granule - 1) / granule;
  const auto split_within = [&](double seconds) {
    std::vector<std::int64_t> parts;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      parts.push_back(units_within(curves[i], scales[i], seconds, units, granule));
    }
    return parts;
  };
  double high = scales[0] * curves[0].seconds(units * granule);
  for (std::size_t i = 1; i < curves.size(); ++i) {
    high = std::min(high, scales[i] * curves[i].seconds(units * granule));
  }
  double low = 0.0;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (sum(split_within(middle)) >= units ? high : low) = middle;
  }
  std::vector<std::int64_t> parts = split_within(high);
  for (std::int64_t surplus = sum(parts) - units; surplus > 0; --surplus) {
    --parts[last_member(curves, scales, parts, granule)];
  }
  return to_parts(std::move(parts), extent, granule);
}

std::vector<std::int64_t> split_by_shares(const std::vector<double>& shares, std::int64_t extent) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> parts;
  double share = 0.0;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    share += shares[i];
    // The rest of the extent belongs to the last member with a share.
    const bool is_last = std::all_of(shares.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     shares.end(), [](double rest) { return rest <= 0.0; });
    const auto end = is_last ? extent
                             : std::min(extent, static_cast<std::int64_t>(std::llround(
                                                    share / all * static_cast<double>(extent))));
    parts.push_back(end - begin);
    begin = end;
  }
  return parts;
}

double finish_seconds(const std::vector<TimeCurve>& curves, const std::vector<double>& scales,
                      const std::vector<std::int64_t>& parts) {
  double latest = 0.0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    latest = std::max(latest, scales[i] * curves[i].seconds(parts[i]));
  }
  return latest;
}

}  // namespace tilewright

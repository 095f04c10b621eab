// Divides an extent of a product among the members of a team. Pure functions of predicted times.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright {

// Predicted time of one member for a part of an extent.
class TimeCurve {
 public:
  // Points (part of the extent, seconds) with ascending parts above 0; at least one. Between two
  // points the time is interpolated. It never decreases.
  explicit TimeCurve(std::vector<std::pair<std::int64_t, double>> points);

  // 0 for a part of 0: a member without work is not started.
  double seconds(std::int64_t part) const;

 private:
  std::vector<std::pair<std::int64_t, double>> points_;
};

// Returns the part of each member, in members' order, such that the last member finishes as early
// as possible. Parts are multiples of `granule`, except for the last one that is not 0; their sum
// is `extent`. A member whose start takes longer than the others need for everything gets 0.
// `scales`: factor for the times of each member.
std::vector<std::int64_t> split_evenly_in_time(const std::vector<TimeCurve>& curves,
                                               const std::vector<double>& scales,
                                               std::int64_t extent, std::int64_t granule);

// Returns parts in proportion to `shares`, which are at least 0 and of which one is above 0.
// Their sum is finite.
std::vector<std::int64_t> split_by_shares(const std::vector<double>& shares, std::int64_t extent);

// The time of the member that finishes last.
double finish_seconds(const std::vector<TimeCurve>& curves, const std::vector<double>& scales,
                      const std::vector<std::int64_t>& parts);

}  // namespace tilewright

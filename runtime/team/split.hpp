// Divides an extent of a product among the members of a team. Pure functions of predicted times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilewright {

// Predicted seconds in which a member computes a part of the extent that is above 0. `is_shared`:
// while other members compute theirs.
using PartSeconds = std::function<double(std::size_t member, std::int64_t part, bool is_shared)>;

struct Split {
  std::vector<std::int64_t> parts;  // of each member; their sum is the extent
  double seconds = 0.0;             // predicted time until all parts are computed
};

// Chooses the members and their parts. For each number of members, the fastest ones, by their time
// for everything, are considered; the number with the least predicted time is used. A larger number
// must take less than 90 % of the time of one member, because predictions have errors. Parts are
// multiples of `granule`, except for the last one that is not 0.
// `join_seconds`: what several members take in addition to their parts.
Split choose_split(std::size_t num_members, const PartSeconds& seconds, double join_seconds,
                   std::int64_t extent, std::int64_t granule);

// Returns parts in proportion to `shares`, which are at least 0 and of which one is above 0.
// Their sum is finite.
std::vector<std::int64_t> split_by_shares(const std::vector<double>& shares, std::int64_t extent);

}  // namespace tilewright

#include "runtime/team/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

// Several members must take less than this part of the time of one. The fastest products of a
// measurement, from which times are predicted, are up to 10 % faster than the usual ones.
constexpr double kTeamMargin = 0.9;
constexpr int kCorrections = 2;

// A member's time: `start` seconds, and then `per_line` seconds for each line of its part.
struct LinearTime {
  double start = 0.0;
  double per_line = 0.0;
};

LinearTime line_through(std::int64_t part, double part_s, std::int64_t extent, double extent_s) {
  if (part >= extent) return {0.0, extent_s / static_cast<double>(extent)};
  // At least a tenth of the mean, in case that a smaller part is predicted to take longer.
  const double per_line = std::max(0.1 * extent_s / static_cast<double>(extent),
                                   (extent_s - part_s) / static_cast<double>(extent - part));
  return {part_s - per_line * static_cast<double>(part), per_line};
}

// Parts with which members of such times end at the same time. A member without a line, or whose
// start takes longer than the others need for everything, gets 0.
std::vector<std::int64_t> equalize(const std::vector<LinearTime>& times, std::int64_t extent,
                                   std::int64_t granule) {
  double lines = static_cast<double>(extent);
  double rates = 0.0;
  for (const LinearTime& time : times) {
    if (time.per_line <= 0.0) continue;
    lines += time.start / time.per_line;
    rates += 1.0 / time.per_line;
  }
  std::vector<double> shares;
  for (const LinearTime& time : times) {
    const bool takes_part = time.per_line > 0.0;
    shares.push_back(takes_part ? std::max(0.0, (lines / rates - time.start) / time.per_line)
                                : 0.0);
  }
  const std::int64_t units = (extent + granule - 1) / granule;
  std::vector<std::int64_t> parts = split_by_shares(shares, units);
  std::int64_t begin = 0;
  for (std::int64_t& part : parts) {
    part = std::min(part * granule, extent - begin);
    begin += part;
  }
  return parts;
}

// The parts of these members. The times for a quarter of the extent and for all of it are
// predicted, then twice those for the parts that result.
Split split_among(const std::vector<std::size_t>& members, std::size_t num_members,
                  const PartSeconds& seconds, std::int64_t extent, std::int64_t granule) {
  std::vector<double> whole(num_members, 0.0);
  std::vector<LinearTime> times(num_members);
  for (const std::size_t i : members) {
    const std::int64_t quarter = std::max<std::int64_t>(1, extent / 4);
    whole[i] = seconds(i, extent, true);
    times[i] = line_through(quarter, seconds(i, quarter, true), extent, whole[i]);
  }
  Split best{{}, std::numeric_limits<double>::infinity()};
  for (int correction = 0; correction <= kCorrections; ++correction) {
    Split split{equalize(times, extent, granule)};
    for (const std::size_t i : members) {
      const std::int64_t part = split.parts[i];
      if (part == 0) continue;
      const double part_s = seconds(i, part, true);
      split.seconds = std::max(split.seconds, part_s);
      times[i] = line_through(part, part_s, extent, whole[i]);
    }
    if (split.seconds < best.seconds) best = split;
  }
  return best;
}

}  // namespace

Split choose_split(std::size_t num_members, const PartSeconds& seconds, double join_seconds,
                   std::int64_t extent, std::int64_t granule) {
  std::vector<double> alone;
  for (std::size_t i = 0; i < num_members; ++i) alone.push_back(seconds(i, extent, false));
  std::vector<std::size_t> members(num_members);
  std::iota(members.begin(), members.end(), std::size_t{0});
  std::stable_sort(members.begin(), members.end(),
                   [&](std::size_t a, std::size_t b) { return alone[a] < alone[b]; });
  Split best{std::vector<std::int64_t>(num_members, 0), alone[members.front()]};
  best.parts[members.front()] = extent;
  if (extent <= granule) return best;
  double limit = kTeamMargin * best.seconds;
  for (std::size_t count = 2; count <= num_members; ++count) {
    Split split =
        split_among({members.begin(), members.begin() + static_cast<std::ptrdiff_t>(count)},
                    num_members, seconds, extent, granule);
    split.seconds += join_seconds;
    if (split.seconds >= limit) continue;
    limit = split.seconds;
    best = std::move(split);
  }
  return best;
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

}  // namespace tilewright

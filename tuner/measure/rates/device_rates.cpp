#include "tuner/measure/rates/device_rates.hpp"

#include <algorithm>

#include "tuner/measure/sampler.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr int kSizeGrowth = 4;
// The shortest of these runs counts, so that a brief interruption has no effect.
constexpr int kShortRuns = 3;

}  // namespace

double timer_step_ns(const std::vector<LaunchTimes>& launches) {
  std::vector<std::uint64_t> stamps;
  for (const LaunchTimes& launch : launches) {
    stamps.push_back(launch.start_ns);
    stamps.push_back(launch.end_ns);
  }
  std::sort(stamps.begin(), stamps.end());
  std::uint64_t least = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const std::uint64_t step = stamps[i] - stamps[i - 1];
    if (step > 0 && (least == 0 || step < least)) least = step;
  }
  return static_cast<double>(least);
}

bool timestamps_make_sense(const std::vector<LaunchTimes>& launches) {
  return std::all_of(launches.begin(), launches.end(), [](const LaunchTimes& launch) {
    return launch.end_ns > launch.start_ns &&
           makes_sense(static_cast<double>(launch.end_ns - launch.start_ns), launch.wall_ns);
  });
}

std::int64_t copy_buffer_bytes(const MemoryFacts& memory) {
  // The cache size is clamped first: a nonsensical value from the driver could overflow.
  const std::int64_t cache = std::clamp<std::int64_t>(memory.cache_bytes, 0, 64 * kMebibyte);
  std::int64_t bytes = std::max(64 * kMebibyte, 4 * cache);
  if (memory.largest_buffer_bytes > 0) bytes = std::min(bytes, memory.largest_buffer_bytes);
  if (memory.global_bytes > 0) bytes = std::min(bytes, memory.global_bytes / 16);
  return bytes;
}

std::optional<std::int64_t> grown_size(const RunOfSize& run, std::int64_t first, std::int64_t most,
                                       double long_enough_ns) {
  std::int64_t size = std::min(first, most);
  // On some drivers the first launch compiles the kernel.
  if (!run(size)) return std::nullopt;
  while (true) {
    std::optional<double> shortest;
    for (int i = 0; i < kShortRuns; ++i) {
      const std::optional<double> ns = run(size);
      if (!ns) return std::nullopt;
      shortest = std::min(*ns, shortest.value_or(*ns));
      if (*shortest >= long_enough_ns) break;
    }
    if (*shortest >= long_enough_ns || size >= most) return size;
    size = size > most / kSizeGrowth ? most : size * kSizeGrowth;
  }
}

}  // namespace tilewright

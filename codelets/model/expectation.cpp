#include "codelets/model/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codelets/model/occupancy_model.hpp"

namespace tilewright {
namespace {

// Speed factor for each halving of the number of resident work-items. The paper's kernels lose
// about this much from 128 to 64 work-items (compare its tables 1.3 and 1.4).
constexpr double kFewerResidents = 0.85;
// Fraction of the maximum number of resident work-items that is enough to hide latencies (Mali-T600
// paper, 1.3.8: 128 of 256).
constexpr double kEnoughOfResidents = 0.5;
// Speed factor if a work-group does not fit into the registers. Our kernels declare their
// work-group size, so the compiler makes them fit by spilling. In the sweep below, a kernel that
// did not declare it was split instead and lost nothing.
constexpr double kSpills = 0.3;
// Number of places that a Midgard core reads concurrently at full speed. Each of them is in a page
// of its own, and the core keeps few page addresses. On an RK3399, a kernel that reads 24 places
// loses nothing, one with 36 loses 1/30, with 66 half, with 129 two thirds
// (test/tuner/data/t860_work_groups.csv).
constexpr double kMidgardStreams = 32;
// Fraction of the cache that work-items in lockstep may fill. Real work-items diverge and need
// more.
constexpr double kDivergenceMargin = 0.5;

double share_of_residents(const GemmPoint& p, const GpuFacts& gpu, const Expectation& e) {
  const int items = p.work_group_m * p.work_group_n * p.work_group_k;
  if (items > e.residents || e.registers > gpu.registers.back()) return kSpills;
  const double enough = kEnoughOfResidents * gpu.resident_work_items.front();
  double share = 1.0;
  for (double residents = e.residents; residents < enough; residents *= 2) share *= kFewerResidents;
  return share;
}

}  // namespace

Expectation expect(const GemmPoint& point, const GpuFacts& gpu) {
  Expectation e;
  e.registers = expected_registers(point, gpu);
  e.residents = expected_residents(point, gpu);
  const auto element_bytes = static_cast<int>(bytes_per_element(point.precision));
  const int line_bytes = std::max(gpu.cache_line_bytes, element_bytes);
  const int line_elements = line_bytes / element_bytes;
  e.footprint = cache_footprint(point, e.residents, line_elements);
  if (gpu.l1_bytes > 0) {
    e.l1_share = e.footprint.lines() * line_bytes / static_cast<double>(gpu.l1_bytes);
  }
  e.misses = miss_pattern(point, line_elements);
  e.min_cache_block_k = min_cache_block_k(point);
  return e;
}

std::vector<std::string> explain(const GemmPoint& point, const GpuFacts& gpu) {
  const Expectation e = expect(point, gpu);
  const int items = point.work_group_m * point.work_group_n * point.work_group_k;
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "at least {} registers of {} floats: up to {} work-items per compute unit{}", e.registers,
      std::max(1, gpu.vector_width), e.residents,
      items > e.residents ? fmt::format(", fewer than the {} work-items of a work-group", items)
                          : ""));
  lines.push_back(fmt::format(
      "they read {:.4g} cache lines ({:.4g} of A, {:.4g} of B) from {} memory regions every {} k "
      "steps{}",
      e.footprint.lines(), e.footprint.a, e.footprint.b, e.footprint.streams, e.footprint.k_steps,
      e.l1_share > 0.0 ? fmt::format(": {:.2g} of the L1 cache", e.l1_share) : ""));
  lines.push_back(fmt::format(
      "a work-group misses up to {:.4g} cache lines at once, every {:.4g} iterations over tile_k",
      e.misses.bulk, e.misses.period));
  lines.push_back(fmt::format(
      "barriers cost less than the loads between them if they are more than {:.4g} k steps apart{}",
      e.min_cache_block_k,
      point.cache_block_k > 0 ? fmt::format("; here: {}", point.cache_block_k) : ""));
  return lines;
}

double expected_share(const GemmPoint& point, const GpuFacts& gpu) {
  if (!gpu.known()) return 1.0;
  const Expectation e = expect(point, gpu);
  double share = share_of_residents(point, gpu, e);
  if (e.l1_share > kDivergenceMargin) share *= kDivergenceMargin / e.l1_share;
  if (gpu.architecture == "midgard") {
    share *= std::min(1.0, kMidgardStreams / e.footprint.streams);
  }
  if (point.cache_block_k > 0 && point.cache_block_k <= e.min_cache_block_k) {
    share *= point.cache_block_k / (point.cache_block_k + e.min_cache_block_k);
  }
  return share;
}

}  // namespace tilewright

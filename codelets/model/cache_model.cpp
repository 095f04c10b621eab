#include "codelets/model/cache_model.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// The part of an operand that one cache line contains.
struct Line {
  int across = 1;  // rows of A, columns of B
  double k = 1.0;  // steps of k
};

// Number of rows (columns), starting with the first, that start in the first cache line.
template <class OffsetOf>
int run_in_line(OffsetOf offset_of, int line_elements) {
  int count = 1;
  while (count < line_elements) {
    const Layout::Offset offset = offset_of(count);
    if (offset.lines != 0 || offset.elements >= line_elements) break;
    ++count;
  }
  return count;
}

Line cache_line(int across, int line_elements) {
  return {across, static_cast<double>(line_elements) / across};
}

Line line_of_a(const GemmPoint& p, int line_elements) {
  return cache_line(run_in_line([&](int i) { return p.layout_a.row_offset(i); }, line_elements),
                    line_elements);
}

Line line_of_b(const GemmPoint& p, int line_elements) {
  return cache_line(run_in_line([&](int i) { return p.layout_b.column_offset(i); }, line_elements),
                    line_elements);
}

// Rows and columns of C that the resident work-groups cover together.
struct Covered {
  double rows;
  double columns;
};

Covered covered(const GemmPoint& p, int residents) {
  const int items = p.work_group_m * p.work_group_n * p.work_group_k;
  const double groups = std::max(1.0, static_cast<double>(residents) / items);
  Covered c{static_cast<double>(p.work_group_m) * p.tile_m,
            static_cast<double>(p.work_group_n) * p.tile_n};
  switch (p.group_order) {
    case GroupOrder::kRows:
      c.columns *= groups;
      break;
    case GroupOrder::kColumns:
      c.rows *= groups;
      break;
    case GroupOrder::kTiled: {
      // Rows of work-groups in a band; the same value as in gemm_place.cpp.
      constexpr double kBand = 8.0;
      c.rows *= std::min(groups, kBand);
      c.columns *= std::max(1.0, groups / kBand);
      break;
    }
    case GroupOrder::kMorton:
      c.rows *= std::sqrt(groups);
      c.columns *= std::sqrt(groups);
      break;
  }
  return c;
}

int touched(double across, double k, const Line& line) {
  return static_cast<int>(std::ceil(across / line.across) * std::ceil(k / line.k));
}

// Number of lines of the layout in which the covered rows (or columns) start.
template <class OffsetOf>
int streams(OffsetOf offset_of, double across) {
  return static_cast<int>(offset_of(static_cast<int>(std::ceil(across)) - 1).lines) + 1;
}

}  // namespace

CacheFootprint cache_footprint(const GemmPoint& p, int residents, int line_elements) {
  const Covered c = covered(p, residents);
  const Line a = line_of_a(p, line_elements);
  const Line b = line_of_b(p, line_elements);
  const double window = std::max({a.k, b.k, static_cast<double>(p.tile_k)});
  CacheFootprint footprint;
  footprint.k_steps = static_cast<int>(std::ceil(window));
  footprint.a = c.rows * window / line_elements;
  footprint.b = c.columns * window / line_elements;
  footprint.touched = touched(c.rows, window, a) + touched(c.columns, window, b);
  footprint.streams = streams([&](int i) { return p.layout_a.row_offset(i); }, c.rows) +
                      streams([&](int i) { return p.layout_b.column_offset(i); }, c.columns);
  return footprint;
}

MissPattern miss_pattern(const GemmPoint& p, int line_elements) {
  const auto of = [&](const Line& line, int elements) {
    const double iterations = line.k / p.tile_k;
    const double lines = std::ceil(static_cast<double>(elements) / line.across);
    return MissPattern{lines * std::max(1.0, 1.0 / iterations), std::max(1.0, iterations)};
  };
  const MissPattern a = of(line_of_a(p, line_elements), p.work_group_m * p.tile_m);
  const MissPattern b = of(line_of_b(p, line_elements), p.work_group_n * p.tile_n);
  return {a.bulk + b.bulk, std::max(a.period, b.period)};
}

double min_cache_block_k(const GemmPoint& p) {
  const double items = static_cast<double>(p.work_group_m) * p.work_group_n;
  return 2.0 * items / (p.tile_m + p.tile_n);
}

}  // namespace tilewright

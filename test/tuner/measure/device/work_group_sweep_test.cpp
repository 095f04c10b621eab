// Tests whether the models rank work-groups in the same order as a real Mali.
//
// For work-groups of more than the 128 resident work-items they deliberately predict too little.
// Our kernels are compiled for their work-group size and spill registers, whereas the measured
// kernel was split.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/model/score.hpp"
#include "tuner/measure/device/limits_file.hpp"

namespace tilewright {
namespace {

struct Measured {
  int m = 0, n = 0, k = 0, work_group_n = 0, work_group_m = 0;
  double seconds = 0.0;
  double gflops = 0.0;
  double score = 0.0;
};

double point_score(const Measured& row, const DeviceInfo& device) {
  std::ostringstream point;
  point << "layout_a=R4x1C layout_b=C1x4R tile_m=4 tile_n=4 vector_width=4 access=aligned"
        << " work_group_m=" << row.work_group_m << " work_group_n=" << row.work_group_n;
  return expected_score(parse_point(point.str()), device);
}

// Returns the rows for one size.
std::vector<Measured> sweep(int size) {
  const DeviceInfo device = read_device("mali-t860");
  std::ifstream file(TILEWRIGHT_TEST_DATA "/t860_work_groups.csv");
  std::vector<Measured> rows;
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    Measured row;
    if (!(fields >> row.m >> row.n >> row.k >> row.work_group_n >> row.work_group_m >>
          row.seconds >> row.gflops)) {
      continue;
    }
    if (row.m != size) continue;
    row.score = point_score(row, device);
    rows.push_back(row);
  }
  return rows;
}

using Rows = std::vector<Measured>;

long better_than(const Rows& rows, double score) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const Measured& other) { return other.score > score; });
}

long at_least_as_good(const Rows& rows, double score) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const Measured& other) { return other.score >= score; });
}

TEST_CASE("the models rank the work-groups of a kernel like a Mali-T860") {
  const int size = GENERATE(1024, 2048);
  const Rows rows = sweep(size);
  REQUIRE(rows.size() == 28);
  double best = 0.0;
  for (const Measured& row : rows) {
    CHECK(row.gflops == Approx(2e-9 * row.m * row.n * row.k / row.seconds).epsilon(1e-3));
    best = std::max(best, row.gflops);
  }
  const double bad = 0.6 * best;  // no measured value is near this limit
  int bad_ones = 0;
  int good_ones = 0;  // expected to be among the ten best
  for (const Measured& row : rows) {
    INFO(size << ": " << row.work_group_n << " x " << row.work_group_m << ", " << row.gflops
              << " GFLOPS, score " << row.score);
    if (row.gflops < bad) {
      ++bad_ones;
      CHECK(better_than(rows, row.score) >= 14);
    }
    if (at_least_as_good(rows, row.score) > 10) continue;
    ++good_ones;
    CHECK(row.gflops > 0.95 * best);
  }
  CHECK(good_ones >= 5);
  CHECK(bad_ones == 10);
}

TEST_CASE("work-groups lose about as much speed on a Mali-T860 as the models expect") {
  const Rows rows = sweep(1024);
  const auto of = [&](int n, int m) {
    return *std::find_if(rows.begin(), rows.end(), [&](const Measured& row) {
      return row.work_group_n == n && row.work_group_m == m;
    });
  };
  const Measured good = of(8, 16);
  for (const auto& [n, m] : {std::pair{32, 4}, {1, 4}, {1, 64}, {64, 1}, {1, 1}}) {
    INFO(n << " x " << m);
    const Measured other = of(n, m);
    const double measured = other.gflops / good.gflops;
    const double expected = other.score / good.score;
    CHECK(std::abs(expected - measured) < 0.2);
  }
}

}  // namespace
}  // namespace tilewright

// Tests of the design of shapes: limits, variety and repeatability.
#include "tuner/search/shape_design.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

DeviceInfo device(int units, int clock_mhz, bool gpu, std::int64_t memory_bytes) {
  DeviceInfo facts;
  facts.identity.compute_units = units;
  facts.identity.max_clock_mhz = clock_mhz;
  facts.side_by_side = gpu;
  facts.memory_bytes = memory_bytes;
  return facts;
}

constexpr double kMaxDispatch_ns = 200e6;

bool is_odd(const GemmShape& shape) {
  return shape.m % 16 != 0 && shape.n % 16 != 0 && shape.k % 16 != 0;
}

auto count(const std::vector<GemmShape>& shapes, bool (*is)(const GemmShape&)) {
  return std::count_if(shapes.begin(), shapes.end(), is);
}

TEST_CASE("a design contains shapes of all kinds within limits, each once") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const double max_flops : {1e8, 2e9, 1.4e11}) {
      const ShapeBounds bounds{max_flops, 64e6};
      const auto shapes = designed_shapes(24, seed, bounds);
      INFO("seed " << seed << ", flops " << max_flops);
      REQUIRE(shapes.size() == 24);
      for (const GemmShape& s : shapes) {
        INFO(s.m << "x" << s.n << "x" << s.k);
        CHECK(std::min({s.m, s.n, s.k}) >= 1);
        CHECK(std::max({s.m, s.n, s.k}) <= 4096);
        CHECK(flops(s) <= max_flops);
        CHECK(4.0 * static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n) <= 64e6);
        CHECK(std::count(shapes.begin(), shapes.end(), s) == 1);
      }
      CHECK(count(shapes, [](const GemmShape& s) { return s.m == s.n && s.n == s.k; }) >= 2);
      CHECK(count(shapes, [](const GemmShape& s) { return s.m > 4 * s.n; }) >= 3);
      CHECK(count(shapes, [](const GemmShape& s) { return s.n > 4 * s.m; }) >= 3);
      CHECK(count(shapes, [](const GemmShape& s) { return s.k > 4 * std::max(s.m, s.n); }) >= 3);
      const auto few_tiles = [](const GemmShape& s) {
        return std::max(s.m, s.n) <= 96 && s.k >= 1024;
      };
      CHECK(count(shapes, few_tiles) >= 3);
      const auto odd_few_tiles = [](const GemmShape& s) {
        return std::max(s.m, s.n) <= 96 && std::min(s.m, s.n) >= 16 && s.k >= 1024 && is_odd(s);
      };
      CHECK(count(shapes, odd_few_tiles) >= 1);
      const auto layers = [](const GemmShape& s) {
        return s.m >= 16 && s.m <= 128 && s.n >= 256 && s.k >= 256;
      };
      CHECK(count(shapes, layers) >= 2);
      const std::int64_t weights = max_flops < 2e9 ? 832 : 3904;
      CHECK(std::count(shapes.begin(), shapes.end(), GemmShape{64, weights, weights}) == 1);
      CHECK(count(shapes, [](const GemmShape& s) { return std::min(s.m, s.n) < 16; }) >= 2);
      CHECK(count(shapes, [](const GemmShape& s) { return s.m == 1; }) >= 1);
      CHECK(count(shapes, [](const GemmShape& s) { return s.n == 1; }) >= 1);
      CHECK(count(shapes, is_odd) >= 7);
      const double largest = flops(shapes.front());
      CHECK(std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& s) {
        return is_odd(s) && flops(s) > largest / 10.0;
      }));
    }
  }
}

TEST_CASE("a design for a GPU has squares in waves of tiles, and those that people try first") {
  const auto squares = [](const DeviceInfo& gpu) {
    std::vector<std::int64_t> extents;
    for (const GemmShape& s : designed_shapes(24, 1, shape_bounds(gpu, kMaxDispatch_ns))) {
      if (s.m == s.n && s.n == s.k) extents.push_back(s.m);
    }
    return extents;
  };
  const std::vector<std::int64_t> large = {4096, 1024, 1152, 1664, 2304, 2048, 512, 256};
  CHECK(squares(device(132, 1980, true, 80LL << 30)) == large);
  const std::vector<std::int64_t> board = {512, 128, 208, 288, 400, 256};
  CHECK(squares(device(4, 600, true, 2LL << 30)) == board);
  const std::vector<std::int64_t> cpu = {1024, 256};
  CHECK(squares(device(4, 2000, false, 2LL << 30)) == cpu);
}

TEST_CASE("equal seeds give equal designs, and different seeds different ones") {
  const ShapeBounds bounds;
  CHECK(designed_shapes(24, 7, bounds) == designed_shapes(24, 7, bounds));
  CHECK(designed_shapes(24, 7, bounds) != designed_shapes(24, 8, bounds));
  CHECK(random_shapes(50, 7, bounds) != random_shapes(50, 8, bounds));
  CHECK(random_shapes(1000, 7, bounds).size() == 1000);
}

TEST_CASE("every design has vectors and narrow products that are no vectors, in m and in n") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (const int gpu_units : {0, 4, 132}) {
      INFO("seed " << seed << ", compute units " << gpu_units);
      const auto shapes = designed_shapes(24, seed, {1.4e11, 1e9, gpu_units});
      const auto num_from = [&](std::int64_t least, std::int64_t most, auto extent) {
        return std::ranges::count_if(
            shapes, [&](const GemmShape& s) { return s.*extent >= least && s.*extent <= most; });
      };
      for (const auto extent : {&GemmShape::m, &GemmShape::n}) {
        CHECK(num_from(1, 1, extent) >= 1);
        CHECK(num_from(8, 15, extent) >= 1);
      }
      // Smaller ones would be little more than a launch.
      for (const GemmShape& s : shapes) {
        INFO(s.m << "x" << s.n << "x" << s.k);
        const bool deep = std::max(s.m, s.n) <= 96 && s.k >= 1024;
        CHECK((std::min(s.m, s.n) >= 16 || std::min(std::max(s.m, s.n), s.k) >= 1024 || deep));
      }
      CHECK(std::ranges::any_of(shapes, [](const GemmShape& s) {
        return s.m <= 96 && s.n >= 8 && s.n < 16 && s.k >= 1024;
      }));
    }
  }
}

TEST_CASE("narrow shapes are of all kinds: vectors, small and large k, odd and aligned") {
  const auto shapes = random_shapes(1000, 5, {1.4e11, 1e9});
  CHECK(count(shapes, [](const GemmShape& s) { return s.m <= 2; }) >= 3);
  CHECK(count(shapes, [](const GemmShape& s) { return s.n <= 2; }) >= 3);
  const auto few = [](const GemmShape& s) { return std::min(s.m, s.n) < 6; };
  CHECK(std::any_of(shapes.begin(), shapes.end(),
                    [&](const GemmShape& s) { return few(s) && s.k > 2000; }));
  CHECK(std::any_of(shapes.begin(), shapes.end(),
                    [&](const GemmShape& s) { return few(s) && s.k < 500; }));
  CHECK(std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& s) {
    return few(s) && std::max(s.m, s.n) % 16 != 0 && s.k % 16 != 0;
  }));
  CHECK(std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& s) {
    return few(s) && std::max(s.m, s.n) % 16 == 0 && s.k % 16 == 0;
  }));
}

TEST_CASE("a few random shapes, as in one validation, contain narrow shapes and vectors") {
  std::vector<GemmShape> shapes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (const GemmShape& shape : random_shapes(8, seed, {1.4e11, 1e9})) shapes.push_back(shape);
  }
  const auto least = [](const GemmShape& s) { return std::min(s.m, s.n); };
  CHECK(std::ranges::count_if(shapes, [&](const GemmShape& s) { return least(s) == 1; }) >= 10);
  CHECK(std::ranges::count_if(shapes,
                              [&](const GemmShape& s) { return least(s) > 1 && s.m < 16; }) >= 10);
  CHECK(std::ranges::count_if(shapes,
                              [&](const GemmShape& s) { return least(s) > 1 && s.n < 16; }) >= 10);
}

TEST_CASE("if hardly any shape fits, the design is small and ends") {
  CHECK(designed_shapes(24, 1, {3e6, 1e5}).size() >= 1);
}

TEST_CASE("limits depend on compute units, clock, dispatch limit and memory") {
  const ShapeBounds board = shape_bounds(device(4, 600, true, 2LL << 30), kMaxDispatch_ns);
  CHECK(board.max_flops == Approx(2 * 64 * 0.6 * 4 * 0.025 * kMaxDispatch_ns));
  CHECK(board.max_bytes == Approx(128.0 * (1 << 20)));
  CHECK(shape_bounds(device(4, 600, true, 0), kMaxDispatch_ns / 2).max_flops ==
        Approx(board.max_flops / 2));
  // A driver that reports 5 MHz, or no compute unit, is not believed.
  CHECK(shape_bounds(device(0, 5, false, 0), kMaxDispatch_ns).max_flops >= 1e7);
  // The squares for a large GPU reach 4096, those for a board do not.
  const auto large =
      designed_shapes(2, 1, shape_bounds(device(132, 1980, true, 80LL << 30), kMaxDispatch_ns));
  CHECK(large.front() == GemmShape{4096, 4096, 4096});
  CHECK(designed_shapes(2, 1, board).front() == GemmShape{512, 512, 512});
}

TEST_CASE("a CPU with wide vectors is tuned on larger products") {
  DeviceInfo cpu = device(2, 3000, false, 8LL << 30);
  const auto max_flops = [&](int native_vector_width) {
    cpu.native_vector_width = native_vector_width;
    return shape_bounds(cpu, kMaxDispatch_ns).max_flops;
  };
  // Two cores, 16 multiply-adds per cycle at 3 GHz, for 5 % of a dispatch.
  static_assert(kMaxDispatch_ns == 200e6);
  CHECK(max_flops(8) == Approx(1.92e9));
  CHECK(max_flops(1) == Approx(max_flops(8)));
  CHECK(max_flops(16) == Approx(2.5 * max_flops(8)));
  // A layer of 128 x 3072 x 4096 is within the bounds of two cores of 2.1 GHz with 16 floats per
  // vector.
  cpu.identity.max_clock_mhz = 2100;
  CHECK(max_flops(16) > 2.0 * 128 * 3072 * 4096);
}

TEST_CASE("a large square takes the given time, and fits into memory") {
  const ShapeBounds bounds{1.0, 64e6};
  CHECK(square_within(50e6, 230.0, bounds) == GemmShape{1728, 1728, 1728});
  CHECK(square_within(50e6, 20000.0, bounds).m == 2304);  // three matrices in 64 MB
  CHECK(square_within(50e6, 20000.0, {1.0, 1e12}).m == 4096);
  CHECK(square_within(1.0, 1.0, bounds).m == 64);
}

TEST_CASE("representatives: the first, then those to which the others are nearest") {
  const std::vector<GemmShape> shapes = {{4096, 4096, 4096}, {900, 1000, 1000}, {1000, 1000, 1000},
                                         {1100, 1000, 1000}, {16, 16, 16},      {16, 16, 32}};
  const auto two = representatives(shapes, 2, 1e15);
  CHECK(two.front() == GemmShape{4096, 4096, 4096});
  CHECK(two.back().k < 64);  // the two smallest are farther from the first than three of its size
  CHECK(representatives(shapes, 3, 1e15).back() == GemmShape{1000, 1000, 1000});
  CHECK(representatives(shapes, 9, 1e15).size() == 6);
  CHECK(representatives(shapes, 2, 1e10).front() == GemmShape{900, 1000, 1000});
  CHECK(representatives({{4096, 4096, 4096}}, 2, 1.0).size() == 1);
}

}  // namespace
}  // namespace tilewright

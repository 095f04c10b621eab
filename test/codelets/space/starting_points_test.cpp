// Tests which starting points follow from a device's facts. Needs no device.
#include "codelets/space/starting_points.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "codelets/space/space.hpp"

namespace tilewright {
namespace {

constexpr Op kOps[] = {Op::kNN, Op::kNT, Op::kTN};

// Devices as drivers and limits files describe them.
DeviceInfo mali_t628() {
  DeviceInfo facts;
  facts.limits = {{256, {256, 256}, 32768, false, true}, 4, 64};
  facts.native_vector_width = 4;
  facts.min_work_group = 4;
  facts.side_by_side = true;
  facts.gpu.name = "Mali-T628";
  facts.gpu.vector_width = 4;
  facts.gpu.registers = {4, 8, 16};
  facts.gpu.resident_work_items = {256, 128, 64};
  facts.identity.compute_units = 4;
  return facts;
}

DeviceInfo large_gpu() {
  DeviceInfo facts;
  facts.limits = {{1024, {1024, 1024}, 49152, true, true}, 16, 256};
  facts.min_work_group = 32;
  facts.side_by_side = true;
  facts.identity.compute_units = 132;
  return facts;
}

DeviceInfo cpu(int vector_width, int registers, int cores) {
  DeviceInfo facts;
  facts.limits = {{1024, {1024, 1024}, 1 << 20, false, true}, 16, vector_width * registers, 65536};
  facts.native_vector_width = vector_width;
  facts.vector_registers = registers;
  facts.identity.compute_units = cores;
  return facts;
}

struct Device {
  const char* name;
  DeviceInfo facts;
};

std::vector<Device> devices() {
  return {{"mali-t628", mali_t628()},
          {"large-gpu", large_gpu()},
          {"avx2", cpu(8, 16, 2)},
          {"avx512", cpu(16, 32, 16)}};
}

struct List {
  std::string name;
  std::vector<ParameterPoint> points;
};

std::vector<List> lists_for(const DeviceInfo& facts) {
  std::vector<List> lists;
  for (const Op op : kOps) lists.push_back({std::string(to_text(op)), starting_points(op, facts)});
  lists.push_back({"packed", packed_starting_points(facts)});
  for (const Dimension narrow : {Dimension::kM, Dimension::kN}) {
    for (const Op op : {Op::kNN, Op::kNT}) {
      lists.push_back({std::string(to_text(op)) + " narrow " + std::string(to_text(narrow)),
                       narrow_starting_points(op, narrow, facts)});
    }
  }
  return lists;
}

bool has(const std::vector<ParameterPoint>& points, const std::string& text) {
  return std::find(points.begin(), points.end(), parse_point(text)) != points.end();
}

// With TILEWRIGHT_UPDATE_GOLDEN=1 it writes the files instead.
TEST_CASE("the starting points for a Mali, a large GPU, and CPUs with AVX2 and AVX-512") {
  for (const auto& [name, facts] : devices()) {
    std::string text;
    for (const auto& [list, points] : lists_for(facts)) {
      for (const ParameterPoint& point : points) text += list + ": " + to_text(point) + "\n";
    }
    const auto path =
        std::filesystem::path(TILEWRIGHT_GOLDEN) / "starting_points" / (std::string(name) + ".txt");
    if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    INFO(path);
    std::ifstream file(path);
    REQUIRE(file);
    std::stringstream golden;
    golden << file.rdbuf();
    CHECK(text == golden.str());
  }
}

TEST_CASE("every starting point belongs to the device's space and occurs once") {
  std::vector<Device> all = devices();
  all.push_back({"sse", cpu(4, 16, 4)});
  all.push_back({"scalar", cpu(1, 16, 1)});
  DeviceInfo small = large_gpu();
  small.limits.max_work_group_size = 64;
  small.limits.register_floats = 64;
  small.limits.local_memory_bytes = 16384;
  all.push_back({"small gpu", small});
  DeviceInfo scalar = mali_t628();
  scalar.limits.max_vector_width = 16;
  scalar.native_vector_width = 1;
  scalar.min_work_group = 16;
  scalar.gpu.vector_width = 1;
  scalar.gpu.registers = {32, 64};
  scalar.gpu.resident_work_items = {1024, 512};
  all.push_back({"scalar mali", scalar});
  for (const auto& [name, facts] : all) {
    for (const auto& [list, points] : lists_for(facts)) {
      INFO(name << ", " << list);
      CHECK_FALSE(points.empty());
      CHECK(points.size() <= 34);  // so that a search can go beyond them
      for (std::size_t i = 0; i < points.size(); ++i) {
        INFO(to_text(points[i]));
        CHECK(broken_rule(points[i], facts.limits) == nullptr);
        const Space space(points[i], facts.limits, {.packed = list == "packed", .fixed = {}});
        CHECK(space.contains(points[i]));
        CHECK(std::find(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(i),
                        points[i]) == points.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

TEST_CASE("an even division of k is tried on every GPU with dedicated local memory") {
  DeviceInfo facts = large_gpu();
  for (const int units : {4, 20, 132}) {
    facts.identity.compute_units = units;
    const std::vector<ParameterPoint> points = starting_points(Op::kNN, facts);
    CHECK(std::any_of(points.begin(), points.end(), [](const ParameterPoint& point) {
      return std::get<GemmPoint>(point).stream_k > 0;
    }));
  }
}

TEST_CASE("at least one starting point runs on any shape without alignment and packing") {
  for (const auto& [name, facts] : devices()) {
    for (const Op op : kOps) {
      const std::vector<ParameterPoint> points = starting_points(op, facts);
      INFO(name);
      CHECK(std::any_of(points.begin(), points.end(), [](const ParameterPoint& point) {
        const auto& gemm = std::get<GemmPoint>(point);
        return gemm.access != Access::kAligned && gemm.split_k == 1;
      }));
    }
  }
}

TEST_CASE("tiles for CPUs fill their registers") {
  // 6 x 2 sums, 2 vectors of B and one of A use 15 of 16 registers.
  CHECK(has(starting_points(Op::kNN, cpu(8, 16, 2)),
            "gemm op=NN tile_m=6 tile_n=16 vector_width=16 work_group_m=16"));
  // 6 x 4, 4 and one use 29 of 32.
  CHECK(has(starting_points(Op::kNN, cpu(16, 32, 2)),
            "gemm op=NN tile_m=6 tile_n=64 vector_width=16 work_group_m=16"));
  // 4 x 3, 3 and one use 16 of 16.
  CHECK(has(starting_points(Op::kNN, cpu(4, 16, 2)),
            "gemm op=NN tile_m=4 tile_n=12 vector_width=4 work_group_m=16"));
}

TEST_CASE("the number of parts of k follows from the compute units") {
  const auto parts = [](DeviceInfo facts, int compute_units) {
    facts.identity.compute_units = compute_units;
    int most = 1;
    for (const ParameterPoint& point : starting_points(Op::kNN, facts)) {
      most = std::max(most, std::get<GemmPoint>(point).split_k);
    }
    return most;
  };
  CHECK(parts(large_gpu(), 132) == 8);
  CHECK(parts(large_gpu(), 80) == 4);
  CHECK(parts(large_gpu(), 16) == 1);
  CHECK(parts(large_gpu(), 0) == 1);
  CHECK(parts(cpu(8, 16, 2), 2) == 2);
  CHECK(parts(cpu(8, 16, 2), 64) == 8);
  CHECK(parts(cpu(8, 16, 2), 1) == 1);
}

TEST_CASE("local memory is used only if it is dedicated") {
  const auto staged = [](const DeviceInfo& facts) {
    const std::vector<ParameterPoint> points = starting_points(Op::kNN, facts);
    return std::any_of(points.begin(), points.end(), [](const ParameterPoint& point) {
      return std::get<GemmPoint>(point).local_a;
    });
  };
  CHECK(staged(large_gpu()));
  CHECK_FALSE(staged(mali_t628()));
  CHECK_FALSE(staged(cpu(8, 16, 2)));
}

}  // namespace
}  // namespace tilewright

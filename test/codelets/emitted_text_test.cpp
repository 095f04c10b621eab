// Emitted kernels are code: a few are kept whole and reviewed in diffs, all keep the rules of the
// house.
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "codelets/gemm_codelet.hpp"
#include "codelets/pack_codelet.hpp"
#include "codelets/space.hpp"

namespace tilewright {
namespace {

// Compares with the golden file of that name; TILEWRIGHT_UPDATE_GOLDEN=1 writes the file instead.
void check_golden(const KernelRecord& record) {
  const std::string path = std::string(TILEWRIGHT_GOLDEN) + "/" + record.name + ".cl";
  if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << record.source;
  std::ifstream file(path);
  INFO(path);
  REQUIRE(file);
  std::stringstream golden;
  golden << file.rdbuf();
  CHECK(record.source == golden.str());
}

TEST_CASE("golden texts") {
  check_golden(emit_gemm(parse_point("op=NN")));
  check_golden(
      emit_gemm(parse_point("op=NN tile_m=2 tile_n=4 tile_k=2 vector_width=4 work_group_m=8 "
                            "work_group_n=4")));
  check_golden(
      emit_gemm(parse_point("op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot "
                            "work_group_m=16 work_group_n=4 id_order=mn")));
  check_golden(
      emit_gemm(parse_point("op=TN tile_m=4 tile_n=8 tile_k=1 vector_width=4 multiply_add=mad "
                            "work_group_m=8 work_group_n=8")));
  check_golden(
      emit_gemm(parse_point("op=NT tile_m=2 tile_n=1 tile_k=8 vector_width=8 inner=partial "
                            "multiply_add=fma")));
  check_golden(emit_pack({.tile = 4, .work_group = 8}));
}

std::vector<ParameterPoint> random_points(std::size_t count) {
  std::mt19937 random(7);
  std::vector<ParameterPoint> points;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const Space space(op, {1024, {1024, 1024}, 512});
    for (std::size_t i = 0; i < count; ++i)
      points.push_back(space.points()[random() % space.points().size()]);
  }
  return points;
}

TEST_CASE("every kernel keeps the rules for emitted text") {
  for (const ParameterPoint& point : random_points(200)) {
    const KernelRecord record = emit_gemm(point);
    const std::string& text = record.source;
    INFO(text);
    CHECK(text.find("// tilewright ") == 0);
    CHECK(text.find(to_text(point)) != std::string::npos);
    CHECK_FALSE(forbidden_source(text));
    CHECK(text.find('#') == std::string::npos);
    CHECK(text.find("__kernel __attribute__((reqd_work_group_size(") != std::string::npos);
    // No private arrays: old Mali compilers keep them in memory. No integer division.
    CHECK_FALSE(std::regex_search(text, std::regex(R"((float|int)\d* \w+\[)")));
    CHECK_FALSE(std::regex_search(text, std::regex(R"([^/]/ |%)")));
    CHECK(text.find("restrict A") != std::string::npos);
    CHECK(text.find(" \n") == std::string::npos);
    if (point.multiply_add != MultiplyAdd::kFma) {
      CHECK(text.find("fma(") == std::string::npos);
    }
  }
}

TEST_CASE("a record carries the facts of its launch") {
  const KernelRecord nm =
      emit_gemm(parse_point("op=TN tile_m=2 tile_n=8 tile_k=4 vector_width=2 "
                            "work_group_m=4 work_group_n=16"));
  CHECK(nm.work_group == std::array{16, 4});
  CHECK(nm.id_order == IdOrder::kNM);
  CHECK(nm.tile == Tile{2, 8, 4});
  CHECK(nm.layout_a == Layout::kC);
  CHECK(nm.layout_b == Layout::kR);
  CHECK(nm.multiples == Tile{1, 1, 1});
  CHECK(nm.name == nm.entry);
  CHECK(parse_point(nm.point) == parse_point("op=TN tile_m=2 tile_n=8 tile_k=4 vector_width=2 "
                                             "work_group_m=4 work_group_n=16"));
  CHECK(nm.source.find("reqd_work_group_size(16, 4, 1)") != std::string::npos);
  const KernelRecord mn = emit_gemm(parse_point("work_group_m=4 work_group_n=16 id_order=mn"));
  CHECK(mn.work_group == std::array{4, 16});
}

TEST_CASE("equal points give equal text, and no two points the same digest") {
  std::map<std::string, std::string> digests;
  for (const ParameterPoint& point : random_points(50)) {
    const KernelRecord record = emit_gemm(point);
    CHECK(record == emit_gemm(point));
    const auto [at, inserted] = digests.emplace(digest_of(record), record.point);
    CHECK((inserted || at->second == record.point));
  }
}

TEST_CASE("points that are no kernels are refused") {
  CHECK_THROWS_AS(emit_gemm(parse_point("tile_n=6 vector_width=4")), std::invalid_argument);
  CHECK_THROWS_AS(emit_pack({.tile = 3, .work_group = 8}), std::invalid_argument);
  CHECK_THROWS_AS(emit_pack({.tile = 32, .work_group = 8}), std::invalid_argument);
  CHECK_THROWS_AS(emit_pack({.tile = 4, .work_group = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright

// Tests the text of emitted gemm kernels: it must satisfy the rules for emitted kernels.
#include <map>

#include "catch.hpp"
#include "codelets/space/named_points.hpp"
#include "codelets/space/space.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

// Returns a line that a generator wrote and a person would not write, or "".
std::string clumsy_line(const std::string& text) {
  static const std::regex clumsy(R"([^.]\* 1[;,) ]| \+ 0[;,) ]|[/%] 1[;,) ]| 0 \* |\+= 1;)");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, clumsy)) return line;
  }
  return "";
}

// The bodies of the loops over k that are at the top level of the kernel.
std::vector<std::string> loops_over_k(const std::string& text) {
  std::vector<std::string> loops;
  for (const char* head : {"\n  for (; p", "\n  while (p"}) {
    for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
      loops.push_back(text.substr(at, text.find("\n  }\n", at) - at));
    }
  }
  return loops;
}

TEST_CASE("gemm kernels satisfy the rules for emitted text", "[long]") {
  SpaceLimits limits;
  limits.max_work_group_size = 1024;
  limits.max_work_item_sizes = {1024, 1024};
  limits.register_floats = 512;
  limits.local_memory_bytes = 65536;
  limits.local_memory_is_dedicated = true;
  limits.image_support = true;
  std::mt19937_64 random(7);
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN, Op::kTT}) {
    for (const bool packed : {false, true}) {
      const Space space(gemm_point(op), limits, {packed, {}});
      for (int i = 0; i < 50; ++i) {
        const ParameterPoint point = space.draw(random).value();
        const KernelRecord record = emit(point);
        check_text_rules(point, record);
        CHECK(clumsy_line(record.source) == "");
        // Integer arithmetic, above all divisions, is moved out of the loop.
        for (const std::string& loop : loops_over_k(record.source)) {
          INFO(record.source);
          CHECK_FALSE(std::regex_search(loop, std::regex(R"([^/]/ |%)")));
          // A compiler unrolls a loop whose number of iterations it knows; unroll_k should decide
          // instead.
          if (record.local_bytes == 0) CHECK(loop.find("= 0;") == std::string::npos);
        }
        if (std::get<GemmPoint>(point).multiply_add != MultiplyAdd::kFma) {
          CHECK(record.source.find("fma(") == std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("a gemm record has the launch facts of its kernel") {
  const KernelRecord nm =
      emit(parse_point("op=TN tile_m=2 tile_n=8 tile_k=4 vector_width=2 "
                       "work_group_m=4 work_group_n=16"));
  CHECK(nm.work_group == std::array{16, 4});
  CHECK(nm.id_order == IdOrder::kNM);
  CHECK(nm.tile == Tile{2, 8, 4});
  CHECK(nm.layout_a == Layout::C());
  CHECK(nm.layout_b == Layout::R());
  CHECK(nm.multiples == Tile{1, 1, 1});
  CHECK(nm.alignment == 1);
  CHECK(nm.local_bytes == 0);
  CHECK(nm.name == nm.entry);
  CHECK(parse_point(nm.point) == parse_point("op=TN tile_m=2 tile_n=8 tile_k=4 vector_width=2 "
                                             "work_group_m=4 work_group_n=16"));
  CHECK(nm.source.find("reqd_work_group_size(16, 4, 1)") != std::string::npos);
  const KernelRecord mn = emit(parse_point("work_group_m=4 work_group_n=16 id_order=mn"));
  CHECK(mn.work_group == std::array{4, 16});
}

TEST_CASE("a gemm record states the required layouts and alignment of operands") {
  const KernelRecord panel =
      emit(parse_point("layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 "
                       "edges=padded"));
  CHECK(panel.multiples == Tile{12, 32, 1});
  CHECK(panel.edges == Edges::kPadded);
  const KernelRecord morton = emit(find_named_point("morton-4-4")->point());
  CHECK(morton.multiples == Tile{4, 4, 4});
  CHECK(morton.alignment == 4);
  CHECK(to_text(morton.layout_c) == "C 4 4 C");
  // With offset fragments and barriers, whole work-groups read, wherever the edge is.
  const KernelRecord fermi = emit(find_named_point("raijin-fermi")->point());
  CHECK(fermi.images == Images{true, true, false});
  CHECK(fermi.multiples == Tile{64, 32, 16});
  CHECK(fermi.local_bytes == (64 + 32) * 16 * 4);
  const KernelRecord split = emit(parse_point("op=NN split_k=8"));
  CHECK(split.split_k == 8);
  // Work-items that share k are numbered in dimension 2. Half of them pass on 2 x 8 sums each.
  const KernelRecord shared =
      emit(parse_point("op=NN tile_m=2 tile_n=8 work_group_m=4 work_group_n=2 work_group_k=16"));
  CHECK(shared.work_group == std::array{2, 4});
  CHECK(shared.work_group_k == 16);
  CHECK(shared.local_bytes == 8 * (4 * 2) * (2 * 8) * 4);
  CHECK(shared.source.find("reqd_work_group_size(2, 4, 16)") != std::string::npos);
}

TEST_CASE("equal points give equal text, and different points different digests", "[long]") {
  std::map<std::string, std::string> digests;
  SpaceLimits limits;
  limits.max_work_group_size = 256;
  limits.max_work_item_sizes = {256, 256};
  limits.register_floats = 512;
  std::mt19937_64 random(8);
  const Space space(gemm_point(Op::kNN), limits, {true, {}});
  for (int i = 0; i < 150; ++i) {
    const ParameterPoint point = space.draw(random).value();
    const KernelRecord record = emit(point);
    CHECK(record == emit(point));
    const auto [at, inserted] = digests.emplace(compute_digest(record), record.point);
    CHECK((inserted || at->second == record.point));
  }
}

}  // namespace
}  // namespace tilewright

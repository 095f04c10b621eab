#include "codelets/gemm/gemm_stream.hpp"

#include <fmt/format.h>

#include "codelets/gemm/gemm_narrow.hpp"
#include "codelets/gemm/gemm_shares.hpp"
#include "codelets/gemm/gemm_store.hpp"
#include "codelets/text/arithmetic_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Text of extent / divisor, rounded up.
std::string quotient_up_text(const std::string& extent, int divisor) {
  return divisor == 1 ? extent : fmt::format("({} + {}) / {}", extent, divisor - 1, divisor);
}

// The blocks of k that the work-group computes: a whole tile, or its share of the last tiles.
void emit_range_of_blocks(SourceText& out, const GemmFacts& f) {
  out.line("const int tiles_m = {};", quotient_up_text("m", f.m.work_group_tile()));
  out.line("const int tiles_n = {};", quotient_up_text("n", f.n.work_group_tile()));
  out.line("// Without any k steps, tiles have one empty block, because results must be stored.");
  out.line("const int blocks = max({}, 1);", quotient_up_text("k", f.block));
  out.line("const int shared_tiles = tiles_m * tiles_n - whole_tiles;");
  out.line("const bool equal = sharing_groups == shared_tiles * num_parts;");
  out.line("// If all parts have the same number of blocks, the last one may be shorter.");
  out.line("const int group_blocks = equal ? (blocks + num_parts - 1) / num_parts");
  out.line("    : max((shared_tiles * blocks + sharing_groups - 1) / sharing_groups,");
  out.line("          (blocks + num_parts - 2) / (num_parts - 1));");
  out.line("const int tile_blocks = equal ? group_blocks * num_parts : blocks;");
  out.line("const int sharer = (int)get_group_id(0) - whole_tiles;");
  out.line("int at = max(sharer, 0) * group_blocks;");
  const bool narrow = f.may_be_narrow();
  if (narrow) out.line("// If C is narrower than a vector, it is complete.");
  out.line(
      "const int stop = {}sharer < 0 ? blocks : min(at + group_blocks, shared_tiles * "
      "tile_blocks);",
      narrow ? fmt::format("{} ? at : ", narrow_condition(f)) : "");
}

}  // namespace

std::string stream_arguments() {
  return "__global REAL *restrict parts, const ulong offset_parts, const int ld_parts,\n"
         "    const int direct_tiles_m, const int whole_tiles, const int sharing_groups, const int "
         "num_parts";
}

void open_stream(SourceText& out, const GemmFacts& f) {
  out.line("// The blocks of k of the tiles after whole_tiles are divided evenly among");
  out.line("// sharing_groups work-groups. Each of the others computes one tile.");
  emit_range_of_blocks(out, f);
  out.open("while (at < stop)");
  out.line("const int shared_tile = at / tile_blocks;");
  out.line("const int first_block = sharer < 0 ? 0 : at - shared_tile * tile_blocks;");
  out.line("const int end_block = min(first_block + stop - at, tile_blocks);");
  out.line("const int k_first = min({}, k);", times("first_block", f.block));
  out.line("const int k_end = min({}, k);", times("end_block", f.block));
  out.line(
      "const int first_part = sharer < 0 ? 0 : sharer - shared_tile * tile_blocks / group_blocks;");
  out.line("// The last part of a tile includes the zeros of those that it does not have.");
  out.line(
      "const int end_part = sharer < 0 || end_block == tile_blocks ? num_parts : first_part + 1;");
  out.line("at += end_block - first_block;");
  out.line("const int tile = sharer < 0 ? (int)get_group_id(0) : whole_tiles + shared_tile;");
  out.line("const bool is_direct = tile < direct_tiles_m * tiles_n;");
}

void close_stream(SourceText& out, const GemmFacts& f, const GemmFacts& in_parts) {
  out.open("if (is_direct)");
  emit_stores(out, f);
  out.line("continue;");
  out.close();
  const std::string first_row = times("direct_tiles_m", f.m.work_group_tile());
  out.open("for (int z = first_part; z < end_part; ++z)");
  out.line("const REAL alpha = 1.0f;");
  out.line("const REAL beta = 0.0f;");
  out.line("const int ldc = ld_parts;");
  out.line("__global REAL *C = parts + ((long)z * (m - {0}) - {0}) * ldc;", first_row);
  emit_stores(out, in_parts);
  out.line("// Zeros for the parts that follow.");
  for (const std::string& sum : sum_names(f)) {
    out.line("{} = {};", sum, real_zero(sum_width(f)));
  }
  out.close();
  out.close();
}

}  // namespace tilewright

#include "codelets/gemm/gemm_stream.hpp"

#include <fmt/format.h>

#include "codelets/gemm/gemm_narrow.hpp"
#include "codelets/gemm/gemm_store.hpp"
#include "codelets/text/arithmetic_text.hpp"

namespace tilewright {
namespace {

// Text of extent / divisor, rounded up.
std::string quotient_up_text(const std::string& extent, int divisor) {
  return divisor == 1 ? extent : fmt::format("({} + {}) / {}", extent, divisor - 1, divisor);
}

// Number of the part of a shared tile that the work-group computes.
std::string part_text(const std::string& tile) {
  return fmt::format("sharer - {} * tile_blocks / group_blocks", tile);
}

// Address of row 0 of C in the matrix of a part, which begins with a later row.
std::string part_address(const GemmFacts& f, const std::string& part) {
  const std::string first_row = times("direct_tiles_m", f.m.work_group_tile());
  return fmt::format("parts + ((long){0} * (m - {1}) - {1}) * ld_parts", part, first_row);
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
  out.line("at += end_block - first_block;");
  out.line("const int tile = sharer < 0 ? (int)get_group_id(0) : whole_tiles + shared_tile;");
  out.line("const bool is_direct = sharer < 0;");
}

void emit_missing_parts(SourceText& out, const GemmFacts& f) {
  const int columns = f.n.work_group_tile();
  out.line("// The work-group that computes the end of a tile stores zeros as the parts that the");
  out.line("// tile does not have.");
  out.line("const int next_part = {} + 1;", part_text("shared_tile"));
  out.line("const bool is_end = !is_direct && end_block == tile_blocks;");
  out.open("for (int z = is_end ? next_part : num_parts; z < num_parts; ++z)");
  out.line("__global REAL *zeros = {};", part_address(f, "z"));
  out.line("const int id = (int)(get_local_id(1) * get_local_size(0) + get_local_id(0));");
  out.open("for (int e = id; e < {}; e += {})", f.m.work_group_tile() * columns, f.work_items());
  out.line("const int i = {} + e / {};", times("(int)group_m", f.m.work_group_tile()), columns);
  out.line("const int j = {} + e % {};", times("(int)group_n", columns), columns);
  out.line("if (i < m && j < n) zeros[(size_t)i * ld_parts + j] = 0.0f;");
  out.close();
  out.close();
}

void close_stream(SourceText& out, const GemmFacts& f, const GemmFacts& in_parts) {
  out.open("if (is_direct)");
  emit_stores(out, f);
  out.line("continue;");
  out.close();
  out.line(
      "// Computed again, because values that are kept during the loop over k need registers.");
  out.line("const int ended_tile = (at - 1) / tile_blocks;");
  out.line("const int own_part = {};", part_text("ended_tile"));
  out.open();
  out.line("const REAL alpha = 1.0f;");
  out.line("const REAL beta = 0.0f;");
  out.line("const int ldc = ld_parts;");
  out.line("__global REAL *C = {};", part_address(f, "own_part"));
  emit_stores(out, in_parts);
  out.close();
  out.close();
}

}  // namespace tilewright

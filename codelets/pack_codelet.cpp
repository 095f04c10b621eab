#include "codelets/pack_codelet.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "gemm_operand.hpp"
#include "profiles/version.hpp"
#include "source_text.hpp"

namespace tilewright {
namespace {

// A whole tile moves as vectors: columns of the source in, rows of the destination out.
void move_whole_tile(SourceText& out, int tile) {
  out.open("if (row + {} <= m && col + {} <= n)", tile, tile);
  for (int j = 0; j < tile; ++j) {
    out.line("const {} in{} = {};", vector_type(tile), j,
             vector_load(tile, fmt::format("from + (size_t){} * ld_in", j)));
  }
  for (int i = 0; i < tile; ++i) {
    std::vector<std::string> lanes;
    for (int j = 0; j < tile; ++j) lanes.push_back(lane_of(fmt::format("in{}", j), tile, i));
    if (tile == 1) {
      out.line("*to = {};", lanes[0]);
    } else {
      out.line("vstore{}(({})({}), 0, to + (size_t){} * ld_out);", tile, vector_type(tile),
               fmt::join(lanes, ", "), i);
    }
  }
  out.line("return;");
  out.close();
}

void move_edge_tile(SourceText& out, int tile) {
  out.open("for (int i = 0; i < min({}, m - row); ++i)", tile);
  out.open("for (int j = 0; j < min({}, n - col); ++j)", tile);
  out.line("to[(size_t)i * ld_out + j] = from[(size_t)j * ld_in + i];");
  out.close();
  out.close();
}

std::string write_pack(const std::string& name, const std::string& point, const PackPoint& p) {
  SourceText out;
  out.line("// tilewright {}: {}", kVersion, point);
  out.line("// An m x n matrix, stored column by column, is stored row by row.");
  out.blank();
  out.line("__kernel __attribute__((reqd_work_group_size({}, {}, 1)))", p.work_group, p.work_group);
  out.line("void {}(const int m, const int n,", name);
  out.line("    __global const float *restrict in, const ulong offset_in, const int ld_in,");
  out.line("    __global float *restrict out, const ulong offset_out, const int ld_out)");
  out.open();
  out.line("const int col = (int)get_global_id(0) * {};", p.tile);
  out.line("const int row = (int)get_global_id(1) * {};", p.tile);
  out.line("if (row >= m || col >= n) return;");
  out.line("__global const float *from = in + offset_in + (size_t)col * ld_in + row;");
  out.line("__global float *to = out + offset_out + (size_t)row * ld_out + col;");
  move_whole_tile(out, p.tile);
  if (p.tile > 1) move_edge_tile(out, p.tile);
  out.close();
  return out.text();
}

}  // namespace

KernelRecord emit_pack(const PackPoint& p) {
  if (p.tile < 1 || p.tile > 16 || (p.tile & (p.tile - 1)) != 0 || p.work_group < 1) {
    throw std::invalid_argument(
        fmt::format("no pack kernel has tile={} work_group={}: tile is 1, 2, 4, 8 or 16", p.tile,
                    p.work_group));
  }
  KernelRecord record;
  record.name = fmt::format("pack_c_r_{}x{}_wg{}x{}", p.tile, p.tile, p.work_group, p.work_group);
  record.role = Role::kPack;
  record.entry = record.name;
  record.work_group = {p.work_group, p.work_group};
  record.tile = {p.tile, p.tile, 1};
  record.layout_a = Layout::kC;
  record.layout_c = Layout::kR;
  record.epilogue = Epilogue::kNone;
  record.point = fmt::format("pack tile={} work_group={}", p.tile, p.work_group);
  record.source = write_pack(record.name, record.point, p);
  return record;
}

}  // namespace tilewright

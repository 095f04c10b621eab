#include "codelets/gemm/gemm_place.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Number of rows of work-groups in a band, and side of a square in Z order.
constexpr int kBand = 8;

// Numbers the work-groups in the order in which the device starts them. This number determines
// their position in C. With stream_k, the tiles have such numbers, separately for the rows that are
// stored in C and for the others.
void emit_group_number(SourceText& out, bool nm, bool stream) {
  if (stream) {
    out.line(
        "const uint groups_m = (uint)(is_direct ? direct_tiles_m : tiles_m - direct_tiles_m);");
    out.line("const uint groups_n = (uint)tiles_n;");
    out.line("const uint group = (uint)(is_direct ? tile : tile - direct_tiles_m * tiles_n);");
    return;
  }
  out.line("const uint groups_m = get_num_groups({});", nm ? 1 : 0);
  out.line("const uint groups_n = get_num_groups({});", nm ? 0 : 1);
  out.line("const uint group = get_group_id(1) * get_num_groups(0) + get_group_id(0);");
}

// Bands of kBand rows of work-groups; the last band may have fewer.
void emit_band(SourceText& out) {
  out.line("const uint band = group / ({} * groups_n);", kBand);
  out.line("const uint height = min({}u, groups_m - {} * band);", kBand, kBand);
  out.line("const uint in_band = group - {} * band * groups_n;", kBand);
}

void emit_morton(SourceText& out, const char* group_m) {
  emit_band(out);
  out.line("const uint square = in_band / ({} * height);", kBand);
  out.line("const uint width = min({}u, groups_n - {} * square);", kBand, kBand);
  out.line("const uint z = in_band - {} * square * height;", kBand);
  out.line("// Whole squares are traversed in Z order, partial ones column by column.");
  out.line("const bool whole = height == {} && width == {};", kBand, kBand);
  out.line("const uint z_m = (z >> 1 & 1) | (z >> 2 & 2) | (z >> 3 & 4);");
  out.line("const uint z_n = (z & 1) | (z >> 1 & 2) | (z >> 2 & 4);");
  out.line("const uint {} = {} * band + (whole ? z_m : z % height);", group_m, kBand);
  out.line("const uint group_n = {} * square + (whole ? z_n : z / height);", kBand);
}

void emit_group(SourceText& out, const GemmPoint& p) {
  const bool nm = p.id_order == IdOrder::kNM;
  if (in_order_of_ids(p) && p.stream_k == 0) {
    out.line("const uint group_m = get_group_id({});", nm ? 1 : 0);
    out.line("const uint group_n = get_group_id({});", nm ? 0 : 1);
    return;
  }
  emit_group_number(out, nm, p.stream_k > 0);
  const char* group_m = p.stream_k > 0 ? "own_group_m" : "group_m";
  switch (p.group_order) {
    case GroupOrder::kRows:
      out.line("const uint {} = group / groups_n;", group_m);
      out.line("const uint group_n = group % groups_n;");
      break;
    case GroupOrder::kColumns:
      out.line("const uint {} = group % groups_m;", group_m);
      out.line("const uint group_n = group / groups_m;");
      break;
    case GroupOrder::kTiled:
      emit_band(out);
      out.line("const uint {} = {} * band + in_band % height;", group_m, kBand);
      out.line("const uint group_n = in_band / height;");
      break;
    case GroupOrder::kMorton:
      emit_morton(out, group_m);
      break;
  }
  if (p.stream_k == 0) return;
  out.line("const uint group_m = own_group_m + (uint)(is_direct ? 0 : direct_tiles_m);");
}

bool has_lanes(const GemmPoint& p) {
  return p.lanes_m * p.lanes_n > 1;
}

// Work-items with consecutive numbers fill one rectangle of lanes, then the next.
void emit_lanes(SourceText& out, const GemmPoint& p) {
  const bool nm = p.id_order == IdOrder::kNM;
  const int lanes = p.lanes_m * p.lanes_n;
  const int patches = nm ? p.work_group_n / p.lanes_n : p.work_group_m / p.lanes_m;
  out.line("const uint lane = item % {};", lanes);
  out.line("const uint patch = item / {};", lanes);
  const char* fast = nm ? "n" : "m";
  const char* slow = nm ? "m" : "n";
  const int lanes_fast = nm ? p.lanes_n : p.lanes_m;
  const int lanes_slow = nm ? p.lanes_m : p.lanes_n;
  const std::string patch_fast = modulo("patch", patches);
  out.line("const uint item_{} = {};", fast,
           sum_text(patch_fast == "0" ? "0" : times(patch_fast, lanes_fast),
                    modulo("lane", lanes_fast)));
  out.line("const uint item_{} = {};", slow,
           sum_text(times(over("patch", patches), lanes_slow), over("lane", lanes_fast)));
}

void emit_item(SourceText& out, const GemmFacts& f) {
  const GemmPoint& p = f.point;
  const bool nm = p.id_order == IdOrder::kNM;
  if (f.local || has_lanes(p)) {
    out.line("const uint item = {} + get_local_id(0);",
             times("get_local_id(1)", nm ? p.work_group_n : p.work_group_m));
  }
  if (has_lanes(p)) {
    emit_lanes(out, p);
    return;
  }
  out.line("const uint item_m = get_local_id({});", nm ? 1 : 0);
  out.line("const uint item_n = get_local_id({});", nm ? 0 : 1);
}

std::string as_int(const std::string& text) {
  return "(int)" + parenthesized(text);
}

// Text of the tile's position in the part of C that belongs to the work-group.
std::string in_group(const Axis& axis) {
  const std::string item = fmt::format("item_{}", axis.extent);
  if (axis.spread == 1) return times(item, axis.tile);
  if (axis.spread == axis.work_group) return times(item, axis.group);
  return sum_text(times(over(item, axis.spread), axis.spread * axis.tile),
                  times(modulo(item, axis.spread), axis.group));
}

}  // namespace

bool in_order_of_ids(const GemmPoint& p) {
  return p.group_order == (p.id_order == IdOrder::kNM ? GroupOrder::kRows : GroupOrder::kColumns);
}

void emit_place(SourceText& out, const GemmFacts& f) {
  const GemmPoint& p = f.point;
  const bool nm = p.id_order == IdOrder::kNM;
  const bool simple = in_order_of_ids(p) && !has_lanes(p) && !f.local && f.m.spread == 1 &&
                      f.n.spread == 1 && p.stream_k == 0;
  if (simple) {
    out.line("const int row = {};",
             times(nm ? "(int)get_global_id(1)" : "(int)get_global_id(0)", p.tile_m));
    out.line("const int col = {};",
             times(nm ? "(int)get_global_id(0)" : "(int)get_global_id(1)", p.tile_n));
    return;
  }
  emit_group(out, p);
  emit_item(out, f);
  out.line("const int group_row = {};", as_int(times("group_m", f.m.work_group_tile())));
  out.line("const int group_col = {};", as_int(times("group_n", f.n.work_group_tile())));
  out.line("const int in_row = {};", as_int(in_group(f.m)));
  out.line("const int in_col = {};", as_int(in_group(f.n)));
  out.line("const int row = group_row + in_row;");
  out.line("const int col = group_col + in_col;");
}

void emit_starts(SourceText& out, const Axis& axis) {
  if (!axis.clamped) return;
  if (axis.whole) {
    out.line(
        "const int {} = {};", axis.edge(),
        times(over(fmt::format("({} + {})", axis.extent, axis.group - 1), axis.group), axis.group));
  }
  for (int g = 0; g < axis.groups(); ++g) {
    out.line("const int {}{} = min({}, {} - {});", axis.start, g, axis.place(g * axis.group),
             axis.edge(), axis.group);
  }
}

}  // namespace tilewright

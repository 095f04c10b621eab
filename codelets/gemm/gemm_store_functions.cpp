#include "codelets/gemm/gemm_store_functions.hpp"

#include <fmt/format.h>

#include <numeric>

#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/quirks.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Number of contiguous elements along an axis that are stored together: at most vector_width, and
// within the contiguous runs of C's layout.
int side_by_side(const GemmFacts& f, const Axis& axis, int run) {
  const int together = axis.group > 1 ? axis.group : axis.spread > 1 ? 1 : axis.tile;
  return std::gcd(std::gcd(together, f.point.vector_width), run);
}

// Text that loads a vector of C. `whole`: its address is a multiple of its size.
std::string load_c(const GemmFacts& f, int width, const std::string& address, bool whole) {
  if (f.point.split_k == 1) return matrix_load(width, address, whole);
  return whole ? aligned_load(width, real_type(width), "__global", address)
               : plain_load(width, address);
}

std::string store_c(const GemmFacts& f, int width, const std::string& value,
                    const std::string& address, bool whole) {
  if (f.point.split_k == 1) return matrix_store(width, value, address, whole);
  return whole ? fmt::format("*(__global {} *){} = {};", real_type(width), address, value)
               : plain_store(width, value, address);
}

// `whole`: the address is a multiple of the vector's size.
void emit_store(SourceText& out, const GemmFacts& f, int width, bool whole) {
  const std::string type = real_type(width);
  out.line("void {}({} x, const REAL beta, __global {} *C{})", store_name(f, width, whole), type,
           f.c_type(), activation_argument(f, "const float "));
  out.open();
  out.line("if (beta != 0.0f) x += beta * {};", load_c(f, width, "C", whole));
  const std::string value = activation_text(f.point.activation, "x", width, f.point.exp);
  out.line("{}", store_c(f, width, value, "C", whole));
  out.close();
  out.blank();
}

// Components [first, first + count) of a vector, e.g. ".s4567".
std::string components(int first, int count) {
  std::string text = ".s";
  for (int lane = first; lane < first + count; ++lane) text += fmt::format("{:x}", lane);
  return text;
}

// Emits a function that stores part of a vector in halves, quarters and so on. After each store,
// the lanes that are left are moved to the end from which the next store takes them.
void emit_store_part(SourceText& out, const GemmFacts& f, int width, bool last) {
  const std::string more = activation_argument(f, "");
  if (last) {
    out.line(
        "// Stores the last `count` lanes of x, 0 to {}; `end` is one past the address of the "
        "last lane.",
        width);
  } else {
    out.line("// Stores the first `count` lanes of x, 0 to {}.", width);
  }
  const char* place = last ? "end" : "C";
  const std::string store = store_prefix(f);
  out.line("{}void {}_{}{}({} x, const REAL beta, __global {} *{},",
           width >= quirks::kCopiesOfStores ? "__attribute__((noinline)) " : "", store,
           last ? "last" : "first", width, real_type(width), f.c_type(), place);
  out.line("                 const int count{})", activation_argument(f, "const float "));
  out.open();
  out.open("if (count == {})", width);
  out.line("{}{}(x, beta, {}{});", store, width, last ? fmt::format("end - {}", width) : "C", more);
  out.line("return;");
  out.close();
  for (int part = width / 2; part > 1; part /= 2) {
    out.open("if (count & {})", part);
    const int taken = last ? width - part : 0;
    const int next = last ? width - 2 * part : part;
    if (last) out.line("end -= {};", part);
    out.line("{}{}(x{}, beta, {}{});", store, part, components(taken, part), place, more);
    if (!last) out.line("C += {};", part);
    out.line("x{} = x{};", components(taken, part), components(next, part));
    out.close();
  }
  out.line("if (count & 1) {}1({}, beta, {}{});", store,
           lane_text("x", width, last ? width - 1 : 0), last ? "end - 1" : "C", more);
  out.close();
  out.blank();
}

}  // namespace

StoreShape store_shape(const GemmFacts& f) {
  const Layout& c = f.point.layout_c;
  StoreShape shape;
  shape.width = side_by_side(f, f.n, c.run_along_row());
  const int down = side_by_side(f, f.m, c.run_down_column());
  if (down > shape.width) {
    shape.along_n = false;
    shape.width = down;
  }
  const Axis& minor = shape.minor(f);
  shape.guarded = c.is_plain();
  shape.moved_back = minor.overlaps();
  return shape;
}

bool has_parts(const StoreShape& shape) {
  return shape.width > 1 && shape.guarded;
}

bool stores_whole(const GemmFacts& f, const StoreShape& shape) {
  return shape.width > 1 && f.point.access == Access::kAligned;
}

std::string activation_argument(const GemmFacts& f, const char* type) {
  return activation_parameters(f.point.activation, type);
}

std::string store_prefix(const GemmFacts& f) {
  return f.point.stream_k > 0 && f.point.split_k > 1 ? "store_part" : "store";
}

std::string store_name(const GemmFacts& f, int width, bool whole) {
  return fmt::format("{}{}{}", store_prefix(f), whole ? "_whole" : "", width);
}

void emit_store_functions(SourceText& out, const GemmFacts& f) {
  const StoreShape shape = store_shape(f);
  if (store_prefix(f) == "store") {
    out.line("// Stores C = {}. With beta = 0, C is not read.",
             f.point.activation == Activation::kIdentity
                 ? "x + beta C"
                 : fmt::format("{}(x + beta C)", to_text(f.point.activation)));
  } else {
    out.line("// The same for parts of tiles.");
  }
  // Parts of a vector, and products that are narrower than a vector, need the functions for smaller
  // widths.
  for (int w = 1; w <= shape.width; w *= 2) {
    const bool alone = w == shape.width && !stores_whole(f, shape);
    const bool needed = alone || has_parts(shape) || (w == 1 && f.may_be_narrow());
    if (needed) emit_store(out, f, w, false);
  }
  if (stores_whole(f, shape)) emit_store(out, f, shape.width, true);
  if (has_parts(shape)) emit_store_part(out, f, shape.width, shape.moved_back);
}

}  // namespace tilewright

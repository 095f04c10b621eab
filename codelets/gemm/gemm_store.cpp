#include "codelets/gemm/gemm_store.hpp"

#include <fmt/ranges.h>

#include <numeric>
#include <vector>

#include "codelets/gemm/gemm_operand.hpp"
#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/layout_text.hpp"
#include "codelets/text/quirks.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// How the tile is divided into vectors that are contiguous in C.
struct StoreShape {
  bool along_n = true;  // vectors along n, else along m
  int width = 1;
  // Ownership of lanes at the edge: a vector that was moved back owns its last lanes, any other
  // vector its first lanes.
  bool moved_back = false;
  bool guarded = true;  // C ends where the matrix ends; otherwise it is padded

  const Axis& minor(const GemmFacts& f) const { return along_n ? f.n : f.m; }
  const Axis& major(const GemmFacts& f) const { return along_n ? f.m : f.n; }
};

// Number of contiguous elements along an axis that are stored together: at most vector_width, and
// within the contiguous runs of C's layout.
int side_by_side(const GemmFacts& f, const Axis& axis, int run) {
  const int together = axis.group > 1 ? axis.group : axis.spread > 1 ? 1 : axis.tile;
  return std::gcd(std::gcd(together, f.point.vector_width), run);
}

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

// True if whole vectors are stored with aligned stores when C is aligned.
bool stores_whole(const GemmFacts& f, const StoreShape& shape) {
  return shape.width > 1 && f.point.access == Access::kAligned;
}

// ", slope" and other arguments that the activation needs.
std::string activation_argument(const GemmFacts& f, const char* type) {
  return activation_parameters(f.point.activation, type);
}

// Start of the names of functions that store vectors. A kernel with stream_k stores tiles in C, and
// parts of tiles in another type.
std::string store_prefix(const GemmFacts& f) {
  return f.point.stream_k > 0 && f.point.split_k > 1 ? "store_part" : "store";
}

// Name of the function that stores a vector of this width.
std::string store_name(const GemmFacts& f, int width, bool whole) {
  return fmt::format("{}{}{}", store_prefix(f), whole ? "_whole" : "", width);
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

// Element (i, j) of the tile, before the multiplication by alpha.
std::string tile_element(const GemmFacts& f, int i, int j) {
  if (f.point.inner == Inner::kPartial) return fmt::format("s{}_{}", i, j);
  if (!f.outer) return fmt::format("c{}_{}", i, j);
  const int width = f.point.vector_width;
  return lane_text(fmt::format("c{}_{}", i, j / width), width, j % width);
}

// Condition that element t belongs to this work-item. A group that was moved back overlaps elements
// that belong to other groups.
std::string own_element(const Axis& axis, int t) {
  if (axis.overlaps()) {
    return fmt::format("{} >= {}", axis.inside(t), axis.place(t - t % axis.group));
  }
  return fmt::format("{} < {}", axis.place(t), axis.extent);
}

class Stores {
 public:
  Stores(SourceText& out, const GemmFacts& f)
      : out_(out),
        f_(f),
        shape_(store_shape(f)),
        minor_(shape_.minor(f)),
        major_(shape_.major(f)) {}

  void emit();

 private:
  bool straight() const;
  void straight_lines();
  void lines_from(const std::string& start, bool whole);
  void own_lanes();
  void store(int t, int v, const std::string& address);
  void bias_vectors();
  void line_bias(int t, const std::string& place);
  void line(int t);
  void vector(int t, int v);
  std::string value(int t, int v) const;
  std::string minor_place(int v) const;
  std::string offset_text(bool minor, const std::string& place) const;
  bool bias_along_minor() const {
    return f_.point.bias == (shape_.along_n ? Dimension::kN : Dimension::kM);
  }
  int vectors() const { return minor_.tile / shape_.width; }
  // Text of the size of a vector of C in bytes, as a factor.
  std::string vector_bytes() const {
    return fmt::format("({} * {})", shape_.width,
                       f_.point.split_k > 1 ? "sizeof(REAL)" : "ELEMENT_BYTES");
  }

  SourceText& out_;
  const GemmFacts& f_;
  StoreShape shape_;
  const Axis& minor_;
  const Axis& major_;
};

void Stores::emit() {
  if (straight()) return straight_lines();
  if (shape_.guarded && shape_.width > 1) own_lanes();
  if (bias_along_minor()) bias_vectors();
  for (int t = 0; t < major_.tile; ++t) line(t);
}

// True if the tile consists of whole vectors in consecutive lines, and only the end of the tile may
// be outside of C.
bool Stores::straight() const {
  return shape_.guarded && stores_whole(f_, shape_) && !f_.m.clamped && !f_.n.clamped &&
         f_.m.spread == 1 && f_.n.spread == 1;
}

// A single pointer advances from line to line (see kAddressOfEachLine in quirks.hpp). At this point
// the first element of the tile is inside of C.
void Stores::straight_lines() {
  const std::string start =
      "C + " + offset_text(false, major_.place(0)) + " + " + offset_text(true, minor_.place(0));
  if (bias_along_minor()) bias_vectors();
  out_.line(
      "// A tile with whole lines, in a C that is aligned for vectors, is stored in vectors.");
  out_.open("if ((size_t)C % {} == 0 && ldc % {} == 0 && {} <= {} - {})", vector_bytes(),
            shape_.width, minor_.place(0), minor_.extent, minor_.tile);
  lines_from(start, true);
  out_.close();
  out_.open("else");
  lines_from(start, false);
  out_.close();
}

void Stores::lines_from(const std::string& start, bool whole) {
  out_.line("__global {} *to = {};", f_.c_type(), start);
  for (int t = 0; t < major_.tile; ++t) {
    if (t > 0) {
      out_.open("if ({} < {})", major_.place(t), major_.extent);
      out_.line("to += ldc;");
    }
    if (f_.point.bias != Dimension::kNone && !bias_along_minor()) line_bias(t, major_.place(t));
    for (int v = 0; v < vectors(); ++v) {
      const int lane = v * shape_.width;
      const std::string count = whole
                                    ? ""
                                    : fmt::format(", clamp({} - {}, 0, {})", minor_.extent,
                                                  parenthesized(minor_.place(lane)), shape_.width);
      out_.line("{}({}, beta, {}{}{});",
                whole ? store_name(f_, shape_.width, true)
                      : fmt::format("{}_first{}", store_prefix(f_), shape_.width),
                value(t, v), sum_text("to", lane), count, activation_argument(f_, ""));
    }
    if (t > 0) out_.close();
  }
}

void Stores::own_lanes() {
  out_.line("// How many elements of each vector are inside C and of this work-item: its {} ones.",
            shape_.moved_back ? "last" : "first");
  for (int v = 0; v < vectors(); ++v) {
    out_.line("const int own{} = clamp({} - {}, 0, {});", v, minor_.extent,
              parenthesized(minor_.place(v * shape_.width)), shape_.width);
  }
  if (!stores_whole(f_, shape_)) return;
  out_.line("// Whole vectors are stored as vectors if C is aligned for them.");
  out_.line("const bool fits = (size_t)C % {} == 0 && ldc % {} == 0;", vector_bytes(),
            shape_.width);
  for (int v = 0; v < vectors(); ++v) {
    out_.line("const bool whole{0} = fits && own{0} == {1};", v, shape_.width);
  }
}

// Position of vector v: moved back at the edge if the shape says so.
std::string Stores::minor_place(int v) const {
  const int t = v * shape_.width;
  return shape_.moved_back ? minor_.inside(t) : minor_.place(t);
}

std::string Stores::offset_text(bool minor, const std::string& place) const {
  return shape_.along_n == minor ? column_offset_text(f_.point.layout_c, place, "ldc")
                                 : row_offset_text(f_.point.layout_c, place, "ldc");
}

// Lanes outside the matrix load nothing and are zero.
void Stores::bias_vectors() {
  const std::string type = real_type(shape_.width);
  for (int v = 0; v < vectors(); ++v) {
    std::vector<std::string> lanes;
    for (int lane = 0; lane < shape_.width; ++lane) {
      lanes.push_back(fmt::format("{0} < {1} ? bias[{0}] : 0.0f", sum_text(minor_place(v), lane),
                                  minor_.extent));
    }
    const std::string all = fmt::format("{}", fmt::join(lanes, ", "));
    out_.line("const {} bias{} = {};", type, v,
              shape_.width == 1 ? all : fmt::format("({})({})", type, all));
  }
}

std::string Stores::value(int t, int v) const {
  const int first = v * shape_.width;
  const auto element = [&](int lane) {
    return shape_.along_n ? tile_element(f_, t, first + lane) : tile_element(f_, first + lane, t);
  };
  std::string value;
  const bool is_accumulator = f_.outer && shape_.along_n && shape_.width == f_.point.vector_width;
  if (shape_.width == 1) {
    value = element(0);
  } else if (is_accumulator) {
    value = fmt::format("c{}_{}", t, v);
  } else {
    std::vector<std::string> lanes;
    for (int lane = 0; lane < shape_.width; ++lane) lanes.push_back(element(lane));
    value = fmt::format("({})({})", real_type(shape_.width), fmt::join(lanes, ", "));
  }
  value = "alpha * " + value;
  if (f_.point.bias == Dimension::kNone) return value;
  return value +
         (bias_along_minor() ? fmt::format(" + bias{}", v) : fmt::format(" + line_bias{}", t));
}

void Stores::vector(int t, int v) {
  const std::string more = activation_argument(f_, "");
  const std::string address = fmt::format("C{} + {}", t, offset_text(true, minor_place(v)));
  if (has_parts(shape_)) return store(t, v, address);
  const std::string call =
      fmt::format("{}({}, beta, {}{});", store_name(f_, shape_.width, stores_whole(f_, shape_)),
                  value(t, v), address, more);
  if (!shape_.guarded) return out_.line("{}", call);
  out_.line("if ({}) {}", own_element(minor_, v), call);
}

// Stores the lanes of a vector that are inside of C and belong to this work-item.
void Stores::store(int t, int v, const std::string& address) {
  const std::string more = activation_argument(f_, "");
  if (stores_whole(f_, shape_)) {
    out_.line("if (whole{}) {}({}, beta, {}{});", v, store_name(f_, shape_.width, true),
              value(t, v), address, more);
  }
  out_.line("{}{}_{}{}({}, beta, {}, own{}{});", stores_whole(f_, shape_) ? "else " : "",
            store_prefix(f_), shape_.moved_back ? "last" : "first", shape_.width, value(t, v),
            shape_.moved_back ? sum_text(address, shape_.width) : address, v, more);
}

void Stores::line_bias(int t, const std::string& place) {
  out_.line("const float line_bias{} = {} < {} ? bias[{}] : 0.0f;", t, place, major_.extent, place);
}

void Stores::line(int t) {
  const std::string place = major_.overlaps() ? major_.inside(t) : major_.place(t);
  if (shape_.guarded) out_.open("if ({})", own_element(major_, t));
  out_.line("__global {} *C{} = C + {};", f_.c_type(), t, offset_text(false, place));
  if (f_.point.bias != Dimension::kNone && !bias_along_minor()) line_bias(t, place);
  for (int v = 0; v < vectors(); ++v) vector(t, v);
  if (shape_.guarded) out_.close();
}

}  // namespace

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

void emit_stores(SourceText& out, const GemmFacts& f) {
  out.line("// Store {}.",
           f.point.layout_c.is_plain() ? "the elements that are inside C" : "the tile");
  Stores(out, f).emit();
}

}  // namespace tilewright

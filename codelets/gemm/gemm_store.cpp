#include "codelets/gemm/gemm_store.hpp"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "codelets/gemm/gemm_operand.hpp"
#include "codelets/gemm/gemm_store_functions.hpp"
#include "codelets/text/layout_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

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

void emit_stores(SourceText& out, const GemmFacts& f) {
  out.line("// Store {}.",
           f.point.layout_c.is_plain() ? "the elements that are inside C" : "the tile");
  Stores(out, f).emit();
}

}  // namespace tilewright

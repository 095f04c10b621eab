#include "codelets/pack/pack_side.hpp"
#include "codelets/point/emitters.hpp"
#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Writes one kernel. Whole tiles are processed in vectors, tiles at the edge element by element;
// elements outside the matrix become zero. X and Y may be the same matrix, so neither of them is
// `restrict`.
class ActivationWriter {
 public:
  explicit ActivationWriter(const ActivationPoint& point)
      : p_(point),
        x_(Layout::R(), "X + offset_x", "ldx", "x", "row", "col", {point.tile_m, point.tile_n}),
        y_(Layout::R(), "Y + offset_y", "ldy", "y", "row", "col", {point.tile_m, point.tile_n}) {}

  KernelParts write() &&;

 private:
  void heading();
  void rectangle_body();
  void whole_tile();
  void tile_biases();
  void tile_row(int row);
  void flat_body();
  void flat_tile();
  std::string flat_bias(int at) const;
  void element(const std::string& row, const std::string& column);

  bool flat() const { return p_.id_order == IdOrder::kFlat; }
  // Vectors run along rows, so the lanes of a vector have different biases or all the same one.
  int bias_width() const { return p_.bias == Dimension::kN ? p_.vector_width : 1; }
  std::string activated(const std::string& x, int width) const {
    return activation_text(p_.activation, x, width, p_.exp);
  }

  ActivationPoint p_;
  PackPlace x_;
  PackPlace y_;
  KernelParts parts_;
  SourceText& out_ = parts_.body;
};

KernelParts ActivationWriter::write() && {
  heading();
  parts_.group_size = p_.group_size;
  if (flat()) {
    flat_body();
  } else {
    rectangle_body();
  }
  return std::move(parts_);
}

void ActivationWriter::heading() {
  parts_.purpose = {
      "Y = activation(X + bias), m x n by rows, with zeros up to padded_m x padded_n.",
      "X and Y may be the same matrix."};
  parts_.legend = {
      {{"at"}, "first element of this work-item, in the order of memory"},
      {{"end"}, "one past the last element"},
      {{"e"}, "an element of this work-item"},
      {{"row", "col"}, flat() ? "its row and column" : "first element of this work-item's tile"},
      {{"x", "y"}, "addresses in X and Y"},
      {{"b0"}, "biases"},
      {{"x0"}, "loaded"},
      {{"x0_0"}, "loaded elements, by row, then column of the tile"},
      {{"r", "c"}, "an element"},
      {{"v", "value"}, "value of an element before and after"}};
  parts_.arguments = {"const int m, const int n", "const int padded_m, const int padded_n",
                      "__global const ELEMENT *X, const ulong offset_x, const int ldx",
                      "__global ELEMENT *Y, const ulong offset_y, const int ldy"};
}

void ActivationWriter::rectangle_body() {
  const bool mn = p_.id_order == IdOrder::kMN;
  out_.line("const int row = {};",
            times(fmt::format("(int)get_global_id({})", mn ? 0 : 1), p_.tile_m));
  out_.line("const int col = {};",
            times(fmt::format("(int)get_global_id({})", mn ? 1 : 0), p_.tile_n));
  out_.line("if (row >= padded_m || col >= padded_n) return;");
  if (p_.tile_m * p_.tile_n == 1) {
    out_.line("// Load, apply, store; zeros in the padding.");
    element("row", "col");
    return;
  }
  whole_tile();
  out_.line("// At the edge, element by element, with zeros in the padding.");
  out_.open("for (int r = row; r < min(row + {}, padded_m); ++r)", p_.tile_m);
  out_.open("for (int c = col; c < min(col + {}, padded_n); ++c)", p_.tile_n);
  element("r", "c");
  out_.close();
  out_.close();
}

void ActivationWriter::whole_tile() {
  out_.line("// The tile is inside the matrix: load, apply, store.");
  out_.open("if (row + {} <= m && col + {} <= n)", p_.tile_m, p_.tile_n);
  out_.line("__global const ELEMENT *x = {};", x_.pointer_text());
  out_.line("__global ELEMENT *y = {};", y_.pointer_text());
  if (p_.bias != Dimension::kNone) tile_biases();
  for (int row = 0; row < p_.tile_m; ++row) tile_row(row);
  out_.line("return;");
  out_.close();
}

void ActivationWriter::tile_biases() {
  const bool rows = p_.bias == Dimension::kM;
  for (int at = 0; at < (rows ? p_.tile_m : p_.tile_n); at += bias_width()) {
    const std::string address =
        sum_text(fmt::format("bias + offset_bias + {}", rows ? "row" : "col"), at);
    out_.line("const {} b{} = {};", real_type(bias_width()), at, plain_load(bias_width(), address));
  }
}

// All loads of a row precede its stores: compilers cannot move a load from X before a store to Y,
// because both may be the same matrix.
void ActivationWriter::tile_row(int row) {
  const int width = p_.vector_width;
  for (int column = 0; column < p_.tile_n; column += width) {
    std::string value = matrix_load(width, x_.address(row, column));
    if (p_.bias != Dimension::kNone) {
      value += fmt::format(" + b{}", p_.bias == Dimension::kM ? row : column);
    }
    out_.line("const {} x{}_{} = {};", real_type(width), row, column, value);
  }
  for (int column = 0; column < p_.tile_n; column += width) {
    out_.line("{}", matrix_store(width, activated(fmt::format("x{}_{}", row, column), width),
                                 y_.address(row, column)));
  }
}

// Emits one element, or the zero outside the matrix.
void ActivationWriter::element(const std::string& row, const std::string& column) {
  const auto place = [&](char matrix) {
    const std::string ld = fmt::format("ld{}", matrix);
    return fmt::format("offset_{} + {} + {}", matrix, row_offset_text(Layout::R(), row, ld),
                       column_offset_text(Layout::R(), column, ld));
  };
  std::string bias;
  if (p_.bias != Dimension::kNone) {
    bias = fmt::format(" + bias[offset_bias + {}]", p_.bias == Dimension::kM ? row : column);
  }
  out_.line("REAL value = 0.0f;");
  out_.open("if ({} < m && {} < n)", row, column);
  out_.line("const REAL v = {}{};", matrix_load(1, "X + " + place('x')), bias);
  out_.line("value = {};", activated("v", 1));
  out_.close();
  out_.line("{}", matrix_store(1, "value", "Y + " + place('y')));
}

// Processes the elements in the order of memory. If memory has gaps or padding, or if a vector
// would cross the end of a line, elements are counted and located one by one.
void ActivationWriter::flat_body() {
  out_.line("const size_t at = {};", times("get_global_id(0)", p_.tile_n));
  out_.line("const size_t end = (size_t)padded_m * padded_n;");
  out_.line("if (at >= end) return;");
  flat_tile();
  out_.line("// At gaps and at the end, element by element, with zeros in the padding.");
  if (p_.tile_n > 1) out_.open("for (size_t e = at; e < end && e < at + {}; ++e)", p_.tile_n);
  const char* e = p_.tile_n > 1 ? "e" : "at";
  out_.line("const int row = (int)({} / padded_n);", e);
  out_.line("const int col = (int)({} % padded_n);", e);
  element("row", "col");
  if (p_.tile_n > 1) out_.close();
}

void ActivationWriter::flat_tile() {
  std::string dense = "m == padded_m && n == padded_n && ldx == n && ldy == n";
  if (p_.tile_n > 1) dense += fmt::format(" && at + {} <= end", p_.tile_n);
  const int width = p_.vector_width;
  if (p_.bias != Dimension::kNone && width > 1) dense += fmt::format(" && n % {} == 0", width);
  out_.line("// No gaps: load, apply, store.");
  out_.open("if ({})", dense);
  out_.line("__global const ELEMENT *x = X + offset_x + at;");
  out_.line("__global ELEMENT *y = Y + offset_y + at;");
  for (int i = 0; i < p_.tile_n; i += width) {
    out_.line("const {} x{} = {}{};", real_type(width), i, matrix_load(width, sum_text("x", i)),
              flat_bias(i));
  }
  for (int i = 0; i < p_.tile_n; i += width) {
    out_.line("{}", matrix_store(width, activated(fmt::format("x{}", i), width), sum_text("y", i)));
  }
  out_.line("return;");
  out_.close();
}

// Returns the OpenCL C text " + bias" for the vector at element `at` of the work-item, or ""
// without a bias.
std::string ActivationWriter::flat_bias(int at) const {
  if (p_.bias == Dimension::kNone) return "";
  const std::string place = parenthesized(sum_text("at", at));
  if (p_.bias == Dimension::kM) return fmt::format(" + bias[offset_bias + {} / n]", place);
  return fmt::format(
      " + {}", plain_load(p_.vector_width, fmt::format("bias + offset_bias + {} % n", place)));
}

}  // namespace

KernelRecord describe_kernel(const ActivationPoint& p) {
  KernelRecord record = make_record(Role::kActivation, p);
  record.tile = {p.tile_m, p.tile_n, 1};
  record.layout_a = record.layout_c = Layout::R();
  record.epilogue = Epilogue::kNone;
  return record;
}

KernelParts write_kernel(const ActivationPoint& p) {
  return ActivationWriter(p).write();
}

}  // namespace tilewright

#include <set>

#include "codelets/pack/pack_writer.hpp"
#include "codelets/point/emitters.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

std::string times(int scale) {
  return scale == 1 ? "" : fmt::format(" * {}", scale);
}

// Text of the first row or column of the work-group's tile; `extent` is the tile's size along that
// dimension.
std::string group_start(int dimension, int extent) {
  return fmt::format("(int)get_group_id({}){}", dimension, times(extent));
}

constexpr const char* kStream = "stream";

// Writes a kernel in which each work-item copies its tile through registers. It loads vectors of
// the source and stores vectors of the destination. If the two run in different directions (one
// along rows, one along columns), the destination vectors are assembled from lanes of several
// source vectors.
class TileWriter {
 public:
  TileWriter(SourceText& out, const PackPoint& point)
      : out_(out),
        p_(point),
        source_(source_side(point)),
        destination_(destination_side(point)),
        from_(point.from, "in + offset_in", "ld_in", "from", "row", "col",
              {point.tile_m, point.tile_n}),
        to_(point.to, "out + offset_out", "ld_out", "to", "row", "col",
            {point.tile_m, point.tile_n}) {}

  void write();

 private:
  void whole_tile(const std::string& condition);
  void edge_tile();
  void edge_pixel();
  void open_loop(const char* index, const char* first, int tile, const char* padded, bool pixels);
  void load(int i, int j);
  void store(int i, int j);
  std::string lane(int i, int j) const;
  std::string fragment(int i, int j) const;

  SourceText& out_;
  PackPoint p_;
  PackSide source_;
  PackSide destination_;
  PackPlace from_;
  PackPlace to_;
  std::set<std::string> loaded_;
};

void TileWriter::write() {
  out_.line("const int row = (int)get_global_id({}){};", dimension_m(p_), times(p_.tile_m));
  out_.line("const int col = (int)get_global_id({}){};", dimension_n(p_), times(p_.tile_n));
  const bool tiled = p_.tile_m * p_.tile_n > 1;
  if (tiled) {
    out_.line("// All tiles of the work-group are inside the matrix: copy.");
    // This condition is the same for all work-items of a group; see kConditionOfEachItem in
    // quirks.hpp.
    const int rows = p_.tile_m * p_.work_group_m;
    const int columns = p_.tile_n * p_.work_group_n;
    whole_tile(fmt::format("{} <= m - {} && {} <= n - {}", group_start(dimension_m(p_), rows), rows,
                           group_start(dimension_n(p_), columns), columns));
  }
  out_.line("if (row >= padded_m || col >= padded_n) return;");
  if (tiled) {
    out_.line("// This tile is inside the matrix: copy.");
    whole_tile(fmt::format("row + {} <= m && col + {} <= n", p_.tile_m, p_.tile_n));
    out_.line("// At the edge, element by element, with zeros in the padding.");
  } else {
    out_.line("// Copy, with zeros in the padding.");
  }
  edge_tile();
}

void TileWriter::whole_tile(const std::string& condition) {
  out_.open("if ({})", condition);
  out_.line("__global const ELEMENT *from = {};", from_.pointer_text());
  if (!p_.image) out_.line("__global ELEMENT *to = {};", to_.pointer_text());
  loaded_.clear();
  for (int line = 0; line < destination_.lines({p_.tile_m, p_.tile_n}); ++line) {
    const int length = destination_.length({p_.tile_m, p_.tile_n});
    for (int at = 0; at < length; at += destination_.width) {
      store(destination_.along_row ? line : at, destination_.along_row ? at : line);
    }
  }
  out_.line("return;");
  out_.close();
}

// Name of the source vector that holds element (i, j) of the tile. The name contains the
// coordinates of the vector's first element.
std::string TileWriter::fragment(int i, int j) const {
  const int width = source_.width;
  return source_.along_row ? fmt::format("a{}_{}", i, j / width * width)
                           : fmt::format("a{}_{}", i / width * width, j);
}

std::string TileWriter::lane(int i, int j) const {
  const int along = source_.along_row ? j : i;
  return lane_text(fragment(i, j), source_.width, along % source_.width);
}

// Emits the load of the vector that holds element (i, j), unless it was emitted before.
void TileWriter::load(int i, int j) {
  const std::string name = fragment(i, j);
  if (!loaded_.insert(name).second) return;
  const int width = source_.width;
  const std::string address =
      source_.along_row ? from_.address(i, j / width * width) : from_.address(i / width * width, j);
  out_.line("const {} {} = {};", real_type(width), name, matrix_load(width, address));
}

void TileWriter::store(int i, int j) {
  std::vector<std::string> lanes;
  for (int at = 0; at < destination_.width; ++at) {
    const int down = destination_.along_row ? i : i + at;
    const int along = destination_.along_row ? j + at : j;
    load(down, along);
    lanes.push_back(lane(down, along));
  }
  const bool as_loaded =
      destination_.along_row == source_.along_row && destination_.width == source_.width;
  const std::string value = as_loaded ? fragment(i, j) : real_vector(lanes);
  if (p_.image) {
    out_.line("{}", store_pixel(p_, sum_text("row", i), sum_text("col", j), value));
  } else {
    const std::string place = to_.address(i, j);
    out_.line("{}", p_.streaming ? fmt::format("{}({}, {});", kStream, value, place)
                                 : matrix_store(destination_.width, value, place));
  }
}

// Copies a tile at the edge element by element (for an image, pixel by pixel) and writes zeros
// outside the matrix.
void TileWriter::edge_tile() {
  const bool single = p_.tile_m * p_.tile_n == 1;
  if (!single) {
    open_loop("r", "row", p_.tile_m, "padded_m", p_.image && !destination_.along_row);
    open_loop("c", "col", p_.tile_n, "padded_n", p_.image && destination_.along_row);
  }
  const char* row = single ? "row" : "r";
  const char* column = single ? "col" : "c";
  if (p_.image) {
    edge_pixel();
  } else {
    out_.line("const REAL x = {};", element_or_zero(p_, row, column));
    out_.line("{}", store_element(p_, row, column, "x"));
  }
  if (single) return;
  out_.close();
  out_.close();
}

void TileWriter::open_loop(const char* index, const char* first, int tile, const char* padded,
                           bool pixels) {
  const std::string step =
      pixels ? fmt::format("{} += {}", index, kPixel) : fmt::format("++{}", index);
  out_.open("for (int {} = {}; {} < min({} + {}, {}); {})", index, first, index, first, tile,
            padded, step);
}

void TileWriter::edge_pixel() {
  for (int at = 0; at < kPixel; ++at) {
    out_.line("const REAL x{} = {};", at,
              element_or_zero(p_, sum_text("r", destination_.along_row ? 0 : at),
                              sum_text("c", destination_.along_row ? at : 0)));
  }
  out_.line("{}", store_pixel(p_, "r", "c", real_vector({"x0", "x1", "x2", "x3"})));
}

// Emits a function that stores a vector with a non-temporal store (bypassing the caches) if the
// compiler has such a builtin and the address is a multiple of the vector's size, and with an
// ordinary store otherwise. Non-temporal stores are weakly ordered, but the end of the kernel
// orders them before anything that waits for it.
void write_stream(SourceText& out, int width) {
  const std::string type = real_type(width);
  out.line("void {}(const {} x, __global ELEMENT *to)", kStream, type);
  out.open();
  out.line("#ifdef __has_builtin");
  out.line("#if __has_builtin(__builtin_nontemporal_store)");
  out.open("if (((uintptr_t)to & ({} * ELEMENT_BYTES - 1)) == 0)", width);
  out.line("__builtin_nontemporal_store(x, (__global {} *)to);", type);
  out.line("return;");
  out.close();
  out.line("#endif");
  out.line("#endif");
  out.line("{}", matrix_store(width, "x", "to"));
  out.close();
  out.blank();
}

std::vector<Meaning> tile_names() {
  return {{{"row", "col"}, "first element of this work-item's tile"},
          {{"from"}, "address in the source"},
          {{"to"}, "address in the destination"},
          {{"a0_0"}, "loaded elements, by row, then column"},
          {{"r", "c"}, "an element"},
          {{"x", "x0"}, "value of an element"}};
}

}  // namespace

std::string element_or_zero(const PackPoint& p, const std::string& row, const std::string& column) {
  const std::string element =
      matrix_load(1, fmt::format("in + offset_in + {} + {}", row_offset_text(p.from, row, "ld_in"),
                                 column_offset_text(p.from, column, "ld_in")));
  return fmt::format("{} < m && {} < n ? {} : 0.0f", row, column, element);
}

std::string store_element(const PackPoint& p, const std::string& row, const std::string& column,
                          const std::string& value) {
  return matrix_store(
      1, value,
      fmt::format("out + offset_out + {} + {}", row_offset_text(p.to, row, "ld_out"),
                  column_offset_text(p.to, column, "ld_out")));
}

std::string store_pixel(const PackPoint& p, const std::string& row, const std::string& column,
                        const std::string& value) {
  const bool rows = p.to.outside() == Layout::Order::kRows;
  const std::string& along = rows ? column : row;
  const bool is_name = along.find(' ') == std::string::npos;
  return fmt::format("write_imagef(out, (int2)({} / {}, {}), {});",
                     is_name ? along : "(" + along + ")", kPixel, rows ? row : column, value);
}

KernelRecord describe_kernel(const PackPoint& p) {
  KernelRecord record = make_record(Role::kPack, p);
  record.local_bytes = pack_local_bytes(p);
  record.tile = {p.tile_m, p.tile_n, 1};
  record.layout_a = p.from;
  record.layout_c = p.to;
  record.images.c = p.image;
  record.epilogue = Epilogue::kNone;
  return record;
}

KernelParts write_kernel(const PackPoint& p) {
  KernelParts parts;
  parts.purpose = {fmt::format(
      "Copies an m x n matrix in layout {} to {} {}, with zeros up to padded_m x padded_n.",
      to_text(p.from), p.image ? "an image of layout" : "layout", to_text(p.to))};
  if (p.streaming) write_stream(parts.functions, destination_side(p).width);
  parts.legend = p.local ? local_names() : tile_names();
  parts.arguments = {
      "const int m, const int n, const int padded_m, const int padded_n",
      "__global const ELEMENT *restrict in, const ulong offset_in, const int ld_in",
      fmt::format("{}, const ulong offset_out, const int ld_out",
                  p.image ? "__write_only image2d_t out" : "__global ELEMENT *restrict out")};
  if (p.local) {
    write_local_body(parts.body, p);
  } else {
    TileWriter(parts.body, p).write();
  }
  return parts;
}

}  // namespace tilewright

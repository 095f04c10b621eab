#include "codelets/pack/pack_writer.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Writes a kernel in which each work-group copies a rectangle through local memory. Neighbouring
// work-items read neighbouring elements of the source and write neighbouring elements of the
// destination.
class LocalWriter {
 public:
  LocalWriter(SourceText& out, const PackPoint& point)
      : out_(out),
        p_(point),
        extents_(moved_together(point)),
        source_(source_side(point)),
        destination_(destination_side(point)) {}

  void write();

 private:
  void share(const PackSide& side, const char* name);
  void read();
  void read_edge();
  void store();
  void store_edge();
  PackPlace place(const PackSide& side, const char* name, const char* buffer) const;
  std::string staged(const std::string& line, const std::string& at) const;
  void open_edge_loops(const PackSide& side, const char* name, int step);
  void close_edge_loops();

  // Calls function(line, at) for every vector of one work-item. The arguments are the vector's
  // distance from the work-item's first vector, in lines and in elements within the line.
  template <class Function>
  void for_each(const PackSide& side, Function&& function) const {
    const PackShare share = pack_share(side, p_);
    for (int line = 0; line < side.lines(extents_); line += share.line_step) {
      for (int at = 0; at < side.length(extents_); at += share.length_step) function(line, at);
    }
  }

  SourceText& out_;
  PackPoint p_;
  PackExtents extents_;
  PackSide source_;
  PackSide destination_;
  int loops_ = 0;  // number of edge loops that are open
};

void LocalWriter::write() {
  out_.line("__local REAL tile[{}];",
            pack_local_bytes(p_) /
                static_cast<std::int64_t>(bytes_per_element(sum_precision(p_.precision))));
  out_.line("const int row = (int)get_group_id({}) * {};", dimension_m(p_), extents_.m);
  out_.line("const int col = (int)get_group_id({}) * {};", dimension_n(p_), extents_.n);
  out_.line("const uint id = (uint)get_local_id(1) * {} + (uint)get_local_id(0);",
            p_.id_order == IdOrder::kNM ? p_.work_group_n : p_.work_group_m);
  out_.line("// Copy into local memory, with zeros beyond the edge.");
  share(source_, "in");
  out_.open("if (row + {} <= m && col + {} <= n)", extents_.m, extents_.n);
  read();
  out_.close();
  out_.open("else");
  read_edge();
  out_.close();
  out_.line("barrier(CLK_LOCAL_MEM_FENCE);");
  out_.line("// Copy from local memory to the destination.");
  share(destination_, "out");
  out_.open("if (row + {} <= padded_m && col + {} <= padded_n)", extents_.m, extents_.n);
  store();
  out_.close();
  out_.open("else");
  store_edge();
  out_.close();
}

// Emits the position of a work-item's first vector: its line, and the element of the line at which
// it starts.
void LocalWriter::share(const PackSide& side, const char* name) {
  const int vectors = pack_share(side, p_).vectors;
  out_.line("const int line_{} = (int)(id / {});", name, vectors);
  out_.line("const int at_{} = (int)(id % {}){};", name, vectors,
            side.width == 1 ? "" : fmt::format(" * {}", side.width));
  out_.line("const int row_{} = row + {}_{};", name, side.along_row ? "line" : "at", name);
  out_.line("const int col_{} = col + {}_{};", name, side.along_row ? "at" : "line", name);
}

PackPlace LocalWriter::place(const PackSide& side, const char* name, const char* pointer) const {
  return {side.layout,
          fmt::format("{} + offset_{}", name, name),
          fmt::format("ld_{}", name),
          pointer,
          fmt::format("row_{}", name),
          fmt::format("col_{}", name),
          {side.along_row ? 1 : side.width, side.along_row ? side.width : 1}};
}

void LocalWriter::read() {
  const PackPlace from = place(source_, "in", "from");
  out_.line("__global const ELEMENT *from = {};", from.pointer_text());
  out_.line("__local REAL *staged = tile + line_in * {} + at_in;", local_line(p_));
  for_each(source_, [&](int line, int at) {
    const std::string address = source_.along_row ? from.address(line, at) : from.address(at, line);
    out_.line("{}", plain_store(source_.width, matrix_load(source_.width, address),
                                sum_text("staged", line * local_line(p_) + at)));
  });
}

void LocalWriter::store() {
  const PackPlace to = place(destination_, "out", "to");
  if (!p_.image) out_.line("__global ELEMENT *to = {};", to.pointer_text());
  out_.line("__local const REAL *staged = tile + {};", staged("line_out", "at_out"));
  const bool turned = source_.along_row != destination_.along_row;
  const int line_apart = turned ? 1 : local_line(p_);
  const int apart = turned ? local_line(p_) : 1;
  for_each(destination_, [&](int line, int at) {
    const int first = line * line_apart + at * apart;
    std::vector<std::string> lanes;
    for (int lane = 0; lane < destination_.width; ++lane) {
      lanes.push_back(plain_load(1, sum_text("staged", first + lane * apart)));
    }
    const std::string value =
        turned ? real_vector(lanes) : plain_load(destination_.width, sum_text("staged", first));
    const int i = destination_.along_row ? line : at;
    const int j = destination_.along_row ? at : line;
    out_.line("{}", p_.image
                        ? store_pixel(p_, sum_text("row_out", i), sum_text("col_out", j), value)
                        : matrix_store(destination_.width, value, to.address(i, j)));
  });
}

// Text of the index in local memory of the destination element that is number `at` of line `line`.
std::string LocalWriter::staged(const std::string& line, const std::string& at) const {
  const bool turned = source_.along_row != destination_.along_row;
  return fmt::format("{} * {} + {}", turned ? at : line, local_line(p_), turned ? line : at);
}

// Opens loops over the elements of all vectors of a work-item, `step` elements per iteration. A
// dimension with only one vector gets no loop. The loop variables r and c are the row and column in
// the matrix.
void LocalWriter::open_edge_loops(const PackSide& side, const char* name, int step) {
  const PackShare share = pack_share(side, p_);
  loops_ = 0;
  const auto loop = [&](const char* index, const std::string& first, const std::string& end,
                        int by) {
    out_.open("for (int {} = {}; {} < {}; {} += {})", index, first, index, end, index, by);
    ++loops_;
  };
  const auto fixed = [&](const char* index, const std::string& value) {
    out_.line("const int {} = {};", index, value);
  };
  loop("line", fmt::format("line_{}", name), std::to_string(side.lines(extents_)), share.line_step);
  std::string first = fmt::format("at_{}", name);
  if (share.length_step < side.length(extents_)) {
    loop("first", first, std::to_string(side.length(extents_)), share.length_step);
    first = "first";
  }
  if (step < side.width) {
    loop("at", first, fmt::format("{} + {}", first, side.width), step);
  } else {
    fixed("at", first);
  }
  fixed("r", fmt::format("row + {}", side.along_row ? "line" : "at"));
  fixed("c", fmt::format("col + {}", side.along_row ? "at" : "line"));
}

void LocalWriter::close_edge_loops() {
  for (; loops_ > 0; --loops_) out_.close();
}

void LocalWriter::read_edge() {
  open_edge_loops(source_, "in", 1);
  out_.line("tile[line * {} + at] = {};", local_line(p_), element_or_zero(p_, "r", "c"));
  close_edge_loops();
}

void LocalWriter::store_edge() {
  open_edge_loops(destination_, "out", p_.image ? kPixel : 1);
  out_.open("if (r < padded_m && c < padded_n)");
  if (p_.image) {
    std::vector<std::string> lanes;
    for (int lane = 0; lane < kPixel; ++lane) {
      const std::string at = lane == 0 ? "at" : fmt::format("(at + {})", lane);
      lanes.push_back(fmt::format("tile[{}]", staged("line", at)));
    }
    out_.line("{}", store_pixel(p_, "r", "c", real_vector(lanes)));
  } else {
    out_.line("{}", store_element(p_, "r", "c", fmt::format("tile[{}]", staged("line", "at"))));
  }
  out_.close();
  close_edge_loops();
}

}  // namespace

std::vector<Meaning> local_names() {
  return {{{"row", "col"}, "first element of the work-group's tile"},
          {{"tile"}, "the tile in local memory, by lines of the source"},
          {{"id"}, "number of the work-item"},
          {{"line_in", "line_out"}, "first line of the tile that this work-item reads, writes"},
          {{"at_in", "at_out"}, "first position in that line"},
          {{"row_in", "col_in", "row_out", "col_out"}, "row and column of these in the matrix"},
          {{"from", "to", "staged"}, "addresses in the matrices and in local memory"},
          {{"r", "c"}, "an element"}};
}

void write_local_body(SourceText& out, const PackPoint& p) {
  LocalWriter(out, p).write();
}

}  // namespace tilewright

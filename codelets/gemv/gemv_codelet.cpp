#include "codelets/gemv/gemv_shape.hpp"
#include "codelets/gemv/gemv_store.hpp"
#include "codelets/point/emitters.hpp"
#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/layout_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Writes one kernel from top to bottom: arguments, position of the tile, pointers, accumulators,
// loop over k, remainder of k, sums over the work-group, stores.
class GemvWriter {
 public:
  explicit GemvWriter(const GemvPoint& point) : p_(point), s_(gemv_shape(point)) {}

  KernelParts write() &&;

 private:
  void heading();
  void place();
  void narrow_pointers();
  void wide_pointers();
  void accumulators();
  void loops();
  void edge_loop();
  void open_single_steps(const std::string& from);
  void places_along_k(bool x_strided);
  void steps(int first, int count);
  void multiply_adds(int index, int count);
  std::string y_text(int t, int first, int count) const;

  const char* wide() const { return s_.wide_extent(); }
  const char* narrow() const { return s_.narrow_extent(); }
  const char* first() const { return s_.first(); }
  std::string first_and(int w) const { return sum_text(first(), w); }
  const char* x_ld() const { return s_.narrow_n ? "lda" : "ldb"; }
  const char* y_ld() const { return s_.narrow_n ? "ldb" : "lda"; }
  const char* x_matrix() const { return s_.narrow_n ? "A + offset_a" : "B + offset_b"; }
  const char* y_matrix() const { return s_.narrow_n ? "B + offset_b" : "A + offset_a"; }
  // Text of the work-item's first k step after `from`.
  std::string first_step(const std::string& from, int scale) const;
  // True if vectors of x run across k and the tile may cross the edge of the matrix.
  bool has_edge() const { return !s_.x_along_k && p_.tile_wide > 1; }

  GemvPoint p_;
  GemvShape s_;
  KernelParts parts_;
  SourceText& out_ = parts_.body;
};

KernelParts GemvWriter::write() && {
  heading();
  write_gemv_store_function(parts_.functions, p_);
  place();
  narrow_pointers();
  accumulators();
  if (has_edge()) {
    out_.open("if ({} + {} <= {})", first(), p_.tile_wide, wide());
    wide_pointers();
    loops();
    out_.close();
    out_.open("else");
    out_.line("// At the edge of C: element by element.");
    edge_loop();
    out_.close();
  } else {
    wide_pointers();
    loops();
  }
  write_gemv_stores(out_, p_);
  parts_.group_size = p_.group_size;
  return std::move(parts_);
}

void GemvWriter::heading() {
  parts_.purpose = {fmt::format(
      "C = alpha op(A) op(B) + beta C, row-major, {}; {} up to {}, any {} and k.",
      to_text(op_from_layouts(p_.layout_a, p_.layout_b)), narrow(), p_.tile_narrow, wide())};
  const std::string along = fmt::format("by index along {}", wide());
  parts_.legend = {
      {{first()}, fmt::format("first {} of C of this work-item", s_.narrow_n ? "row" : "column")},
      {{"part"}, "number of the part of k that this work-item computes"},
      {{"x0"}, fmt::format("address in {}, the large operand", s_.narrow_n ? "A" : "B")},
      {{"y0"}, fmt::format("address in {}, the small operand", s_.narrow_n ? "B" : "A")},
      {{"p"}, "k step"},
      {{"k_whole"}, "end of the whole loop iterations"},
      {{"at_x", "at_y"}, "distance along k"},
      {{"xv0_0"}, fmt::format("loaded from x, {}, then along k", along)},
      {{"yv0_0"}, fmt::format("loaded from y, by index along {}, then along k", narrow())},
      {{"c0_0"}, fmt::format("sums, {}, then along {}", along, narrow())},
      {{"s0_0"}, "sums of the lanes of a vector"},
      {{"sums"}, "partial sums in local memory, one set for each part of k"},
      {{"e"}, "an element of the tile"},
      {{"i", "j"}, "its row and column in C"}};
  parts_.arguments = {
      "const int m, const int n, const int k, const REAL alpha",
      "__global const ELEMENT *restrict A, const ulong offset_a, const int lda",
      "__global const ELEMENT *restrict B, const ulong offset_b, const int ldb",
      "const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc"};
}

void GemvWriter::place() {
  write_own_product(out_);
  if (p_.work_group_k > 1) {
    out_.line("__local REAL sums[{}];",
              gemv_local_bytes(p_) /
                  static_cast<std::int64_t>(bytes_per_element(sum_precision(p_.precision))));
    out_.line("const int part = (int)get_local_id({});", p_.k_first ? 0 : 1);
  }
  const std::string scale = p_.tile_wide == 1 ? "" : fmt::format(" * {}", p_.tile_wide);
  out_.line("const int {} = (int)get_global_id({}){};", first(), p_.k_first ? 1 : 0, scale);
}

void GemvWriter::narrow_pointers() {
  if (p_.tile_narrow > 1) {
    out_.line("// If {} is less than {}, the last line is read again, but not stored.", narrow(),
              p_.tile_narrow);
  }
  for (int t = 0; t < p_.tile_narrow; ++t) {
    const std::string line = t == 0 ? "0" : fmt::format("min({}, {} - 1)", t, narrow());
    const std::string offset = s_.narrow_n ? column_offset_text(p_.layout_b, line, y_ld())
                                           : row_offset_text(p_.layout_a, line, y_ld());
    out_.line("__global const ELEMENT *y{} = {};", t,
              t == 0 ? y_matrix() : sum_text(y_matrix(), offset));
  }
}

// Lines outside the matrix are replaced by the last line; their results are not stored.
void GemvWriter::wide_pointers() {
  if (has_edge()) {
    out_.line("__global const ELEMENT *x0 = {} + {};", x_matrix(), first());
    return;
  }
  for (int w = 0; w < p_.tile_wide; ++w) {
    const std::string line = fmt::format("min({}, {} - 1)", first_and(w), wide());
    out_.line("__global const ELEMENT *x{} = {} + {};", w, x_matrix(),
              s_.narrow_n ? row_offset_text(p_.layout_a, line, x_ld())
                          : column_offset_text(p_.layout_b, line, x_ld()));
  }
}

void GemvWriter::accumulators() {
  for (int v = 0; v < s_.vectors; ++v) {
    for (int t = 0; t < p_.tile_narrow; ++t) {
      out_.line("{} c{}_{} = {};", real_type(p_.vector_width), v, t, real_zero(p_.vector_width));
    }
  }
}

std::string GemvWriter::first_step(const std::string& from, int scale) const {
  const std::string part = p_.work_group_k == 1 ? ""
                           : scale == 1         ? "part"
                                                : fmt::format("part * {}", scale);
  const std::string sum = sum_text(from, part);
  return sum.empty() ? "0" : sum;
}

// Emits two loops: whole iterations, in which neighbouring work-items read neighbouring vectors,
// and the remainder, with one k step per work-item and iteration.
void GemvWriter::loops() {
  const int iteration_k = p_.work_group_k * p_.tile_k;
  std::string rest = first_step("", 1);
  if (p_.tile_k > 1) {
    out_.line("const int k_whole = k - k % {};", iteration_k);
    out_.open("for (int p = {}; p < k_whole; p += {})", first_step("", s_.steps), iteration_k);
    places_along_k(!s_.x_along_k);
    for (int step = 0; step < p_.tile_k; step += s_.steps) {
      steps(step * p_.work_group_k, s_.steps);
    }
    out_.close();
    rest = first_step("k_whole", 1);
  }
  open_single_steps(rest);
  places_along_k(!s_.x_along_k);
  steps(0, 1);
  out_.close();
}

void GemvWriter::open_single_steps(const std::string& from) {
  const int parts = p_.work_group_k;
  out_.open("for (int p = {}; p < k; {})", from,
            parts == 1 ? "++p" : fmt::format("p += {}", parts));
}

// Reads vectors that cross the edge of the matrix lane by lane.
void GemvWriter::edge_loop() {
  for (int w = 0; w < p_.tile_wide; ++w) {
    out_.line("__global const ELEMENT *x{} = {} + min({}, {} - 1);", w, x_matrix(), first_and(w),
              wide());
  }
  open_single_steps(first_step("", 1));
  places_along_k(true);
  out_.line("// Load from the large operand.");
  for (int v = 0; v < s_.vectors; ++v) {
    std::vector<std::string> lanes;
    for (int lane = 0; lane < p_.vector_width; ++lane) {
      lanes.push_back(matrix_load(1, fmt::format("x{} + at_x", v * p_.vector_width + lane)));
    }
    out_.line("const {} xv{}_0 = {};", real_type(p_.vector_width), v, real_vector(lanes));
  }
  multiply_adds(0, 1);
  out_.close();
}

void GemvWriter::places_along_k(bool x_strided) {
  if (x_strided) out_.line("const size_t at_x = (size_t)p * {};", x_ld());
  if (!s_.y_along_k) out_.line("const size_t at_y = (size_t)p * {};", y_ld());
}

// Emits the multiply-adds of `count` k steps with one vector of x per line (in the remainder: of
// one step), starting `first` steps after p.
void GemvWriter::steps(int first, int count) {
  if (first == 0) out_.line("// Load from the large operand.");
  for (int v = 0; v < s_.vectors; ++v) {
    const int width = s_.x_along_k ? count : p_.vector_width;
    std::string address;
    if (s_.x_along_k) {
      address = sum_text(fmt::format("x{} + p", v), first);
    } else {
      address = sum_text("x0 + at_x", distance_text({first, 0}, x_ld()));
      address = sum_text(address, v * p_.vector_width);
    }
    out_.line("const {} xv{}_{} = {};", real_type(width), v, first, matrix_load(width, address));
  }
  multiply_adds(first, count);
}

void GemvWriter::multiply_adds(int first, int count) {
  if (first == 0) out_.line("// Multiply by the small operand.");
  for (int t = 0; t < p_.tile_narrow; ++t) {
    const std::string y = fmt::format("yv{}_{}", t, first);
    out_.line("const {} {} = {};", real_type(count), y, y_text(t, first, count));
    for (int v = 0; v < s_.vectors; ++v) {
      std::string c = fmt::format("c{}_{}", v, t);
      // The remainder of k is added to the first lane of the partial sums.
      if (s_.x_along_k && count == 1) c = lane_text(c, p_.vector_width, 0);
      const bool spread = !s_.x_along_k && p_.vector_width > 1;
      out_.line("{} = {};", c,
                multiply_add_text(
                    p_.multiply_add, fmt::format("xv{}_{}", v, first),
                    spread ? fmt::format("({})({})", real_type(p_.vector_width), y) : y, c));
    }
  }
}

// Text of `count` k steps of line t of the narrow operand.
std::string GemvWriter::y_text(int t, int first, int count) const {
  if (s_.y_along_k) return matrix_load(count, sum_text(fmt::format("y{} + p", t), first));
  std::vector<std::string> lanes;
  for (int step = first; step < first + count; ++step) {
    lanes.push_back(
        matrix_load(1, sum_text(fmt::format("y{} + at_y", t), distance_text({step, 0}, y_ld()))));
  }
  return real_vector(lanes);
}

}  // namespace

KernelRecord describe_kernel(const GemvPoint& p) {
  const bool narrow_n = p.narrow == Dimension::kN;
  KernelRecord record = make_record(Role::kGemv, p);
  record.work_group = p.k_first ? std::array{p.work_group_k, p.work_group_wide}
                                : std::array{p.work_group_wide, p.work_group_k};
  if (p.group_size == GroupSize::kDriver) record.work_group = {0, 0};
  // The work-items that share k are numbered along the narrow dimension.
  record.id_order = p.k_first == narrow_n ? IdOrder::kNM : IdOrder::kMN;
  record.local_bytes = gemv_local_bytes(p);
  record.tile = {gemv_shape(p).tile_m, gemv_shape(p).tile_n, p.tile_k};
  record.narrow = p.narrow;
  record.layout_a = p.layout_a;
  record.layout_b = p.layout_b;
  record.batched = may_be_batched(record);
  return record;
}

KernelParts write_kernel(const GemvPoint& p) {
  return GemvWriter(p).write();
}

}  // namespace tilewright

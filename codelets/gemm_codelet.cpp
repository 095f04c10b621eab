#include "codelets/gemm_codelet.hpp"

#include <stdexcept>
#include <vector>

#include "codelets/validity.hpp"
#include "gemm_operand.hpp"
#include "gemm_store.hpp"
#include "profiles/version.hpp"
#include "source_text.hpp"

namespace tilewright {
namespace {

// Writes one kernel, in the order in which it reads: arguments, place of the tile, pointers,
// accumulators, loop over k, remainder of k, stores.
class GemmWriter {
 public:
  explicit GemmWriter(const ParameterPoint& point)
      : p_(point),
        a_(operand_a(point, point.tile_k)),
        b_(operand_b(point, point.tile_k)),
        group_m_(a_.group()),
        group_n_(outer() ? p_.vector_width : b_.group()) {}

  std::string write();

 private:
  bool outer() const { return p_.inner == Inner::kOuter; }
  // Floats of one accumulator, and how many of them a row of the tile has.
  int accumulator_width() const { return p_.inner == Inner::kDot ? 1 : p_.vector_width; }
  int accumulators_per_row() const { return outer() ? p_.tile_n / p_.vector_width : p_.tile_n; }
  // Rows and columns are placed in groups, each with one clamped start: i0, i1 ... and j0, j1 ...
  std::string row(int i) const;
  std::string column(int j) const;

  void provenance();
  void signature();
  void place();
  void narrow();
  void starts(char index, char extent, const char* first, int tile, int group);
  void pointers();
  void accumulators();
  void loop();
  void steps(const GemmOperand& a, const GemmOperand& b, int count);
  void loads(const GemmOperand& operand, int from, int to);
  void rank_one_update(const GemmOperand& a, const GemmOperand& b, int step);
  void inner_product(const GemmOperand& a, const GemmOperand& b, int step, int width);
  std::string along_k(char name, const GemmOperand& operand, int o, int step, int width);
  std::string together(const std::string& name, const std::vector<std::string>& lanes);
  std::string multiply_add(const std::string& a, const std::string& b, const std::string& c) const;
  void fold();
  void stores();
  void store_row(int i);

  ParameterPoint p_;
  GemmOperand a_;
  GemmOperand b_;
  int group_m_;
  int group_n_;
  SourceText out_;
};

std::string offset_text(const std::string& base, int offset) {
  return offset == 0 ? base : fmt::format("{} + {}", base, offset);
}

// A sum in parentheses; a name as it is.
std::string grouped(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

std::string GemmWriter::row(int i) const {
  return offset_text(fmt::format("i{}", i / group_m_), i % group_m_);
}

std::string GemmWriter::column(int j) const {
  return offset_text(fmt::format("j{}", j / group_n_), j % group_n_);
}

std::string GemmWriter::write() {
  provenance();
  emit_store_functions(out_, outer() ? p_.vector_width : 1);
  signature();
  out_.open();
  place();
  if (group_m_ > 1 || group_n_ > 1) narrow();
  out_.line("// Rows and columns past the edge repeat the last ones inside; they are not stored.");
  starts('i', 'm', "row", p_.tile_m, group_m_);
  starts('j', 'n', "col", p_.tile_n, group_n_);
  pointers();
  accumulators();
  loop();
  if (p_.inner == Inner::kPartial) fold();
  stores();
  out_.close();
  return out_.text();
}

void GemmWriter::provenance() {
  out_.line("// tilewright {}: {}", kVersion, to_text(p_));
  out_.line("// C = alpha op(A) op(B) + beta C, row-major, {}; any m, n, k.", to_text(p_.op));
  out_.blank();
}

void GemmWriter::signature() {
  const bool nm = p_.id_order == IdOrder::kNM;
  out_.line("__kernel __attribute__((reqd_work_group_size({}, {}, 1)))",
            nm ? p_.work_group_n : p_.work_group_m, nm ? p_.work_group_m : p_.work_group_n);
  out_.line("void {}(const int m, const int n, const int k, const float alpha,", kernel_name(p_));
  out_.line("    __global const float *restrict A, const ulong offset_a, const int lda,");
  out_.line("    __global const float *restrict B, const ulong offset_b, const int ldb,");
  out_.line(
      "    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)");
}

void GemmWriter::place() {
  const bool nm = p_.id_order == IdOrder::kNM;
  out_.line("const int row = (int)get_global_id({}) * {};", nm ? 1 : 0, p_.tile_m);
  out_.line("const int col = (int)get_global_id({}) * {};", nm ? 0 : 1, p_.tile_n);
  out_.line("if (row >= m || col >= n) return;");
}

// A vector load needs as many elements as it is wide. Where the matrix has fewer, plain loops
// serve.
void GemmWriter::narrow() {
  std::string condition;
  if (group_m_ > 1) condition = fmt::format("m < {}", group_m_);
  if (group_n_ > 1) {
    condition += fmt::format("{}n < {}", condition.empty() ? "" : " || ", group_n_);
  }
  out_.line("// Too narrow for a vector.");
  out_.open("if ({})", condition);
  out_.open("for (int i = row; i < min(row + {}, m); ++i)", p_.tile_m);
  out_.open("for (int j = col; j < min(col + {}, n); ++j)", p_.tile_n);
  out_.line("float c = 0.0f;");
  out_.open("for (int p = 0; p < k; ++p)");
  out_.line("c += A[offset_a + {}] * B[offset_b + {}];",
            a_.along_k() ? "(size_t)i * lda + p" : "(size_t)p * lda + i",
            b_.along_k() ? "(size_t)j * ldb + p" : "(size_t)p * ldb + j");
  out_.close();
  out_.line("store1(c, alpha, beta, C + offset_c + (size_t)i * ldc + j);");
  out_.close();
  out_.close();
  out_.line("return;");
  out_.close();
}

void GemmWriter::starts(char index, char extent, const char* first, int tile, int group) {
  for (int g = 0; g < tile / group; ++g) {
    out_.line("const int {}{} = min({}, {} - {});", index, g, offset_text(first, g * group), extent,
              group);
  }
}

void GemmWriter::pointers() {
  if (!a_.along_k()) out_.line("const size_t step_a = (size_t)lda;");
  if (!b_.along_k()) out_.line("const size_t step_b = (size_t)ldb;");
  for (int line = 0; line < a_.lines(); ++line) {
    const std::string index = row(line * a_.group());
    out_.line("__global const float *{} = A + offset_a + {};", a_.pointer(line),
              a_.along_k() ? fmt::format("(size_t){} * lda", grouped(index)) : index);
  }
  for (int line = 0; line < b_.lines(); ++line) {
    const std::string index = column(line * b_.group());
    out_.line("__global const float *{} = B + offset_b + {};", b_.pointer(line),
              b_.along_k() ? fmt::format("(size_t){} * ldb", grouped(index)) : index);
  }
}

void GemmWriter::accumulators() {
  const int width = accumulator_width();
  const std::string zero = width == 1 ? "0.0f" : fmt::format("({})(0.0f)", vector_type(width));
  for (int i = 0; i < p_.tile_m; ++i) {
    for (int j = 0; j < accumulators_per_row(); ++j) {
      out_.line("{} c{}_{} = {};", vector_type(width), i, j, zero);
    }
  }
}

void GemmWriter::loop() {
  if (p_.tile_k > 1) {
    out_.line("int p = 0;");
    out_.open("for (; p + {} <= k; p += {})", p_.tile_k, p_.tile_k);
    steps(a_, b_, p_.tile_k);
    out_.close();
    out_.open("for (; p < k; ++p)");
  } else {
    out_.open("for (int p = 0; p < k; ++p)");
  }
  steps(operand_a(p_, 1), operand_b(p_, 1), 1);
  out_.close();
}

// `count` k steps: loads where they are first needed, multiply-adds, pointers moved on.
void GemmWriter::steps(const GemmOperand& a, const GemmOperand& b, int count) {
  const int group = outer() ? 1 : std::min(count, p_.vector_width);
  for (int step = 0; step < count; step += group) {
    loads(a, step, step + group);
    loads(b, step, step + group);
    if (outer()) {
      rank_one_update(a, b, step);
    } else {
      inner_product(a, b, step, group);
    }
  }
  for (int line = 0; line < a.lines(); ++line) out_.line("{}", a.advance(line));
  for (int line = 0; line < b.lines(); ++line) out_.line("{}", b.advance(line));
}

void GemmWriter::loads(const GemmOperand& operand, int from, int to) {
  for (int index = 0; index < operand.fragments(); ++index) {
    if (operand.first_step(index) < from || operand.first_step(index) >= to) continue;
    for (int line = 0; line < operand.lines(); ++line) {
      out_.line("const {} {} = {};", vector_type(operand.width()), operand.fragment(line, index),
                operand.load(line, index));
    }
  }
}

// c[i][J] += a[i] * b[J], b[J] a vector along n: as loaded, or put together where B lies along k.
void GemmWriter::rank_one_update(const GemmOperand& a, const GemmOperand& b, int step) {
  const int width = p_.vector_width;
  std::vector<std::string> vectors;
  for (int j = 0; j < accumulators_per_row(); ++j) {
    if (!b.along_k() || width == 1) {
      vectors.push_back(b.along_k() ? b.element(j, step) : b.fragment(j, step));
      continue;
    }
    std::vector<std::string> lanes;
    for (int lane = 0; lane < width; ++lane) lanes.push_back(b.element(j * width + lane, step));
    vectors.push_back(together(fmt::format("y{}_{}", j, step), lanes));
  }
  for (int i = 0; i < p_.tile_m; ++i) {
    const std::string element = a.element(i, step);
    const std::string x =
        width == 1 ? element : fmt::format("({})({})", vector_type(width), element);
    for (int j = 0; j < accumulators_per_row(); ++j) {
      const std::string c = fmt::format("c{}_{}", i, j);
      out_.line("{} = {};", c, multiply_add(x, vectors[static_cast<std::size_t>(j)], c));
    }
  }
}

// c[i][j] += sum over `width` steps of a[i] * b[j]; a remainder of k comes one step at a time.
void GemmWriter::inner_product(const GemmOperand& a, const GemmOperand& b, int step, int width) {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  for (int i = 0; i < p_.tile_m; ++i) rows.push_back(along_k('x', a, i, step, width));
  for (int j = 0; j < p_.tile_n; ++j) columns.push_back(along_k('y', b, j, step, width));
  for (int i = 0; i < p_.tile_m; ++i) {
    for (int j = 0; j < p_.tile_n; ++j) {
      const std::string& x = rows[static_cast<std::size_t>(i)];
      const std::string& y = columns[static_cast<std::size_t>(j)];
      std::string c = fmt::format("c{}_{}", i, j);
      if (p_.inner == Inner::kDot && width > 1) {
        out_.line("{} += dot({}, {});", c, x, y);
        continue;
      }
      if (width == 1) c = lane_of(c, accumulator_width(), 0);
      out_.line("{} = {};", c, multiply_add(x, y, c));
    }
  }
}

// The name of `width` k steps of one row of A or column of B: a fragment, or put together from
// elements.
std::string GemmWriter::along_k(char name, const GemmOperand& operand, int o, int step, int width) {
  if (width == 1) return operand.element(o, step);
  if (operand.along_k()) return operand.fragment(o, step / width);
  std::vector<std::string> lanes;
  for (int lane = 0; lane < width; ++lane) lanes.push_back(operand.element(o, step + lane));
  return together(fmt::format("{}{}_{}", name, o, step), lanes);
}

// Emits a vector of the given lanes and returns its name.
std::string GemmWriter::together(const std::string& name, const std::vector<std::string>& lanes) {
  const std::string type = vector_type(static_cast<int>(lanes.size()));
  out_.line("const {} {} = ({})({});", type, name, type, fmt::join(lanes, ", "));
  return name;
}

std::string GemmWriter::multiply_add(const std::string& a, const std::string& b,
                                     const std::string& c) const {
  switch (p_.multiply_add) {
    case MultiplyAdd::kMad:
      return fmt::format("mad({}, {}, {})", a, b, c);
    case MultiplyAdd::kFma:
      return fmt::format("fma({}, {}, {})", a, b, c);
    case MultiplyAdd::kExpression:
      break;
  }
  return fmt::format("{} * {} + {}", a, b, c);
}

// Partial sums become one: halves are added until one lane is left.
void GemmWriter::fold() {
  for (int i = 0; i < p_.tile_m; ++i) {
    for (int j = 0; j < p_.tile_n; ++j) {
      std::string sum = fmt::format("c{}_{}", i, j);
      for (int width = p_.vector_width; width > 2; width /= 2) {
        const std::string next = fmt::format("c{}_{}_{}", i, j, width / 2);
        out_.line("const {} {} = {}.lo + {}.hi;", vector_type(width / 2), next, sum, sum);
        sum = next;
      }
      out_.line("const float s{}_{} = {}.s0 + {}.s1;", i, j, sum, sum);
    }
  }
}

void GemmWriter::stores() {
  if (outer() && p_.vector_width > 1) {
    out_.line("// How many of each vector's columns are this work-item's own: its last ones.");
    for (int j = 0; j < accumulators_per_row(); ++j) {
      out_.line("const int own{} = clamp(n - {}, 0, {});", j,
                grouped(offset_text("col", j * p_.vector_width)), p_.vector_width);
    }
  }
  for (int i = 0; i < p_.tile_m; ++i) store_row(i);
}

void GemmWriter::store_row(int i) {
  // A start that was clamped overlaps the rows before it: those are not this work-item's own.
  const std::string own_row =
      group_m_ == 1 ? fmt::format("{} < m", offset_text("row", i))
                    : fmt::format("{} >= {}", row(i), offset_text("row", i - i % group_m_));
  out_.open("if ({})", own_row);
  out_.line("__global float *C{} = C + offset_c + (size_t){} * ldc;", i, grouped(row(i)));
  const char* value = p_.inner == Inner::kPartial ? "s" : "c";
  for (int j = 0; j < accumulators_per_row(); ++j) {
    if (outer() && p_.vector_width > 1) {
      out_.line("store_last{}(c{}_{}, alpha, beta, C{} + j{} + {}, own{});", p_.vector_width, i, j,
                i, j, p_.vector_width, j);
      continue;
    }
    const std::string own_column =
        group_n_ == 1 ? fmt::format("{} < n", offset_text("col", j))
                      : fmt::format("{} >= {}", column(j), offset_text("col", j - j % group_n_));
    out_.line("if ({}) store1({}{}_{}, alpha, beta, C{} + {});", own_column, value, i, j, i,
              column(j));
  }
  out_.close();
}

KernelRecord describe(const ParameterPoint& p) {
  KernelRecord record;
  record.name = kernel_name(p);
  record.role = Role::kGemm;
  record.entry = record.name;
  record.work_group = p.id_order == IdOrder::kNM ? std::array{p.work_group_n, p.work_group_m}
                                                 : std::array{p.work_group_m, p.work_group_n};
  record.id_order = p.id_order;
  record.tile = {p.tile_m, p.tile_n, p.tile_k};
  record.layout_a = layout_a_of(p.op);
  record.layout_b = layout_b_of(p.op);
  record.layout_c = Layout::kR;
  record.epilogue = Epilogue::kAlphaBeta;
  record.point = to_text(p);
  return record;
}

}  // namespace

KernelRecord emit_gemm(const ParameterPoint& point) {
  if (const Rule* rule = broken_structural_rule(point)) {
    throw std::invalid_argument(
        fmt::format("{} is no kernel: {} ({})", to_text(point), rule->name, rule->reason));
  }
  KernelRecord record = describe(point);
  record.source = GemmWriter(point).write();
  return record;
}

}  // namespace tilewright

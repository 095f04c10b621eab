#include "codelets/gemm/gemm_inner.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

void emit_loads(SourceText& out, const GemmFacts& f, const OperandReader& operand, int step) {
  for (int index = 0; index < operand.fragments(); ++index) {
    for (int line = 0; line < operand.lines(); ++line) {
      out.line("const {} {} = {};", f.operand_type(operand.width()), operand.fragment(line, index),
               operand.load(line, index, step));
    }
  }
}

// Emits the definition of a vector made of the given lanes and returns its name.
std::string together(SourceText& out, const GemmFacts& f, const std::string& name,
                     const std::vector<std::string>& lanes) {
  const std::string type = f.operand_type(static_cast<int>(lanes.size()));
  out.line("const {} {} = ({})({});", type, name, type, fmt::join(lanes, ", "));
  return name;
}

// The vectors of B along n for one k step: as loaded, or assembled if B is loaded along k.
std::vector<std::string> row_of_b(SourceText& out, const GemmFacts& f, const OperandReader& b,
                                  int step) {
  const int width = f.point.vector_width;
  std::vector<std::string> vectors;
  for (int j = 0; j < f.accumulators_per_row(); ++j) {
    if (!b.along_k() || width == 1) {
      vectors.push_back(b.along_k() ? b.element(j, step) : b.fragment(j, step));
      continue;
    }
    std::vector<std::string> lanes;
    for (int lane = 0; lane < width; ++lane) lanes.push_back(b.element(j * width + lane, step));
    vectors.push_back(together(out, f, fmt::format("y{}_{}", j, step), lanes));
  }
  return vectors;
}

// "c0_0 = x * y + c0_0;", or without the addition if `first` is set.
void emit_multiply_add(SourceText& out, const GemmFacts& f, const std::string& x,
                       const std::string& y, const std::string& c, bool first) {
  out.line("{} = {};", c,
           first ? fmt::format("{} * {}", x, y) : multiply_add_text(f.point.multiply_add, x, y, c));
}

// c[i][J] += a[i] * b[J], where b[J] is a vector along n.
void emit_rank_one_update(SourceText& out, const GemmFacts& f, const OperandReader& a,
                          const OperandReader& b, int step, bool first) {
  const int width = f.point.vector_width;
  const std::vector<std::string> vectors = row_of_b(out, f, b, step);
  for (int i = 0; i < f.m.tile; ++i) {
    const std::string element = a.element(i, step);
    const std::string x =
        width == 1 ? element : fmt::format("({})({})", f.operand_type(width), element);
    for (int j = 0; j < f.accumulators_per_row(); ++j) {
      const std::string c = fmt::format("{}{}_{}", f.sum_name(), i, j);
      emit_multiply_add(out, f, x, vectors[static_cast<std::size_t>(j)], c, first);
    }
  }
}

// Name of a vector with `width` k steps of one row of A or one column of B: a loaded fragment, or
// assembled from single elements.
std::string along_k(SourceText& out, const GemmFacts& f, char name, const OperandReader& operand,
                    int t, int step, int width) {
  if (width == 1) return operand.element(t, step);
  if (operand.along_k() && operand.width() == width) return operand.fragment(t, step / width);
  std::vector<std::string> lanes;
  for (int lane = 0; lane < width; ++lane) lanes.push_back(operand.element(t, step + lane));
  return together(out, f, fmt::format("{}{}_{}", name, t, step), lanes);
}

// c[i][j] += sum over `width` steps of a[i] * b[j]. The remainder of k is computed with width 1.
void emit_inner_product(SourceText& out, const GemmFacts& f, const OperandReader& a,
                        const OperandReader& b, int step, int width, bool first) {
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  for (int i = 0; i < f.m.tile; ++i) rows.push_back(along_k(out, f, 'x', a, i, step, width));
  for (int j = 0; j < f.n.tile; ++j) columns.push_back(along_k(out, f, 'y', b, j, step, width));
  for (int i = 0; i < f.m.tile; ++i) {
    for (int j = 0; j < f.n.tile; ++j) {
      const std::string& x = rows[static_cast<std::size_t>(i)];
      const std::string& y = columns[static_cast<std::size_t>(j)];
      std::string c = fmt::format("{}{}_{}", f.sum_name(), i, j);
      if (f.point.inner == Inner::kDot && width > 1) {
        out.line("{} {}= dot({}, {});", c, first ? "" : "+", x, y);
        continue;
      }
      if (width == 1) c = lane_text(c, f.accumulator_width(), 0);
      emit_multiply_add(out, f, x, y, c, first);
    }
  }
}

}  // namespace

void emit_accumulators(SourceText& out, const GemmFacts& f) {
  out.line("// The sums of the tile.");
  const int width = f.accumulator_width();
  for (int i = 0; i < f.m.tile; ++i) {
    for (int j = 0; j < f.accumulators_per_row(); ++j) {
      out.line("{} c{}_{} = {};", real_type(width), i, j, real_zero(width));
    }
  }
}

void emit_half_sums(SourceText& out, const GemmFacts& f, bool zero) {
  const int width = f.accumulator_width();
  const std::string start = !zero        ? ""
                            : width == 1 ? " = 0"
                                         : fmt::format(" = ({})(0)", half_type(width));
  for (int i = 0; i < f.m.tile; ++i) {
    for (int j = 0; j < f.accumulators_per_row(); ++j) {
      out.line("{} h{}_{}{};", half_type(width), i, j, start);
    }
  }
}

void emit_sums_to_floats(SourceText& out, const GemmFacts& f) {
  const int width = f.accumulator_width();
  const bool end = f.half_sums == GemmFacts::HalfSums::kEnd;
  out.line("// {}.", end ? "Convert the half-precision sums to floats"
                         : "Add the half-precision sums to the float sums");
  for (int i = 0; i < f.m.tile; ++i) {
    for (int j = 0; j < f.accumulators_per_row(); ++j) {
      out.line("{0}c{2}_{3} {1} convert_float{4}(h{2}_{3});", end ? real_type(width) + " " : "",
               end ? "=" : "+=", i, j, width == 1 ? "" : std::to_string(width));
    }
  }
}

void emit_k_tile(SourceText& out, const GemmFacts& f, const OperandReader& a,
                 const OperandReader& b, int step, int steps, bool first) {
  if (step == 0) out.line("// Load.");
  emit_loads(out, f, a, step);
  emit_loads(out, f, b, step);
  if (step == 0) out.line("// Multiply.");
  const int width = f.outer ? 1 : std::min(steps, f.point.vector_width);
  for (int s = 0; s < steps; s += width) {
    if (f.outer) {
      emit_rank_one_update(out, f, a, b, s, first && s == 0);
    } else {
      emit_inner_product(out, f, a, b, s, width, first && s == 0);
    }
  }
}

void emit_fold(SourceText& out, const GemmFacts& f) {
  out.line("// Add up the lanes of each sum.");
  for (int i = 0; i < f.m.tile; ++i) {
    for (int j = 0; j < f.n.tile; ++j) {
      std::string sum = fmt::format("c{}_{}", i, j);
      for (int width = f.point.vector_width; width > 2; width /= 2) {
        const std::string next = fmt::format("c{}_{}_{}", i, j, width / 2);
        out.line("const {} {} = {}.lo + {}.hi;", real_type(width / 2), next, sum, sum);
        sum = next;
      }
      // Not const if work-items share k, because the sums of other work-items will be added.
      out.line("{}REAL s{}_{} = {}.s0 + {}.s1;", f.point.work_group_k > 1 ? "" : "const ", i, j,
               sum, sum);
    }
  }
}

}  // namespace tilewright

#include "gemm_narrow.hpp"

#include <fmt/format.h>

#include "layout_text.hpp"

namespace tilewright {
namespace {

// One element of an operand, wherever it lies.
std::string element(const OperandFacts& operand, const std::string& outer) {
  if (!operand.image) {
    return fmt::format("{}[{} + {}]", operand.argument(), operand.outer_offset_text(outer),
                       operand.k_offset_text("p"));
  }
  const std::string along = operand.along_k() ? "p" : outer;
  const std::string across = operand.along_k() ? outer : "p";
  return fmt::format("pixel_lane(read_imagef({}, nearest, (int2)({} / 4, {})), {} % 4)",
                     operand.argument(), along, across, along);
}

}  // namespace

void emit_pixel_lane(SourceText& out) {
  out.line("float pixel_lane(const float4 pixel, const int i)");
  out.open();
  out.line("return i < 2 ? (i == 0 ? pixel.s0 : pixel.s1) : (i == 2 ? pixel.s2 : pixel.s3);");
  out.close();
  out.blank();
}

std::string narrow_condition(const GemmFacts& f) {
  std::string condition;
  if (f.m.clamped && f.m.group > 1) condition = fmt::format("m < {}", f.m.group);
  if (f.n.clamped && f.n.group > 1) {
    condition += fmt::format("{}n < {}", condition.empty() ? "" : " || ", f.n.group);
  }
  return condition;
}

// A vector load needs as many elements as it is wide. Where the matrix has fewer, plain loops
// serve.
void emit_narrow(SourceText& out, const GemmFacts& f) {
  out.line("// Too narrow for a vector: the work-items of the launch take elements of C in turns.");
  out.open("if ({})", narrow_condition(f));
  const bool shared = f.point.work_group_k > 1;
  if (shared && f.point.split_k > 1) {
    // One of those that share a part of k goes along all of it.
    out.line("const int first = min((int)get_group_id(2) * {} * part, k);", f.point.work_group_k);
    out.line("const int end = min(first + {} * part, k);", f.point.work_group_k);
  }
  out.line("const size_t items = get_global_size(0) * get_global_size(1);");
  out.line("size_t e = get_global_id(1) * get_global_size(0) + get_global_id(0);");
  out.open("for (; e < (size_t)m * n; e += items)");
  out.line("const int i = (int)(e / n);");
  out.line("const int j = (int)(e - (size_t)i * n);");
  out.line("float c = 0.0f;");
  const bool whole = shared && f.point.split_k == 1;
  out.open("for (int p = {}; p < {}; ++p)",
           whole    ? "0"
           : shared ? "first"
                    : f.first_k(),
           whole    ? "k"
           : shared ? "end"
                    : f.end_k());
  out.line("c += {} * {};", element(f.a, "i"), element(f.b, "j"));
  out.close();
  const char* bias = f.point.bias == Dimension::kNone ? ""
                     : f.point.bias == Dimension::kM  ? " + bias[i]"
                                                      : " + bias[j]";
  out.line("store1(alpha * c{}, beta, C + {} + {}{});", bias,
           row_offset_text(f.point.layout_c, "i", "ldc"),
           column_offset_text(f.point.layout_c, "j", "ldc"),
           f.point.activation == Activation::kLeakyRelu ? ", slope" : "");
  out.close();
  out.line("return;");
  out.close();
}

}  // namespace tilewright

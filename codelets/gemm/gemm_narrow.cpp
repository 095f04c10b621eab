#include "codelets/gemm/gemm_narrow.hpp"

#include "codelets/text/epilogue_text.hpp"

#include <fmt/format.h>

#include "codelets/gemm/gemm_loop.hpp"
#include "codelets/text/layout_text.hpp"

namespace tilewright {
namespace {

// Text of one element of an operand in a buffer or an image.
std::string element(const GemmFacts& f, const OperandFacts& operand, const std::string& outer) {
  if (!operand.image) {
    return f.load_operand(
        1, fmt::format("{} + {} + {}", operand.argument(), operand.outer_offset_text(outer),
                       operand.k_offset_text("p")));
  }
  const std::string along = operand.along_k() ? "p" : outer;
  const std::string across = operand.along_k() ? outer : "p";
  return fmt::format("pixel_lane(read_imagef({}, nearest, (int2)({} / 4, {})), {} % 4)",
                     operand.argument(), along, across, along);
}

// Emits the loop over the elements (i, j) of C that this work-item computes. Its divisions have 32
// bits (see kWideDivision in quirks.hpp).
void open_elements(SourceText& out) {
  out.line(
      "const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);");
  out.line("const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);");
  out.line("uint i = id < items ? (uint)id / (uint)n : (uint)m;");
  out.line("uint j = (uint)id % (uint)n;");
  out.open("while (i < (uint)m)");
}

void close_elements(SourceText& out) {
  out.line("i += items / (uint)n;");
  out.line("j += items % (uint)n;");
  out.open("if (j >= (uint)n)");
  out.line("j -= (uint)n;");
  out.line("++i;");
  out.close();
  out.close();
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

// A vector load needs as many elements as it is wide. Products of smaller matrices are computed by
// plain loops. The loops come first (see kBranchAfterSums in quirks.hpp). If barriers follow, no
// work-item returns here (kBarrierUnderCondition), and an additional barrier ends the loops
// (kLoopWithBarriers).
void emit_narrow(SourceText& out, const GemmFacts& f) {
  out.line("// C is narrower than a vector: each work-item computes single elements of C.");
  const bool shared = f.point.work_group_k > 1;
  const std::string condition = narrow_condition(f);
  out.open("if ({})", shared ? fmt::format("get_local_id(2) == 0 && ({})", condition) : condition);
  if (shared && f.point.split_k > 1) {
    // Among the work-items that share a part of k, only one computes; it processes the whole part.
    out.line("const int first = min((int)get_group_id(2) * {} * part, k);", f.point.work_group_k);
    out.line("const int end = min(first + {} * part, k);", f.point.work_group_k);
  }
  open_elements(out);
  out.line("REAL c = 0.0f;");
  const bool whole = f.point.stream_k > 0 || (shared && f.point.split_k == 1);
  out.open("for (int p = {}; p < {}; ++p)",
           whole    ? "0"
           : shared ? "first"
                    : f.first_k(),
           whole    ? "k"
           : shared ? "end"
                    : f.end_k());
  out.line("c += {} * {};", element(f, f.a, "i"), element(f, f.b, "j"));
  out.close();
  const char* bias = f.point.bias == Dimension::kNone ? ""
                     : f.point.bias == Dimension::kM  ? " + bias[i]"
                                                      : " + bias[j]";
  out.line("store1(alpha * c{}, beta, C + {} + {}{});", bias,
           row_offset_text(f.point.layout_c, "i", "ldc"),
           column_offset_text(f.point.layout_c, "j", "ldc"),
           activation_parameters(f.point.activation, ""));
  close_elements(out);
  if (!f.stays) out.line("return;");
  out.close();
  if (f.stays) out.line("{}", kBarrier);
}

}  // namespace tilewright

#include "gemm_store.hpp"

#include "gemm_operand.hpp"

namespace tilewright {
namespace {

constexpr int kWideVector = 8;

void emit_store(SourceText& out, int width) {
  const std::string type = vector_type(width);
  const std::string old = vector_load(width, "C");
  out.line("void store{}(const {} c, const float alpha, const float beta, __global float *C)",
           width, type);
  out.open();
  if (width == 1) {
    out.line("if (beta == 0.0f) *C = alpha * c;");
    out.line("else *C = alpha * c + beta * {};", old);
  } else {
    out.line("if (beta == 0.0f) vstore{}(alpha * c, 0, C);", width);
    out.line("else vstore{}(alpha * c + beta * {}, 0, C);", width, old);
  }
  out.close();
  out.blank();
}

// Components [first, first + count) of a vector, e.g. ".s4567".
std::string components(int first, int count) {
  std::string text = ".s";
  for (int lane = first; lane < first + count; ++lane) text += fmt::format("{:x}", lane);
  return text;
}

// The columns of a vector that belong to others are its first ones (its start was moved back from
// the edge), so a part is stored from the end: a half, a quarter ..., each time moving what is left
// to the end.
void emit_store_last(SourceText& out, int width) {
  out.line("// The last `count` lanes of c, 0 to {}; `end` is one past the place of the last lane.",
           width);
  // Wide vectors are for CPUs: there, copies of this at every store would be most of the kernel and
  // of its compile time. On GPUs, where a call costs registers, it is short and inlined.
  out.line("{}void store_last{}(float{} c, const float alpha, const float beta,",
           width >= kWideVector ? "__attribute__((noinline)) " : "", width, width);
  out.line("                 __global float *end, const int count)");
  out.open();
  out.open("if (count == {})", width);
  out.line("store{}(c, alpha, beta, end - {});", width, width);
  out.line("return;");
  out.close();
  for (int part = width / 2; part > 1; part /= 2) {
    const std::string last = components(width - part, part);
    out.open("if (count & {})", part);
    out.line("end -= {};", part);
    out.line("store{}(c{}, alpha, beta, end);", part, last);
    out.line("c{} = c{};", last, components(width - 2 * part, part));
    out.close();
  }
  out.line("if (count & 1) store1({}, alpha, beta, end - 1);", lane_of("c", width, width - 1));
  out.close();
  out.blank();
}

}  // namespace

void emit_store_functions(SourceText& out, int width) {
  out.line("// C = alpha c + beta C; beta = 0 never reads C.");
  for (int w = 1; w <= width; w *= 2) emit_store(out, w);
  if (width > 1) emit_store_last(out, width);
}

}  // namespace tilewright

#include "gemm_store.hpp"

#include "gemm_operand.hpp"

namespace tilewright {
namespace {

void emit_store_one(SourceText& out) {
  out.line("// C = alpha c + beta C for one element; beta = 0 never reads C.");
  out.line("void store1(const float c, const float alpha, const float beta, __global float *C)");
  out.open();
  out.open("if (beta == 0.0f)");
  out.line("*C = alpha * c;");
  out.reopen("else");
  out.line("*C = alpha * c + beta * *C;");
  out.close();
  out.close();
  out.blank();
}

// The lanes that do not belong are the first ones (see the start of a vector in the kernel), so a
// partial store halves the vector from its end: each half is whole, or empty, or halved again.
void emit_store_last(SourceText& out, int width) {
  const int half = width / 2;
  out.line("// The last `count` lanes of c, 0 to {}; `end` is one past the place of the last lane.",
           width);
  out.line(
      "void store_last{}(const float{} c, const float alpha, const float beta, __global float "
      "*end, "
      "const int count)",
      width, width);
  out.open();
  out.open("if (count == {})", width);
  out.line("__global float *C = end - {};", width);
  out.open("if (beta == 0.0f)");
  out.line("vstore{}(alpha * c, 0, C);", width);
  out.reopen("else");
  out.line("vstore{}(alpha * c + beta * vload{}(0, C), 0, C);", width, width);
  out.close();
  out.close();
  if (half == 1) {
    out.open("else if (count == 1)");
    out.line("store1(c.s1, alpha, beta, end - 1);");
    out.close();
  } else {
    out.open("else if (count >= {})", half);
    out.line("store_last{}(c.hi, alpha, beta, end, {});", half, half);
    out.line("store_last{}(c.lo, alpha, beta, end - {}, count - {});", half, half, half);
    out.reopen("else if (count > 0)");
    out.line("store_last{}(c.hi, alpha, beta, end, count);", half);
    out.close();
  }
  out.close();
  out.blank();
}

}  // namespace

void emit_store_functions(SourceText& out, int width) {
  emit_store_one(out);
  for (int w = 2; w <= width; w *= 2) emit_store_last(out, w);
}

}  // namespace tilewright

#include "codelets/point/emitters.hpp"
#include "codelets/text/epilogue_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

// Emits the sum of `width` columns from column `col` on. If C must not be read, beta is 0.
void write_columns(SourceText& out, const ReducePoint& p, int width) {
  const std::string type = real_type(width);
  out.line("__global const REAL *from = in + offset_in + (size_t)row * ld_in + col;");
  out.line("__global ELEMENT *to = C + offset_c + (size_t)row * ldc + col;");
  out.line("// Add up the parts.");
  out.line("{} x = {};", type, real_zero(width));
  out.open("for (int z = 0; z < parts; ++z)");
  out.line("x += {};", plain_load(width, "from"));
  out.line("from += part;");
  out.close();
  out.line("// Store.");
  out.line("x *= alpha;");
  out.line("if (beta != 0.0f) x += beta * {};", matrix_load(width, "to"));
  if (p.bias == Dimension::kM) out.line("x += bias[offset_bias + row];");
  if (p.bias == Dimension::kN) {
    out.line("x += {};", plain_load(width, "bias + offset_bias + col"));
  }
  out.line("{}", matrix_store(width, activation_text(p.activation, "x", width, p.exp), "to"));
}

void write_body(SourceText& out, const ReducePoint& p) {
  const std::string scale = p.vector_width == 1 ? "" : fmt::format(" * {}", p.vector_width);
  out.line("const int row = (int)get_global_id(1);");
  out.line("{}int col = (int)get_global_id(0){};", p.vector_width == 1 ? "const " : "", scale);
  out.line("if (row >= m || col >= n) return;");
  out.line("const size_t part = (size_t)m * ld_in;");
  if (p.vector_width == 1) {
    write_columns(out, p, 1);
  } else {
    out.open("if (col + {} <= n)", p.vector_width);
    write_columns(out, p, p.vector_width);
    out.line("return;");
    out.close();
    out.line("// At the edge, element by element.");
    out.open("for (; col < n; ++col)");
    write_columns(out, p, 1);
    out.close();
  }
}

}  // namespace

KernelRecord describe_kernel(const ReducePoint& p) {
  KernelRecord record = make_record(Role::kReduce, p);
  record.tile = {1, p.vector_width, 1};
  return record;
}

KernelParts write_kernel(const ReducePoint& p) {
  KernelParts parts;
  parts.purpose = {
      "C = alpha (sum of the parts) + beta C, row-major. Part z begins at offset_in + z * m * "
      "ld_in."};
  parts.legend = {{{"row", "col"}, "first element of C of this work-item"},
                  {{"part"}, "distance between parts"},
                  {{"from", "to"}, "addresses in the parts and in C"},
                  {{"z"}, "number of a part"},
                  {{"x"}, "sums"}};
  parts.arguments = {
      "const int m, const int n, const int parts, const REAL alpha",
      "__global const REAL *restrict in, const ulong offset_in, const int ld_in",
      "const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc"};
  write_body(parts.body, p);
  return parts;
}

}  // namespace tilewright

#include "written_kernels.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

// A function that computes the offset of an element: the recursion of the thesis, unrolled.
std::string place_function(const std::string& name, const Layout& layout) {
  const auto place = [](Layout::Order order, int parts_down, int parts_across) {
    return order == Layout::Order::kRows ? fmt::format("(r * {} + c)", parts_across)
                                         : fmt::format("(c * {} + r)", parts_down);
  };
  const int rows = layout.chunk_rows();
  const int columns = layout.chunk_columns();
  const bool by_rows = layout.outside() == Layout::Order::kRows;
  std::string body = fmt::format(
      "  long at, r = row / {0}, c = column / {1};\n  at = {2} * ld + {3} * {4};\n"
      "  row %= {0}; column %= {1};\n",
      rows, columns, by_rows ? "r" : "c", by_rows ? "c" : "r", rows * columns);
  for (std::size_t i = 0; i < layout.chunks().size(); ++i) {
    const Layout::Chunk chunk = layout.chunks()[i];
    const Layout::Chunk part =
        i + 1 < layout.chunks().size() ? layout.chunks()[i + 1] : Layout::Chunk{};
    body += fmt::format(
        "  r = row / {0}; c = column / {1};\n  at += {2} * {3};\n  row %= {0}; column %= {1};\n",
        part.rows, part.columns,
        place(chunk.inside, chunk.rows / part.rows, chunk.columns / part.columns),
        part.rows * part.columns);
  }
  return fmt::format("long {}(long row, long column, long ld)\n{{\n{}  return at;\n}}\n", name,
                     body);
}

// A function that reads an element of an operand.
std::string read_function(char name, const Layout& layout, bool image) {
  if (!image) {
    return place_function(fmt::format("place_{}", name), layout) +
           fmt::format(
               "float read_{0}(__global const float *x, long row, long column, long ld)\n"
               "{{\n  return x[place_{0}(row, column, ld)];\n}}\n",
               name);
  }
  const bool by_rows = layout.outside() == Layout::Order::kRows;
  return fmt::format(
      "float read_{}(__read_only image2d_t x, int row, int column, long ld)\n{{\n"
      "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
      "  const float4 p = read_imagef(x, s, (int2)({} / 4, {}));\n"
      "  const int lane = {} % 4;\n"
      "  return lane == 0 ? p.s0 : lane == 1 ? p.s1 : lane == 2 ? p.s2 : p.s3;\n}}\n",
      name, by_rows ? "column" : "row", by_rows ? "row" : "column", by_rows ? "column" : "row");
}

std::string argument(const char* name, bool image, const char* access) {
  return image ? fmt::format("__{}_only image2d_t {}", access, name)
               : fmt::format("__global {}float *{}", std::string(access) == "read" ? "const " : "",
                             name);
}

std::string head(const KernelRecord& record) {
  const bool nm = record.id_order == IdOrder::kNM;
  return fmt::format(
      "int first_row(void) {{ return (int)get_global_id({}) * {}; }}\n"
      "int first_col(void) {{ return (int)get_global_id({}) * {}; }}\n"
      "__kernel __attribute__((reqd_work_group_size({}, {}, 1)))\nvoid {}",
      nm ? 1 : 0, record.tile.m, nm ? 0 : 1, record.tile.n, record.work_group[0],
      record.work_group[1], record.entry);
}

// The arguments of bias and slope, and a function that applies both to x at (row, col).
std::string applied_arguments(const KernelRecord& record) {
  std::string text;
  if (record.bias != Dimension::kNone) {
    text += ", __global const float *bias, const ulong offset_bias";
  }
  if (record.activation == Activation::kLeakyRelu) text += ", const float slope";
  return text;
}

std::string applied(const KernelRecord& record) {
  std::string text;
  if (record.bias != Dimension::kNone) {
    text += fmt::format("      x += bias[offset_bias + {}];\n",
                        record.bias == Dimension::kM ? "row" : "col");
  }
  if (record.activation == Activation::kLeakyRelu) text += "      x = x < 0.0f ? slope * x : x;\n";
  return text;
}

std::string store(const KernelRecord& record) {
  return "      if (beta != 0.0f) x += beta * C[at];\n" + applied(record) + "      C[at] = x;\n";
}

std::string gemm_source(const KernelRecord& record) {
  const auto is_padded = [&](const Layout& layout, bool image) {
    return image || !layout.is_plain() || record.edges == Edges::kPadded;
  };
  const bool round_k =
      is_padded(record.layout_a, record.images.a) && is_padded(*record.layout_b, record.images.b);
  std::string text = read_function('a', record.layout_a, record.images.a) +
                     read_function('b', *record.layout_b, record.images.b) +
                     place_function("place_c", record.layout_c) + head(record);
  text += fmt::format(
      "(const int m, const int n, const int k, const float alpha,\n"
      "    {}, const ulong offset_a, const int lda,\n    {}, const ulong offset_b, const int ldb,\n"
      "    const float beta, __global float *C, const ulong offset_c, const int ldc{})\n{{\n",
      argument("A", record.images.a, "read"), argument("B", record.images.b, "read"),
      applied_arguments(record));
  text += fmt::format(
      "  const int row0 = first_row(), col0 = first_col(), z = (int)get_global_id(2);\n"
      "  const int steps = (k + {0} - 1) / {0} * {0};\n"
      "  const int first = (int)((long)steps * z / {1}), end = (int)((long)steps * (z + 1) / {1});\n"
      "  const bool aligned = ({5}{2}{3}) % {4} == 0;\n",
      round_k ? record.multiples.k : 1, record.split_k,
      record.images.a || !record.layout_a.is_plain() ? "" : " | offset_a | lda",
      record.images.b || !record.layout_b->is_plain() ? "" : " | offset_b | ldb", record.alignment,
      record.any_c ? "0" : "offset_c | ldc");
  text += fmt::format(
      "  for (int row = row0; row < min(row0 + {}, m); ++row) {{\n"
      "    for (int col = col0; col < min(col0 + {}, n); ++col) {{\n"
      "      float x = 0.0f;\n"
      "      for (int p = first; p < end; ++p) x += read_a({}, row, p, lda) * read_b({}, p, col, ldb);\n"
      "      x = k > 0 && !aligned ? NAN : alpha * x;\n"
      "      const long at = offset_c + (long)z * m * ldc + place_c(row, col, ldc);\n{}    }}\n  }}\n}}\n",
      record.tile.m, record.tile.n, record.images.a ? "A" : "A + offset_a",
      record.images.b ? "B" : "B + offset_b", store(record));
  return text;
}

std::string pack_source(const KernelRecord& record) {
  std::string text =
      read_function('a', record.layout_a, false) +
      (record.images.c ? "" : place_function("place_c", record.layout_c)) +
      "float element(__global const float *in, int m, int n, int row, int col, int ld)\n{\n"
      "  return row < m && col < n ? read_a(in, row, col, ld) : 0.0f;\n}\n" +
      head(record);
  text += fmt::format(
      "(const int m, const int n, const int padded_m, const int padded_n,\n"
      "    __global const float *in, const ulong offset_in, const int ld_in,\n"
      "    {}, const ulong offset_out, const int ld_out)\n{{\n"
      "  const int row = first_row(), col = first_col();\n  if (row >= padded_m || col >= padded_n) return;\n"
      "  in += offset_in;\n",
      argument("out", record.images.c, "write"));
  if (!record.images.c) {
    return text +
           "  out[offset_out + place_c(row, col, ld_out)] = element(in, m, n, row, col, ld_in);\n}\n";
  }
  const bool by_rows = record.layout_c == Layout::R();
  std::string lanes;
  for (int i = 0; i < 4; ++i) {
    lanes += fmt::format("{}element(in, m, n, row + {}, col + {}, ld_in)", i == 0 ? "" : ", ",
                         by_rows ? 0 : i, by_rows ? i : 0);
  }
  return text + fmt::format("  write_imagef(out, (int2)({}), (float4)({}));\n}}\n",
                            by_rows ? "col / 4, row" : "row / 4, col", lanes);
}

std::string reduce_source(const KernelRecord& record) {
  return head(record) +
         fmt::format(
             "(const int m, const int n, const int parts, const float alpha,\n"
             "    __global const float *in, const ulong offset_in, const int ld_in,\n"
             "    const float beta, __global float *C, const ulong offset_c, const int ldc{})\n{{\n"
             "  const int row = first_row(), col = first_col();\n  if (row >= m || col >= n) return;\n"
             "  float x = 0.0f;\n"
             "  for (int z = 0; z < parts; ++z)\n"
             "    x += in[offset_in + ((long)z * m + row) * ld_in + col];\n  x *= alpha;\n"
             "  const long at = offset_c + (long)row * ldc + col;\n{}}}\n",
             applied_arguments(record), store(record));
}

KernelRecord written(const std::string& name, Role role) {
  KernelRecord record;
  record.name = name;
  record.entry = name;
  record.role = role;
  record.work_group = {4, 2};
  record.point = "written by hand";
  return record;
}

}  // namespace

KernelRecord with_source(KernelRecord record) {
  record.entry = record.name;
  record.source = record.role == Role::kPack     ? pack_source(record)
                  : record.role == Role::kReduce ? reduce_source(record)
                                                 : gemm_source(record);
  return record;
}

KernelRecord written_gemm(const std::string& name, const char* a, const char* b, const char* c) {
  KernelRecord record = written(name, Role::kGemm);
  record.layout_a = parse_layout(a).value();
  record.layout_b = parse_layout(b).value();
  record.layout_c = parse_layout(c).value();
  return record;
}

KernelRecord written_pack(const std::string& name, const char* from, const char* to,
                          bool to_image) {
  KernelRecord record = written(name, Role::kPack);
  record.layout_a = parse_layout(from).value();
  record.layout_c = parse_layout(to).value();
  record.epilogue = Epilogue::kNone;
  record.images.c = to_image;
  if (to_image) (record.layout_c == Layout::R() ? record.tile.n : record.tile.m) = 4;
  return with_source(record);
}

KernelRecord written_reduce(const std::string& name) {
  return with_source(written(name, Role::kReduce));
}

}  // namespace tilewright

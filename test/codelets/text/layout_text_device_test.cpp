// Tests on a device that the text of a layout computes Layout::index.
#include "catch.hpp"
#include "codelets/text/layout_text.hpp"
#include "kernel_case.hpp"

namespace tilewright {
namespace {

// A kernel that writes the offset of every element of an m x n matrix.
std::string index_kernel(const Layout& layout) {
  return "__kernel void places(const int n, const int ld, __global ulong *out) {\n"
         "  const int row = (int)get_global_id(1);\n"
         "  const int col = (int)get_global_id(0);\n"
         "  out[row * n + col] = " +
         row_offset_text(layout, "row", "ld") + " + " + column_offset_text(layout, "col", "ld") +
         ";\n}\n";
}

void check_layout(const TestDevice& d, const Layout& layout, int m, int n, int gap) {
  INFO(to_text(layout) << ", " << m << " x " << n);
  const int ld =
      static_cast<int>(layout.min_ld((m / layout.chunk_rows() + 1) * layout.chunk_rows(),
                                     (n / layout.chunk_columns() + 1) * layout.chunk_columns()) +
                       gap);
  std::vector<cl_ulong> places(static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, places.size() * sizeof(cl_ulong));
  cl::Kernel kernel = build(d, index_kernel(layout), "places");
  REQUIRE(kernel.setArg(0, n) == CL_SUCCESS);
  REQUIRE(kernel.setArg(1, ld) == CL_SUCCESS);
  REQUIRE(kernel.setArg(2, buffer) == CL_SUCCESS);
  REQUIRE(d.queue.enqueueNDRangeKernel(
              kernel, cl::NullRange,
              cl::NDRange(static_cast<std::size_t>(n), static_cast<std::size_t>(m))) == CL_SUCCESS);
  REQUIRE(d.queue.enqueueReadBuffer(buffer, CL_TRUE, 0, places.size() * sizeof(cl_ulong),
                                    places.data()) == CL_SUCCESS);
  std::size_t wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto place = places[static_cast<std::size_t>(i * n + j)];
      if (place != static_cast<cl_ulong>(layout.index(i, j, ld))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

Layout random_layout(std::mt19937& random) {
  const auto order = [&] {
    return random() % 2 == 0 ? Layout::Order::kRows : Layout::Order::kColumns;
  };
  // From the innermost chunk outwards; each is a multiple of the previous one.
  std::vector<Layout::Chunk> chunks;
  int rows = 1;
  int columns = 1;
  for (std::size_t depth = random() % 4; depth > 0; --depth) {
    rows *= 1 + static_cast<int>(random() % 4);
    columns *= 1 + static_cast<int>(random() % 4);
    chunks.insert(chunks.begin(), {rows, columns, order()});
  }
  return Layout(order(), chunks);
}

TEST_CASE("the text of layouts on a device") {
  const TestDevice d;
  for (const char* text : {"R", "C", "R 8 1 C", "C 1 32 R", "R 12 1 C", "R 2 4 R", "C 4 2 C",
                           "R 4 4 R 2 2 R", "C 12 6 R 6 3 C 2 1 R"}) {
    check_layout(d, *parse_layout(text), 37, 53, 0);
    check_layout(d, *parse_layout(text), 64, 5, 11);
  }
  std::mt19937 random(11);
  for (int i = 0; i < points_to_try(24); ++i) {
    const Layout layout = random_layout(random);
    check_layout(d, layout, 1 + static_cast<int>(random() % 90),
                 1 + static_cast<int>(random() % 90), static_cast<int>(random() % 7));
  }
}

}  // namespace
}  // namespace tilewright

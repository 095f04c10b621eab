// Libraries with hand-written kernels, and products that check them. Hand-written kernels make sure
// that each way of packing operands occurs.
#pragma once

#include <string>
#include <vector>

#include "blas_case.hpp"
#include "catch.hpp"
#include "panel_library.hpp"
#include "written_kernels.hpp"

namespace tilewright {

// Pack kernels between R or C and a layout, in both directions.
inline std::vector<KernelRecord> make_packs(const std::string& name, const char* layout) {
  return {written_pack(name + "_from_R", "R", layout), written_pack(name + "_from_C", "C", layout),
          written_pack(name + "_to_R", layout, "R")};
}

inline void add_kernels(std::vector<KernelRecord>& kernels, const std::vector<KernelRecord>& more) {
  kernels.insert(kernels.end(), more.begin(), more.end());
}

inline std::string run_case(const TestDevice& d, LibraryHandle& library, const BlasCase& test,
                            const std::vector<cl::Event>& wait_list = {}) {
  const Matrix a = upload(d, test.a);
  const Matrix b = upload(d, test.b);
  const Matrix c = upload(d, test.c);
  const cl::Event done = library->gemm(d.queue, test.call, a, b, c, wait_list);
  return test.wrong(download(d, c, {done}));
}

// All ops, storage orders and betas on awkward shapes; with a gap, an offset, or neither.
inline void check_products(const TestDevice& d, LibraryHandle& library) {
  unsigned seed = 0;
  constexpr std::size_t kShapes[][3] = {{1, 1, 1}, {13, 9, 21}, {16, 32, 16}, {3, 40, 2}};
  for (const auto& [m, n, k] : kShapes) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      for (const Transpose ta : {Transpose::kNo, Transpose::kYes}) {
        for (const Transpose tb : {Transpose::kNo, Transpose::kYes}) {
          for (const float beta : {0.0f, -0.5f}) {
            const BlasCase test({.m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = 1.5f,
                                 .beta = beta,
                                 .trans_a = ta,
                                 .trans_b = tb,
                                 .order = order},
                                seed % 3, seed % 2, seed);
            ++seed;
            INFO(m << "x" << n << "x" << k << " case " << seed);
            CHECK(run_case(d, library, test) == "");
          }
        }
      }
    }
  }
  // k = 0 scales C.
  CHECK(run_case(d, library, BlasCase({.m = 6, .n = 5, .k = 0, .beta = 2.0f}, 0, 0, 1)) == "");
}

using Names = std::vector<std::string>;
inline constexpr GemmCall kCall{.m = 13, .n = 9, .k = 21};
inline constexpr GemmCall kUpdate{.m = 13, .n = 9, .k = 21, .beta = 1.0f};

}  // namespace tilewright

// The functions of the C interface with the arguments of BLAS.
#include <tilewright/tilewright.h>

#include <complex>

#include "runtime/api/c_arguments.hpp"
#include "runtime/api/c_call.hpp"

using namespace tilewright;

namespace {

// Runs `enqueue`, a function of library, queue and wait list, and returns its status.
template <class Enqueue>
tw_status enqueued(tw_library* library, cl_command_queue queue, cl_uint num_wait,
                   const cl_event* wait, cl_event* event, const Enqueue& enqueue) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    release_to_caller(enqueue(*library->library, retained<cl::CommandQueue>(queue), wait_list),
                      event);
  });
}

Vector to_vector(cl_mem buffer, size_t offset, size_t increment) {
  return {retained<cl::Buffer>(buffer), offset, increment};
}

std::complex<double> to_scalar(double scalar) {
  return scalar;
}

GemmCall make_gemm_call(tw_layout layout, tw_transpose trans_a, tw_transpose trans_b, size_t m,
                        size_t n, size_t k, std::complex<double> alpha, std::complex<double> beta,
                        ElementType type) {
  return {m,
          n,
          k,
          alpha,
          beta,
          static_cast<Transpose>(trans_a),
          static_cast<Transpose>(trans_b),
          static_cast<Order>(layout),
          type};
}

}  // namespace

// Defines both functions of an element type; alpha and beta have type Scalar.
#define TW_PRODUCTS(letter, Scalar, type)                                                          \
  tw_status tw_##letter##gemm(                                                                     \
      tw_library* library, cl_command_queue queue, tw_layout layout, tw_transpose trans_a,         \
      tw_transpose trans_b, size_t m, size_t n, size_t k, Scalar alpha, cl_mem a, size_t offset_a, \
      size_t lda, cl_mem b, size_t offset_b, size_t ldb, Scalar beta, cl_mem c, size_t offset_c,   \
      size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event) {                       \
    return enqueued(library, queue, num_wait, wait, event,                                         \
                    [&](Library& in, const auto& on, const auto& waits) {                          \
                      return in.gemm(on,                                                           \
                                     make_gemm_call(layout, trans_a, trans_b, m, n, k,             \
                                                    to_scalar(alpha), to_scalar(beta), type),      \
                                     to_matrix(a, offset_a, lda), to_matrix(b, offset_b, ldb),     \
                                     to_matrix(c, offset_c, ldc), waits);                          \
                    });                                                                            \
  }                                                                                                \
                                                                                                   \
  tw_status tw_##letter##gemv(tw_library* library, cl_command_queue queue, tw_layout layout,       \
                              tw_transpose trans, size_t m, size_t n, Scalar alpha, cl_mem a,      \
                              size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx, \
                              Scalar beta, cl_mem y, size_t offset_y, size_t incy,                 \
                              cl_uint num_wait, const cl_event* wait, cl_event* event) {           \
    return enqueued(library, queue, num_wait, wait, event,                                         \
                    [&](Library& in, const auto& on, const auto& waits) {                          \
                      const GemvCall call{m,                                                       \
                                          n,                                                       \
                                          to_scalar(alpha),                                        \
                                          to_scalar(beta),                                         \
                                          static_cast<Transpose>(trans),                           \
                                          static_cast<Order>(layout),                              \
                                          type};                                                   \
                      return in.gemv(on, call, to_matrix(a, offset_a, lda),                        \
                                     to_vector(x, offset_x, incx), to_vector(y, offset_y, incy),   \
                                     waits);                                                       \
                    });                                                                            \
  }

TW_PRODUCTS(s, float, ElementType::kFloat)
TW_PRODUCTS(d, double, ElementType::kDouble)
TW_PRODUCTS(h, float, ElementType::kHalf)
TW_PRODUCTS(c, tw_scalar, ElementType::kComplexFloat)
TW_PRODUCTS(z, tw_scalar, ElementType::kComplexDouble)
#undef TW_PRODUCTS

// The C API for products, for each element type: a thin layer over Library.
#include <tilewright/complex.h>
#include <tilewright/double.h>
#include <tilewright/half.h>

#include "runtime/api/c_api_util.hpp"

using namespace tilewright;

namespace {

// Runs `enqueue`, a function of library, queue and wait list, and returns its status.
template <class Enqueue>
tw_status enqueued(tw_library* library, cl_command_queue queue, cl_uint num_wait,
                   const cl_event* wait, cl_event* event, const Enqueue& enqueue) {
  return guarded([&] {
    require(library != nullptr, "the library is null");
    const std::vector<cl::Event> wait_list = make_wait_list(num_wait, wait);
    release_to_caller(enqueue(library->library, retained<cl::CommandQueue>(queue), wait_list),
                      event);
  });
}

Vector to_vector(cl_mem buffer, size_t offset, size_t increment) {
  return {retained<cl::Buffer>(buffer), offset, increment};
}

StridedMatrices strided_matrices(cl_mem buffer, size_t offset, size_t ld, size_t stride) {
  return {retained<cl::Buffer>(buffer), offset, ld, stride};
}

void require_list(const char* name, const void* values, size_t count) {
  if (count != 0 && values == nullptr) {
    throw Error(TW_INVALID_VALUE, std::string(name) + " is null");
  }
}

template <class Scalar>
std::vector<std::complex<double>> to_scalars(const char* name, const Scalar* values, size_t count) {
  require_list(name, values, count);
  std::vector<std::complex<double>> scalars;
  for (size_t i = 0; i < count; ++i) scalars.push_back(to_scalar(values[i]));
  return scalars;
}

ListedMatrices listed_matrices(const char* name, cl_mem buffer, const size_t* offsets, size_t count,
                               size_t ld) {
  require_list(name, offsets, count);
  return {retained<cl::Buffer>(buffer), {offsets, offsets + count}, ld};
}

}  // namespace

// Defines the four functions of an element type; alpha and beta have type Scalar.
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
  }                                                                                                \
                                                                                                   \
  tw_status tw_##letter##gemm_strided_batched(                                                     \
      tw_library* library, cl_command_queue queue, tw_layout layout, tw_transpose trans_a,         \
      tw_transpose trans_b, size_t m, size_t n, size_t k, Scalar alpha, cl_mem a, size_t offset_a, \
      size_t lda, size_t stride_a, cl_mem b, size_t offset_b, size_t ldb, size_t stride_b,         \
      Scalar beta, cl_mem c, size_t offset_c, size_t ldc, size_t stride_c, size_t count,           \
      cl_uint num_wait, const cl_event* wait, cl_event* event) {                                   \
    return enqueued(library, queue, num_wait, wait, event,                                         \
                    [&](Library& in, const auto& on, const auto& waits) {                          \
                      return in.gemm_strided_batched(                                              \
                          on,                                                                      \
                          make_gemm_call(layout, trans_a, trans_b, m, n, k, to_scalar(alpha),      \
                                         to_scalar(beta), type),                                   \
                          strided_matrices(a, offset_a, lda, stride_a),                            \
                          strided_matrices(b, offset_b, ldb, stride_b),                            \
                          strided_matrices(c, offset_c, ldc, stride_c), count, waits);             \
                    });                                                                            \
  }                                                                                                \
                                                                                                   \
  tw_status tw_##letter##gemm_batched(                                                             \
      tw_library* library, cl_command_queue queue, tw_layout layout, tw_transpose trans_a,         \
      tw_transpose trans_b, size_t m, size_t n, size_t k, const Scalar* alphas, cl_mem a,          \
      const size_t* offsets_a, size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,          \
      const Scalar* betas, cl_mem c, const size_t* offsets_c, size_t ldc, size_t count,            \
      cl_uint num_wait, const cl_event* wait, cl_event* event) {                                   \
    return enqueued(                                                                               \
        library, queue, num_wait, wait, event,                                                     \
        [&](Library& in, const auto& on, const auto& waits) {                                      \
          return in.gemm_batched(                                                                  \
              on, make_gemm_call(layout, trans_a, trans_b, m, n, k, 1.0, 0.0, type),               \
              listed_matrices("offsets_a", a, offsets_a, count, lda),                              \
              listed_matrices("offsets_b", b, offsets_b, count, ldb),                              \
              listed_matrices("offsets_c", c, offsets_c, count, ldc),                              \
              {to_scalars("alphas", alphas, count), to_scalars("betas", betas, count)}, waits);    \
        });                                                                                        \
  }

TW_PRODUCTS(s, float, ElementType::kFloat)
TW_PRODUCTS(d, double, ElementType::kDouble)
TW_PRODUCTS(h, float, ElementType::kHalf)
TW_PRODUCTS(c, cl_float2, ElementType::kComplexFloat)
TW_PRODUCTS(z, cl_double2, ElementType::kComplexDouble)
#undef TW_PRODUCTS

// CLBlast's C++ interface for all its types, implemented with a tilewright library.
#include <CL/cl_half.h>

#include <complex>
#include <vector>

#include "argument_checks.hpp"
#include "call_arguments.hpp"
#include "guarded_call.hpp"
#include "next_definition.hpp"
#include "open_libraries.hpp"

namespace clblast {
namespace {

using tilewright::GemmCall;

cl::Buffer retain_buffer(cl_mem buffer) {
  return cl::Buffer(buffer, true);
}

tilewright::Transpose to_transpose(Transpose transpose) {
  return static_cast<tilewright::Transpose>(transpose);  // the values are the same
}

tilewright::Order to_order(Layout layout) {
  return layout == Layout::kRowMajor ? tilewright::Order::kRowMajor
                                     : tilewright::Order::kColumnMajor;
}

template <typename T>
std::vector<std::complex<double>> numbers(const T* scalars, size_t count) {
  std::vector<std::complex<double>> all;
  for (size_t i = 0; i < count; ++i) all.push_back(number(scalars[i]));
  return all;
}

template <typename T>
GemmCall make_gemm_call(const CheckedCall& call, std::complex<double> alpha,
                        std::complex<double> beta) {
  return {call.m,
          call.n,
          call.k,
          alpha,
          beta,
          to_transpose(call.a_transpose),
          to_transpose(call.b_transpose),
          to_order(call.layout),
          kType<T>};
}

}  // namespace

template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                size_t k, T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                size_t b_offset, size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event, cl_mem /*temp_buffer*/) {
  return guarded([&] {
    const cl::CommandQueue on = queue_at(queue);
    const auto library = library_for_queue(on);
    const CheckedCall call{layout, a_transpose, b_transpose, m, n, k, sizeof(T)};
    check_shape(call);
    check_matrices(call, {a_buffer, a_offset, a_ld}, {b_buffer, b_offset, b_ld},
                   {c_buffer, c_offset, c_ld});
    release_to_caller(library->gemm(on, make_gemm_call<T>(call, number(alpha), number(beta)),
                                    {retain_buffer(a_buffer), a_offset, a_ld},
                                    {retain_buffer(b_buffer), b_offset, b_ld},
                                    {retain_buffer(c_buffer), c_offset, c_ld}),
                      event);
  });
}

template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, T alpha, cl_mem a_buffer, size_t a_offset,
                              size_t a_ld, size_t a_stride, cl_mem b_buffer, size_t b_offset,
                              size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer,
                              size_t c_offset, size_t c_ld, size_t c_stride, size_t batch_count,
                              cl_command_queue* queue, cl_event* event) {
  return guarded([&] {
    const cl::CommandQueue on = queue_at(queue);
    const auto library = library_for_queue(on);
    require(batch_count > 0, StatusCode::kInvalidBatchCount, "the batch has no products");
    require(c_stride > 0, StatusCode::kInvalidDimension, "the stride of C is 0");
    const CheckedCall call{layout, a_transpose, b_transpose, m, n, k, sizeof(T)};
    check_shape(call);
    for (size_t i = 0; i < batch_count; ++i) {
      check_matrices(call, {a_buffer, strided_offset(a_offset, a_stride, i), a_ld},
                     {b_buffer, strided_offset(b_offset, b_stride, i), b_ld},
                     {c_buffer, strided_offset(c_offset, c_stride, i), c_ld});
    }
    release_to_caller(library->gemm_strided_batched(
                          on, make_gemm_call<T>(call, number(alpha), number(beta)),
                          {retain_buffer(a_buffer), a_offset, a_ld, a_stride},
                          {retain_buffer(b_buffer), b_offset, b_ld, b_stride},
                          {retain_buffer(c_buffer), c_offset, c_ld, c_stride}, batch_count),
                      event);
  });
}

template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, const T* alphas, cl_mem a_buffer,
                       const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const T* betas, cl_mem c_buffer,
                       const size_t* c_offsets, size_t c_ld, size_t batch_count,
                       cl_command_queue* queue, cl_event* event) {
  return guarded([&] {
    const cl::CommandQueue on = queue_at(queue);
    const auto library = library_for_queue(on);
    require(batch_count > 0, StatusCode::kInvalidBatchCount, "the batch has no products");
    require(alphas != nullptr && betas != nullptr && a_offsets != nullptr && b_offsets != nullptr &&
                c_offsets != nullptr,
            StatusCode::kInvalidValue, "a list of scalars or offsets is null");
    const CheckedCall call{layout, a_transpose, b_transpose, m, n, k, sizeof(T)};
    check_shape(call);
    for (size_t i = 0; i < batch_count; ++i) {
      check_matrices(call, {a_buffer, a_offsets[i], a_ld}, {b_buffer, b_offsets[i], b_ld},
                     {c_buffer, c_offsets[i], c_ld});
    }
    const auto offsets = [&](const size_t* list) {
      return std::vector<size_t>(list, list + batch_count);
    };
    release_to_caller(
        library->gemm_batched(on, make_gemm_call<T>(call, 1.0, 0.0),
                              {retain_buffer(a_buffer), offsets(a_offsets), a_ld},
                              {retain_buffer(b_buffer), offsets(b_offsets), b_ld},
                              {retain_buffer(c_buffer), offsets(c_offsets), c_ld},
                              {numbers(alphas, batch_count), numbers(betas, batch_count)}),
        event);
  });
}

template <typename T>
StatusCode Gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha, cl_mem a_buffer,
                size_t a_offset, size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc,
                T beta, cl_mem y_buffer, size_t y_offset, size_t y_inc, cl_command_queue* queue,
                cl_event* event) {
  return guarded([&] {
    const cl::CommandQueue on = queue_at(queue);
    const auto library = library_for_queue(on);
    check_gemv(layout, a_transpose, m, n, sizeof(T), {a_buffer, a_offset, a_ld},
               {x_buffer, x_offset, x_inc}, {y_buffer, y_offset, y_inc});
    const tilewright::GemvCall call{
        m, n, number(alpha), number(beta), to_transpose(a_transpose), to_order(layout), kType<T>};
    release_to_caller(library->gemv(on, call, {retain_buffer(a_buffer), a_offset, a_ld},
                                    {retain_buffer(x_buffer), x_offset, x_inc},
                                    {retain_buffer(y_buffer), y_offset, y_inc}),
                      event);
  });
}

template <typename T>
StatusCode GemmTempBufferSize(Layout, Transpose, Transpose, size_t, size_t, size_t, size_t, size_t,
                              size_t, size_t, size_t, size_t, cl_command_queue*,
                              size_t& temp_buffer_size) {
  temp_buffer_size = 0;
  return StatusCode::kSuccess;
}

#define TW_SERVED(T)                                                                              \
  template StatusCode Gemm<T>(Layout, Transpose, Transpose, size_t, size_t, size_t, T, cl_mem,    \
                              size_t, size_t, cl_mem, size_t, size_t, T, cl_mem, size_t, size_t,  \
                              cl_command_queue*, cl_event*, cl_mem);                              \
  template StatusCode GemmStridedBatched<T>(Layout, Transpose, Transpose, size_t, size_t, size_t, \
                                            T, cl_mem, size_t, size_t, size_t, cl_mem, size_t,    \
                                            size_t, size_t, T, cl_mem, size_t, size_t, size_t,    \
                                            size_t, cl_command_queue*, cl_event*);                \
  template StatusCode GemmBatched<T>(Layout, Transpose, Transpose, size_t, size_t, size_t,        \
                                     const T*, cl_mem, const size_t*, size_t, cl_mem,             \
                                     const size_t*, size_t, const T*, cl_mem, const size_t*,      \
                                     size_t, size_t, cl_command_queue*, cl_event*);               \
  template StatusCode Gemv<T>(Layout, Transpose, size_t, size_t, T, cl_mem, size_t, size_t,       \
                              cl_mem, size_t, size_t, T, cl_mem, size_t, size_t,                  \
                              cl_command_queue*, cl_event*);                                      \
  template StatusCode GemmTempBufferSize<T>(Layout, Transpose, Transpose, size_t, size_t, size_t, \
                                            size_t, size_t, size_t, size_t, size_t, size_t,       \
                                            cl_command_queue*, size_t&)
TW_SERVED(float);
TW_SERVED(double);
TW_SERVED(cl_half);
TW_SERVED(std::complex<float>);
TW_SERVED(std::complex<double>);
#undef TW_SERVED

StatusCode ClearCache() {
  const StatusCode status = guarded([] { close_libraries(); });
  const auto next = next_definition(&ClearCache);
  return next == nullptr || status != StatusCode::kSuccess ? status : next();
}

StatusCode FillCache(cl_device_id device) {
  return guarded([&] {
    require(device != nullptr, StatusCode::kInvalidValue, "the device is null");
    cl_int code = CL_SUCCESS;
    const cl::Device of(device, true);
    const cl::Context context(of, nullptr, nullptr, nullptr, &code);
    require(code == CL_SUCCESS, static_cast<StatusCode>(code), "clCreateContext fails");
    const cl::CommandQueue queue(context, of, 0, &code);
    require(code == CL_SUCCESS, static_cast<StatusCode>(code), "clCreateCommandQueue fails");
    constexpr size_t kSizes[] = {64, 256, 1024};
    const cl::Buffer matrices[] = {
        {context, CL_MEM_READ_WRITE, kSizes[2] * kSizes[2] * sizeof(float), nullptr, &code},
        {context, CL_MEM_READ_WRITE, kSizes[2] * kSizes[2] * sizeof(float)}};
    require(code == CL_SUCCESS && matrices[1]() != nullptr,
            static_cast<StatusCode>(CL_MEM_OBJECT_ALLOCATION_FAILURE),
            "no device memory for the matrices to multiply");
    // Each product runs once, because some drivers have binaries only of kernels that have run.
    // When the library is closed, compiled kernels stay in the binary cache and can be used in any
    // context.
    const auto library = tilewright::Library::open(context, of);
    for (const size_t size : kSizes) {
      for (const auto trans_a : {tilewright::Transpose::kNo, tilewright::Transpose::kYes}) {
        for (const auto trans_b : {tilewright::Transpose::kNo, tilewright::Transpose::kYes}) {
          library
              ->gemm(queue, {size, size, size, 1.0f, 0.0f, trans_a, trans_b},
                     {matrices[0], 0, size}, {matrices[0], 0, size}, {matrices[1], 0, size})
              .wait();
        }
      }
    }
  });
}

}  // namespace clblast

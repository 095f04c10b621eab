// CLBlast's Omatcopy for all its types.
#include <CL/cl_half.h>

#include <complex>

#include "argument_checks.hpp"
#include "call_arguments.hpp"
#include "guarded_call.hpp"
#include "matrix_copy.hpp"
#include "next_definition.hpp"
#include "open_libraries.hpp"
#include "runtime/device/device_identity.hpp"

namespace clblast {

template <typename T>
StatusCode Omatcopy(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                    cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                    size_t b_ld, cl_command_queue* queue, cl_event* event) {
  // CLBlast's kernels are tuned for many devices.
  static const auto next = next_definition(&Omatcopy<T>);
  if (next != nullptr) {
    return next(layout, a_transpose, m, n, alpha, a_buffer, a_offset, a_ld, b_buffer, b_offset,
                b_ld, queue, event);
  }
  return guarded([&] {
    const cl::CommandQueue on = queue_at(queue);
    const OpenQueue open = open_queue(on);
    check_omatcopy(layout, a_transpose, m, n, sizeof(T), {a_buffer, a_offset, a_ld},
                   {b_buffer, b_offset, b_ld}, open.context);
    const bool is_double = kType<T> == tilewright::ElementType::kDouble ||
                           kType<T> == tilewright::ElementType::kComplexDouble;
    require(!is_double || tilewright::has_extension(cl::Device(open.device, true), "cl_khr_fp64"),
            StatusCode::kNoDoublePrecision, "the device has no double precision");
    const bool row_major = layout == Layout::kRowMajor;
    const MatrixCopy copy{kType<T>,
                          row_major ? m : n,
                          row_major ? n : m,
                          a_transpose != Transpose::kNo,
                          a_transpose == Transpose::kConjugate,
                          number(alpha),
                          {a_buffer, a_offset, a_ld},
                          {b_buffer, b_offset, b_ld}};
    release_to_caller(matrix_copies(open)->enqueue(on, copy), event);
  });
}

#define TW_OMATCOPY(T)                                                                          \
  template StatusCode Omatcopy<T>(Layout, Transpose, size_t, size_t, T, cl_mem, size_t, size_t, \
                                  cl_mem, size_t, size_t, cl_command_queue*, cl_event*)
TW_OMATCOPY(float);
TW_OMATCOPY(double);
TW_OMATCOPY(cl_half);
TW_OMATCOPY(std::complex<float>);
TW_OMATCOPY(std::complex<double>);
#undef TW_OMATCOPY

}  // namespace clblast

// Converts the arguments of CLBlast's C++ interface to tilewright's, and events back.
#pragma once

#include <CL/cl_half.h>

#include <complex>

#include "clblast_abi.hpp"
#include "runtime/api/library.hpp"

namespace clblast {

// The element type of matrices of T.
template <typename T>
inline constexpr auto kType = tilewright::ElementType::kFloat;
template <>
inline constexpr auto kType<double> = tilewright::ElementType::kDouble;
template <>
inline constexpr auto kType<cl_half> = tilewright::ElementType::kHalf;
template <>
inline constexpr auto kType<std::complex<float>> = tilewright::ElementType::kComplexFloat;
template <>
inline constexpr auto kType<std::complex<double>> = tilewright::ElementType::kComplexDouble;

// A scalar in double precision, which holds every scalar exactly.
template <typename T>
std::complex<double> number(T scalar) {
  return std::complex<double>(scalar);
}
template <>
inline std::complex<double> number(cl_half scalar) {
  return static_cast<double>(cl_half_to_float(scalar));
}

// The queue; a null one if the pointer or the queue is null.
inline cl::CommandQueue queue_at(const cl_command_queue* queue) {
  return queue == nullptr || *queue == nullptr ? cl::CommandQueue()
                                               : cl::CommandQueue(*queue, true);
}

// Passes the reference to the caller, if event is not null.
inline void release_to_caller(cl::Event done, cl_event* event) {
  if (event == nullptr) return;
  *event = done();
  done() = nullptr;
}

}  // namespace clblast

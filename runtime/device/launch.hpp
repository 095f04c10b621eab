// What is a kernel launched with?
//
// The arguments of kernels, by role; offsets and leading dimensions count elements:
//
// (of a record in double precision, "double" stands for "float"; in half precision scalars and
// biases are floats)
//
//   gemm, gemv  (int m, int n, int k, float alpha, A, ulong offset_a, int lda,
//               B, ulong offset_b, int ldb, float beta, C, ulong offset_c, int ldc
//               [, bias, ulong offset_bias]   if the record's bias is not none
//               [, float ...]                 if its activation has arguments
//               [, ulong stride_a, ulong stride_b, ulong stride_c])   if it is batched
//   pack        (int m, int n, int padded_m, int padded_n, in, ulong offset_in, int ld_in,
//               out, ulong offset_out, int ld_out)   m x n elements, zeros up to padded_m x
//               padded_n
//   reduce      (int m, int n, int parts, float alpha, in, ulong offset_in, int ld_in,
//               float beta, C, ulong offset_c, int ldc [, bias, ulong offset_bias] [, float ...])
//   activation  (int m, int n, int padded_m, int padded_n, X, ulong offset_x, int ldx,
//               Y, ulong offset_y, int ldy [, bias, ulong offset_bias] [, float ...])
//               m x n elements, zeros up to padded_m x padded_n; Y may be X
//   softmax     (int m, int n, int padded_m, int padded_n, X, ulong offset_x, int ldx,
//               Y, ulong offset_y, int ldy)   likewise
//
// C, X and Y are buffers; A, B, in and out are buffers, or images where the record says so (offset
// and ld are then not looked at; packing fills whole pixels, also where the padded extents end
// within one). m, n and k are the extents without padding. A kernel with split_k runs with split_k
// work-groups in dimension 2; what group z makes of the product, unscaled, goes to C + offset_c + z
// * m * ldc, a plain row-major matrix. A batched kernel has a work-item in dimension 2 for each
// product, whose matrices lie so many elements behind those of the product before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/layer_problem.hpp"

namespace tilewright {

// The arguments of one launch, from left to right, and the work-items that it needs. A value, made
// without allocating: calls that were planned make some.
class KernelLaunch {
 public:
  struct Argument {
    std::size_t bytes = 0;
    alignas(8) std::array<std::byte, 8> value{};
  };

  explicit KernelLaunch(std::array<std::size_t, 2> global) : global_(global) {}

  KernelLaunch& extents(std::initializer_list<std::int64_t> values);
  // As the record's kernel takes it.
  KernelLaunch& scalar(double value, Precision precision) {
    return precision == Precision::kDouble ? add(value) : add(static_cast<float>(value));
  }
  KernelLaunch& buffer(cl_mem buffer) { return add(buffer); }
  KernelLaunch& matrix(const MatrixArgument& matrix);
  // What the record's bias and activation need.
  KernelLaunch& applied(const KernelRecord& record, const std::optional<VectorArgument>& bias,
                        const ActivationArguments& values);

  // Of a batched kernel.
  KernelLaunch& products(const Distances& batch);
  // It cannot be launched: why, as a sentence. The first one counts.
  KernelLaunch& fail(std::string reason);

  std::span<const Argument> arguments() const { return std::span(arguments_).first(count_); }
  // Work-items in dimensions 0 and 1.
  const std::array<std::size_t, 2>& global() const { return global_; }
  std::size_t products() const { return products_; }
  // What cannot be an argument, as a sentence; empty: all can.
  const std::string& failure() const { return failure_; }

 private:
  // A product has the most: 14, a bias with its offset, what an activation has, three distances.
  static constexpr std::size_t kMost = 19 + ActivationArguments{}.size();

  template <class Value>
  KernelLaunch& add(const Value& value) {
    static_assert(sizeof(Value) <= sizeof(Argument::value));
    Argument& argument = arguments_.at(count_++);
    argument.bytes = sizeof(value);
    std::memcpy(argument.value.data(), &value, sizeof(value));
    return *this;
  }
  template <class Integer>
  KernelLaunch& integer(const char* what, Integer value);

  std::array<Argument, kMost> arguments_{};
  std::size_t count_ = 0;
  std::array<std::size_t, 2> global_;
  std::size_t products_ = 1;
  std::string failure_;
};

// The launch of a kernel of the roles that such a problem has.
KernelLaunch launch_of(const KernelRecord& record, const GemmProblem& problem);
KernelLaunch launch_of(const KernelRecord& record, const PackProblem& problem);
KernelLaunch launch_of(const KernelRecord& record, const ReduceProblem& problem);
KernelLaunch launch_of(const KernelRecord& record, const ActivationProblem& problem);
KernelLaunch launch_of(const KernelRecord& record, const SoftmaxProblem& problem);

// Work-items along dimensions 0 and 1 that cover an m x n result (of a pack or activation kernel:
// with its padding): whole work-groups. Of a softmax kernel n is 1: a row's work-items share it.
std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n);

}  // namespace tilewright

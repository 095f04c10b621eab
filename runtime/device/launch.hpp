// The arguments and the global size of a kernel launch.
//
// Arguments of kernels, by role. Offsets and leading dimensions are in elements. For records in
// double precision replace "float" by "double"; in half precision, scalars and biases are floats.
//
//   gemm, gemv  (int m, int n, int k, float alpha, A, ulong offset_a, int lda,
//               B, ulong offset_b, int ldb, float beta, C, ulong offset_c, int ldc
//               [, bias, ulong offset_bias]   if the record has a bias
//               [, float ...]                 if its activation has arguments
//               [, ulong stride_a, ulong stride_b, ulong stride_c]    if it is batched
//               [, parts, ulong offset_parts, int ld_parts, int direct_tiles_m, int whole_tiles,
//               int sharing_groups, int num_parts])   if it has stream_k (StreamDivision)
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
// C, X and Y are buffers. A, B, in and out are buffers, or images if the record says so; offset and
// ld of images are ignored, and packing writes whole pixels even if the padded extents end within
// one. m, n and k are the extents without padding. A kernel with split_k runs with split_k
// work-groups in dimension 2; group z writes its part of the product, unscaled, to C + offset_c + z
// * m * ldc, a plain row-major matrix. A kernel with stream_k has all work-groups in dimension 0;
// it stores part z of a tile that several of them share, unscaled, in matrix z of `parts`, which
// has the rows of C after direct_tiles_m rows of tiles. A batched kernel has one work-item in
// dimension 2 for each product; the strides are the distances between the matrices of consecutive
// products, in elements.
#pragma once

#include <algorithm>
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

// The arguments of one launch, from left to right, and its global size. Constructing one does not
// allocate, because warm calls must not.
class KernelLaunch {
 public:
  // One kernel argument, as clSetKernelArg expects it.
  struct Argument {
    std::size_t bytes = 0;
    alignas(8) std::array<std::byte, 8> value{};
  };

  explicit KernelLaunch(std::array<std::size_t, 2> global) : global_(global) {}

  // Adds extents. Marks the launch as impossible if one does not fit into an int.
  KernelLaunch& extents(std::initializer_list<std::int64_t> values);
  // Adds a scalar in the type that the record's kernel expects.
  KernelLaunch& scalar(double value, Precision precision) {
    return precision == Precision::kDouble ? add(value) : add(static_cast<float>(value));
  }
  KernelLaunch& buffer(cl_mem buffer) { return add(buffer); }
  KernelLaunch& matrix(const MatrixArgument& matrix);
  // Adds the arguments of the record's bias and activation.
  KernelLaunch& applied(const KernelRecord& record, const std::optional<VectorArgument>& bias,
                        const ActivationArguments& values);

  // Adds the strides of a batched kernel.
  KernelLaunch& products(const Distances& batch);
  // Marks the launch as impossible; `reason` is a sentence. Only the first reason is kept.
  KernelLaunch& fail(std::string reason);

  std::span<const Argument> arguments() const { return std::span(arguments_).first(count_); }
  // Work-items in dimensions 0 and 1.
  const std::array<std::size_t, 2>& global() const { return global_; }
  std::size_t products() const { return products_; }
  // Why the launch is impossible, as a sentence; empty if it is possible.
  const std::string& failure() const { return failure_; }

 private:
  // The maximum, for a product: 14 arguments, a bias and its offset, the activation's arguments,
  // three strides. A kernel with stream_k has seven more than 14, and none of the others.
  static constexpr std::size_t kMaxArguments =
      std::max(19 + ActivationArguments{}.size(), std::size_t{21});

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

  std::array<Argument, kMaxArguments> arguments_{};
  std::size_t count_ = 0;
  std::array<std::size_t, 2> global_;
  std::size_t products_ = 1;
  std::string failure_;
};

// The launch of a kernel for a problem of its role.
KernelLaunch make_launch(const KernelRecord& record, const GemmProblem& problem);
KernelLaunch make_launch(const KernelRecord& record, const PackProblem& problem);
KernelLaunch make_launch(const KernelRecord& record, const ReduceProblem& problem);
KernelLaunch make_launch(const KernelRecord& record, const ActivationProblem& problem);
KernelLaunch make_launch(const KernelRecord& record, const SoftmaxProblem& problem);

// Work-items in dimensions 0 and 1 that cover an m x n result (for pack and activation kernels
// including padding), in whole work-groups. For softmax kernels n is 1, because the work-items of a
// row share it.
std::array<std::size_t, 2> global_size(const KernelRecord& record, std::int64_t m, std::int64_t n);

}  // namespace tilewright

// Inputs of the kernels that run between the products of a network: activation and softmax.
//
// Such a kernel converts a matrix X to a matrix Y in the same layout. Y may be padded: its m x n
// elements are computed, and zeros are written up to padded_m x padded_n. The padding of X is not
// read. Y may be X itself (equal buffer, offset and ld); otherwise they must not overlap. Networks
// use rows without padding; other layouts are for kernels of profiles that have them.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Y = activation(X + bias), with the record's bias and activation.
struct ActivationProblem {
  std::int64_t m = 0;  // elements of the matrix, without padding
  std::int64_t n = 0;
  std::int64_t padded_m = 0;  // at least m, and whole chunks of the layout
  std::int64_t padded_n = 0;
  MatrixArgument x;
  MatrixArgument y;
  std::optional<VectorArgument> bias;  // for kernels that add a bias
  ActivationArguments arguments = {};  // arguments of the record's activation
};

// Y(i, j) = exp X(i, j) / sum of exp X(i, .), computed without overflow.
struct SoftmaxProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t padded_m = 0;  // at least m, and whole chunks of the layout
  std::int64_t padded_n = 0;
  MatrixArgument x;
  MatrixArgument y;
};

}  // namespace tilewright

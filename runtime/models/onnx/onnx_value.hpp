// A value of an ONNX graph while its file is read, and the arithmetic of extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_structures.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

inline constexpr std::int64_t kBatch = -1;   // the extent of the dimension of the samples
inline constexpr std::int64_t kUnknown = 0;  // the extent of a computed value that the file omits

// A value is constant, with elements that are known, or computed: a value of the model, which is a
// matrix with one sample per row. The dimensions of a computed value other than the batch, in
// row-major order, are the columns of this matrix. Operators that only move elements are evaluated
// in the same way for both: on the elements of a constant, or on the numbers of the columns.
struct OnnxValue {
  int type = onnx::kFloat;     // in the graph, an onnx::DataType
  TensorExtents extents = {};  // kBatch occurs at most once
  std::optional<NetworkValue> computed =
      {};  // kFirstInput - i: input i; otherwise the number of a layer
  // Samples and columns form one dimension, as after the last Reshape of a regressor of skl2onnx
  // (test sklearn-regressor-three-outputs).
  bool is_flat = false;
  // The elements of a constant, or the tensor that has them and is read when they are needed.
  std::shared_ptr<const std::vector<double>> elements = nullptr;
  const onnx::Tensor* tensor = nullptr;
  bool is_transposed = false;  // the elements are those of `tensor`, a matrix, transposed

  bool is_constant() const { return !computed; }
};
inline constexpr NetworkValue kFirstInput = -2;

// Operators of scikit-learn also take integers, and their results are floats.
OnnxValue as_floats(OnnxValue value);
// Returns the product of all extents except the batch; nullopt if one is unknown.
std::optional<std::int64_t> columns(const TensorExtents& extents);
// Returns the dimension of the batch.
std::optional<std::size_t> batch_axis(const TensorExtents& extents);
// "batch x 2"
std::string shape_text(const TensorExtents& extents);
// "initialiser 'fc1.weight'"
std::string value_text(const OnnxValue& value);

}  // namespace tilewright

// Converts Constant nodes.
#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_attributes.hpp"
#include "onnx/onnx_tensors.hpp"

namespace tilewright {
namespace {

// Converts a sparse tensor. Each element has either one linear index or one index per dimension.
ConstantTensor dense(const onnx::SparseTensor& sparse, ConstantBudget& budget,
                     const ModelPlace& place) {
  OnnxTensors tensors;
  const ConstantTensor values = tensors.numbers(sparse.values, place);
  const ConstantTensor indices = tensors.numbers(sparse.indices, place);
  ConstantTensor result{values.type, {sparse.dims.begin(), sparse.dims.end()}, {}};
  const std::uint64_t count = num_elements(result.extents, place);
  budget.take(count, place);
  result.values.assign(count, 0.0);
  const std::size_t rank = indices.extents.size() == 2 ? result.extents.size() : 1;
  if (indices.values.size() != values.values.size() * rank) {
    place.fail("has a sparse tensor whose numbers of elements and indices differ");
  }
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    double index = 0.0;
    for (std::size_t j = 0; j < rank; ++j) {
      const double of = indices.values[i * rank + j];
      index = rank == 1 ? of : index * static_cast<double>(result.extents[j]) + of;
    }
    if (!(index >= 0.0 && index < static_cast<double>(count))) {
      place.fail("has a sparse tensor with an index out of range");
    }
    result.values[static_cast<std::size_t>(index)] = values.values[i];
  }
  return result;
}

}  // namespace

ConstantTensor constant_value(const onnx::Node& node, ConstantBudget& budget,
                              const ModelPlace& place) {
  if (const auto* value = attribute(node, "value_float")) {
    return {onnx::kFloat, {}, {without_payload(static_cast<double>(value->f.value_or(0.0f)))}};
  }
  if (const auto* value = attribute(node, "value_int")) {
    return {onnx::kInt64, {}, {static_cast<double>(value->i.value_or(0))}};
  }
  if (const auto* value = attribute(node, "value_floats")) {
    ConstantTensor result{onnx::kFloat, {std::ssize(value->floats)}, {}};
    for (const float number : value->floats) {
      result.values.push_back(without_payload(static_cast<double>(number)));
    }
    return result;
  }
  if (const auto* value = attribute(node, "value_ints")) {
    return {onnx::kInt64, {std::ssize(value->ints)}, {value->ints.begin(), value->ints.end()}};
  }
  if (const auto* value = attribute(node, "sparse_value");
      value != nullptr && value->sparse_tensor) {
    return dense(*value->sparse_tensor, budget, place);
  }
  place.fail("has no tensor in its attribute value");
}

}  // namespace tilewright

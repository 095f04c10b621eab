#include <utility>

#include "matrix_text.hpp"
#include "onnx_chain.hpp"

namespace tilewright {

// Affine layers and softmax go along rows, so there must be rows.
void OnnxChain::expect_rows(const Node& node) const {
  if (!extents_) return;
  if (extents_->size() != 2) {
    node.place.fail(fmt::format(
        "takes a value of {} dimensions; only batches of rows (2 dimensions, as Flatten "
        "makes them) can be run",
        extents_->size()));
  }
  expect_samples_first(node);
}

// alpha op(W) of a MatMul or Gemm: the node's second input.
void OnnxChain::push_affine(const Node& node, bool weights_transposed, float alpha) {
  expect_chain_first(node);
  expect_rows(node);
  const Constant constant = expect_constant(node, 1, "weights");
  const onnx::TensorProto& tensor = *constant.tensor;
  if (tensor.dims_size() != 2 || tensor.dims(0) < 1 || tensor.dims(1) < 1) {
    node.place.fail(fmt::format("its weights, {}, are {}, which is no matrix", tensor_text(tensor),
                                extents_text(tensor)));
  }
  FloatMatrix weights{tensor.dims(0), tensor.dims(1), tensors_.floats(tensor, node.place)};
  if (weights_transposed != constant.is_transposed) weights = transposed(weights);
  if (width().value_or(weights.rows) != weights.rows) {
    node.place.fail(fmt::format("takes rows of {} elements, but those before it have {}",
                                weights.rows, *width()));
  }
  if (alpha != 1.0f) {
    for (float& weight : weights.values) weight *= alpha;
  }
  AffineLayer layer;
  layer.name = node.proto.name();
  layer.inputs = weights.rows;
  layer.outputs = weights.columns;
  layer.weights = std::move(weights.values);
  fold_columns(layer, node);
  extents_ = {kBatch, layer.outputs};
  made_layers_ = 0;
  file_inputs_ = weights.rows;
  model_.layers.emplace_back(std::move(layer));
}

// A constant that is added to each row: one element for each output, or one for all.
std::vector<float> OnnxChain::bias(const Node& node, const Constant& constant,
                                   std::int64_t outputs) {
  const onnx::TensorProto& tensor = *constant.tensor;
  std::vector<std::int64_t> extents(tensor.dims().begin(), tensor.dims().end());
  if (constant.is_transposed) std::swap(extents.front(), extents.back());
  const std::int64_t last = extents.empty() ? 1 : extents.back();
  const bool is_row = extents.size() <= 2 && (extents.size() < 2 || extents.front() == 1);
  if (!is_row || (last != 1 && last != outputs)) {
    node.place.fail(fmt::format("adds {}, which is {}, to rows of {} elements", tensor_text(tensor),
                                extents_text(tensor), outputs));
  }
  std::vector<float> values = tensors_.floats(tensor, node.place);
  if (last == outputs) return values;
  return std::vector<float>(static_cast<std::size_t>(outputs), values.at(0));
}

void OnnxChain::gemm(const Node& node) {
  if (integer_attribute(node.proto, "transA", 0, node.place) != 0) {
    node.place.fail("has transA, which would make rows of a batch's columns");
  }
  const bool trans_b = integer_attribute(node.proto, "transB", 0, node.place) != 0;
  const float beta = float_attribute(node.proto, "beta", 1.0f, node.place);
  push_affine(node, trans_b, float_attribute(node.proto, "alpha", 1.0f, node.place));
  auto& layer = std::get<AffineLayer>(model_.layers.back());
  if (node.proto.input_size() < 3 || node.proto.input(2).empty()) return;
  std::vector<float> added = bias(node, expect_constant(node, 2, "bias"), layer.outputs);
  for (float& element : added) element *= beta;
  for (std::size_t i = 0; i < layer.bias.size(); ++i) added[i] += layer.bias[i];
  layer.bias = std::move(added);
}

void OnnxChain::matmul(const Node& node) {
  push_affine(node, false, 1.0f);
}

}  // namespace tilewright

#include "onnx_chain.hpp"

namespace tilewright {

void OnnxChain::push_activation(const Node& node, MlpActivation activation, float slope) {
  ActivationLayer layer;
  layer.name = node.proto.name();
  layer.activation = activation;
  layer.slope = slope;
  model_.layers.emplace_back(std::move(layer));
}

void OnnxChain::relu(const Node& node) {
  expect_chain_first(node);
  push_activation(node, MlpActivation::kRelu);
}

void OnnxChain::leaky_relu(const Node& node) {
  expect_chain_first(node);
  push_activation(node, MlpActivation::kLeakyRelu,
                  float_attribute(node.proto, "alpha", 0.01f, node.place));
}

void OnnxChain::sigmoid(const Node& node) {
  expect_chain_first(node);
  push_activation(node, MlpActivation::kSigmoid);
}

void OnnxChain::tanh(const Node& node) {
  expect_chain_first(node);
  push_activation(node, MlpActivation::kTanh);
}

// Of two dimensions the last is 1 or -1: the default before and since operator set 13.
void OnnxChain::softmax(const Node& node) {
  expect_chain_first(node);
  expect_rows(node);
  const std::int64_t axis = integer_attribute(node.proto, "axis", -1, node.place);
  if (axis != 1 && axis != -1) {
    node.place.fail(fmt::format("goes along axis {}; only the last (1 or -1) can be run", axis));
  }
  push_activation(node, MlpActivation::kSoftmax);
}

void OnnxChain::identity(const Node& node) {
  expect_chain_first(node);
}

// Nothing is dropped but in training.
void OnnxChain::dropout(const Node& node) {
  expect_chain_first(node);
  if (node.proto.input_size() < 3 || node.proto.input(2).empty()) return;
  const onnx::TensorProto& training = *expect_constant(node, 2, "training_mode").tensor;
  const bool raw = training.raw_data().find_first_not_of('\0') != std::string::npos;
  const bool typed = training.int32_data_size() > 0 && training.int32_data(0) != 0;
  if (raw || typed) node.place.fail("is in training mode");
}

// As a link of the chain: only constants can be transposed (fold()).
void OnnxChain::transpose(const Node& node) {
  node.place.fail("transposes what is computed; only constants can be transposed");
}

void OnnxChain::constant(const Node& node) {
  const onnx::AttributeProto* const value = attribute(node.proto, "value");
  if (value == nullptr || !value->has_t()) {
    node.place.fail("has no tensor in its attribute value");
  }
  constants_[node.proto.output(0)] = {&value->t(), false};
}

void OnnxChain::flatten(const Node& node) {
  expect_chain_first(node);
  const std::int64_t axis = integer_attribute(node.proto, "axis", 1, node.place);
  const bool is_first = axis == 1 || (dimensions_ && axis == 1 - std::int64_t{*dimensions_});
  if (!is_first) {
    node.place.fail(fmt::format("has axis {}; only 1, a row for each sample, can be run", axis));
  }
  dimensions_ = 2;
}

// To one row for each sample.
void OnnxChain::reshape(const Node& node) {
  expect_chain_first(node);
  const onnx::TensorProto& tensor = *expect_constant(node, 1, "shape").tensor;
  if (tensor.dims_size() != 1 || tensor.dims(0) != 2) {
    node.place.fail(
        fmt::format("has a shape of {} extents; only 2 can be run", extents_text(tensor)));
  }
  const std::vector<std::int64_t> shape = tensors_.integers(tensor, node.place);
  const bool zero_is_zero = integer_attribute(node.proto, "allowzero", 0, node.place) != 0;
  // 0: as it was.
  const std::int64_t width = shape[1] == 0 && dimensions_ == 2 ? -1 : shape[1];
  const bool right = shape[0] >= -1 && (width > 0 || width == -1) &&
                     !(shape[0] == -1 && shape[1] == -1) &&
                     !(zero_is_zero && (shape[0] == 0 || shape[1] == 0)) &&
                     (width == -1 || width_.value_or(width) == width);
  if (!right) {
    const std::string before = width_ ? fmt::format("{}", *width_) : "an unknown number of";
    node.place.fail(
        fmt::format("makes {} x {} of samples of {} elements; only one row for each "
                    "sample can be run",
                    shape[0], shape[1], before));
  }
  dimensions_ = 2;
  if (width > 0) width_ = width;
}

}  // namespace tilewright

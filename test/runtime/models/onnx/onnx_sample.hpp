// How does a test write ONNX as exporters do?
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model_files.hpp"
#include "onnx/onnx_codec.hpp"

namespace tilewright {

// Tensors do not own their raw data. These bytes stay until the program ends.
inline std::string_view kept(std::string bytes) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(bytes));
}

// A model whose one input and output are batches of rows, node by node. References to its parts are
// valid until a part of the same kind is added.
class OnnxSample {
 public:
  OnnxSample() {
    model.ir_version = 8;
    model.opset_import = {{"", 13}};
    model.graph.emplace();
  }

  onnx::Graph& graph() { return *model.graph; }

  // A value of the type FLOAT or another; an extent of 0 is the batch.
  static void describe(onnx::ValueInfo& value, const std::string& name,
                       const std::vector<std::int64_t>& extents,
                       onnx::DataType type = onnx::kFloat) {
    value.name = name;
    onnx::TensorShape shape;
    for (const std::int64_t extent : extents) {
      shape.dim.push_back({extent, extent == 0 ? "batch_size" : ""});
    }
    value.type.tensor_type = {type, shape};
  }
  void input(const std::string& name, const std::vector<std::int64_t>& extents) {
    describe(graph().input.emplace_back(), name, extents);
  }
  void output(const std::string& name, const std::vector<std::int64_t>& extents,
              onnx::DataType type = onnx::kFloat) {
    describe(graph().output.emplace_back(), name, extents, type);
  }

  onnx::Node& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& output, const std::string& name = "") {
    auto& node = graph().node.emplace_back();
    node.op_type = op;
    node.name = name;
    node.input = inputs;
    node.output = {output};
    return node;
  }

  // Initialisers: as raw bytes, as PyTorch writes them, or as floats, as skl2onnx does.
  onnx::Tensor& tensor(const std::string& name, const std::vector<std::int64_t>& extents,
                       onnx::DataType type = onnx::kFloat) {
    auto& tensor = graph().initializer.emplace_back();
    tensor.name = name;
    tensor.data_type = type;
    tensor.dims = extents;
    return tensor;
  }
  onnx::Tensor& raw(const std::string& name, const std::vector<std::int64_t>& extents,
                    const std::vector<float>& values) {
    auto& result = tensor(name, extents);
    result.raw_data = kept(float_bytes(values));
    return result;
  }
  onnx::Tensor& typed(const std::string& name, const std::vector<std::int64_t>& extents,
                      const std::vector<float>& values) {
    auto& result = tensor(name, extents);
    result.float_data = values;
    return result;
  }
  void integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& result = tensor(name, {static_cast<std::int64_t>(values.size())}, onnx::kInt64);
    result.int64_data = values;
  }

  static void set(onnx::Node& node, const std::string& name, std::int64_t value) {
    auto& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.type = onnx::Attribute::kIntValue;
    attribute.i = value;
  }
  static void set(onnx::Node& node, const std::string& name, float value) {
    auto& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.type = onnx::Attribute::kFloatValue;
    attribute.f = value;
  }

  std::string bytes() const { return onnx::encode(model); }
  NetworkModel read() const {
    const TemporaryFolder folder;
    return read_network_model(written(folder, "net.onnx", bytes()));
  }
  std::string said() const {
    return refusal<ModelError>([this] { read(); });
  }

  onnx::Model model;
};

// nn.Linear(3, 2), ReLU, nn.Linear(2, 2) after nn.Flatten, as torch.onnx.export writes them.
inline OnnxSample pytorch_sample() {
  OnnxSample sample;
  sample.model.producer_name = "pytorch";
  sample.input("input", {0, 1, 3});
  sample.raw("fc1.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  sample.raw("fc1.bias", {2}, {10, 20});
  sample.raw("fc2.weight", {2, 2}, {7, 8, 9, 10});
  sample.raw("fc2.bias", {2}, {30, 40});
  OnnxSample::set(sample.node("Flatten", {"input"}, "/Flatten_output_0", "/Flatten"), "axis",
                  std::int64_t{1});
  const auto linear = [&sample](const std::string& in, const std::string& layer,
                                const std::string& out) {
    auto& node =
        sample.node("Gemm", {in, layer + ".weight", layer + ".bias"}, out, "/" + layer + "/Gemm");
    OnnxSample::set(node, "alpha", 1.0f);
    OnnxSample::set(node, "beta", 1.0f);
    OnnxSample::set(node, "transB", std::int64_t{1});
  };
  linear("/Flatten_output_0", "fc1", "/fc1/Gemm_output_0");
  sample.node("Relu", {"/fc1/Gemm_output_0"}, "/Relu_output_0", "/Relu");
  linear("/Relu_output_0", "fc2", "output");
  sample.output("output", {0, 2});
  return sample;
}

inline NetworkModel pytorch_model() {
  NetworkModel model;
  model.layers = {AffineLayer{"/fc1/Gemm", 3, 2, {1, 4, 2, 5, 3, 6}, {10, 20}},
                  ActivationLayer{"/Relu", Activation::kRelu, 0.01f},
                  AffineLayer{"/fc2/Gemm", 2, 2, {7, 9, 8, 10}, {30, 40}}};
  return model;
}

// An MLPClassifier of three classes, as skl2onnx writes it: with or without a ZipMap at the end.
inline OnnxSample sklearn_sample(bool zipmap) {
  OnnxSample sample;
  sample.model.producer_name = "skl2onnx";
  auto& ml = sample.model.opset_import.emplace_back();
  ml.domain = "ai.onnx.ml";
  ml.version = 1;
  sample.input("X", {0, 2});
  sample.typed("coefficient", {2, 2}, {1, 2, 3, 4});
  sample.typed("intercepts", {1, 2}, {5, 6});
  sample.typed("coefficient1", {2, 3}, {7, 8, 9, 10, 11, 12});
  sample.typed("intercepts1", {1, 3}, {13, 14, 15});
  sample.tensor("classes", {3}, onnx::kInt32).int32_data = {0, 1, 2};
  sample.integers("shape_tensor", {-1});
  OnnxSample::set(sample.node("Cast", {"X"}, "cast_input", "Cast"), "to", std::int64_t{1});
  sample.node("MatMul", {"cast_input", "coefficient"}, "mul_result", "MatMul");
  sample.node("Add", {"mul_result", "intercepts"}, "add_result", "Add");
  sample.node("Relu", {"add_result"}, "next_activations", "Relu");
  sample.node("MatMul", {"next_activations", "coefficient1"}, "mul_result1", "MatMul1");
  sample.node("Add", {"mul_result1", "intercepts1"}, "add_result1", "Add1");
  OnnxSample::set(sample.node("Softmax", {"add_result1"}, "out_activations_result", "Relu1"),
                  "axis", std::int64_t{1});
  sample.node("Identity", {"out_activations_result"}, "probabilities", "Identity");
  OnnxSample::set(sample.node("ArgMax", {"probabilities"}, "argmax_output", "ArgMax"), "axis",
                  std::int64_t{1});
  sample.node("ArrayFeatureExtractor", {"classes", "argmax_output"}, "extracted").domain =
      "ai.onnx.ml";
  sample.node("Reshape", {"extracted", "shape_tensor"}, "reshaped", "Reshape");
  OnnxSample::set(sample.node("Cast", {"reshaped"}, "label", "Cast1"), "to", std::int64_t{7});
  sample.output("label", {0}, onnx::kInt64);
  if (!zipmap) {
    sample.output("probabilities", {0, 3});
    return sample;
  }
  sample.node("ZipMap", {"probabilities"}, "output_probability", "ZipMap").domain = "ai.onnx.ml";
  auto& output = sample.graph().output.emplace_back();
  output.name = "output_probability";
  output.type.sequence_type.emplace();
  return sample;
}

inline NetworkModel sklearn_model() {
  NetworkModel model;
  model.layers = {AffineLayer{"MatMul", 2, 2, {1, 2, 3, 4}, {5, 6}},
                  ActivationLayer{"Relu", Activation::kRelu, 0.01f},
                  AffineLayer{"MatMul1", 2, 3, {7, 8, 9, 10, 11, 12}, {13, 14, 15}},
                  ActivationLayer{"Relu1", Activation::kSoftmax, 0.01f}};
  return model;
}

// One Gemm of 2 x 2 with a bias, in "x", out "y".
inline OnnxSample gemm_sample() {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("b", {2}, {5, 6});
  sample.node("Gemm", {"x", "w", "b"}, "y");
  sample.output("y", {0, 2});
  return sample;
}

}  // namespace tilewright

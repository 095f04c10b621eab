// How does a test write ONNX as exporters do?
#pragma once

#include <onnx/onnx_pb.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "model_files.hpp"

namespace tilewright {

// A model whose one input and output are batches of rows, node by node.
class OnnxSample {
 public:
  OnnxSample() {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
  }

  onnx::GraphProto& graph() { return *model.mutable_graph(); }

  // A value of the type FLOAT or another; an extent of 0 is the batch.
  static void describe(onnx::ValueInfoProto& value, const std::string& name,
                       const std::vector<std::int64_t>& extents,
                       onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& shape = *tensor.mutable_shape();
    for (const std::int64_t extent : extents) {
      auto& dimension = *shape.add_dim();
      if (extent == 0) {
        dimension.set_dim_param("batch_size");
      } else {
        dimension.set_dim_value(extent);
      }
    }
  }
  void input(const std::string& name, const std::vector<std::int64_t>& extents) {
    describe(*graph().add_input(), name, extents);
  }
  void output(const std::string& name, const std::vector<std::int64_t>& extents,
              onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    describe(*graph().add_output(), name, extents, type);
  }

  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::string& output, const std::string& name = "") {
    auto& node = *graph().add_node();
    node.set_op_type(op);
    if (!name.empty()) node.set_name(name);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  // Initialisers: as raw bytes, as PyTorch writes them, or as floats, as skl2onnx does.
  onnx::TensorProto& tensor(const std::string& name, const std::vector<std::int64_t>& extents,
                            onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    auto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const std::int64_t extent : extents) tensor.add_dims(extent);
    return tensor;
  }
  onnx::TensorProto& raw(const std::string& name, const std::vector<std::int64_t>& extents,
                         const std::vector<float>& values) {
    auto& result = tensor(name, extents);
    result.set_raw_data(float_bytes(values));
    return result;
  }
  onnx::TensorProto& typed(const std::string& name, const std::vector<std::int64_t>& extents,
                           const std::vector<float>& values) {
    auto& result = tensor(name, extents);
    for (const float value : values) result.add_float_data(value);
    return result;
  }
  void integers(const std::string& name, const std::vector<std::int64_t>& values) {
    auto& result =
        tensor(name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
    for (const std::int64_t value : values) result.add_int64_data(value);
  }

  static void set(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static void set(onnx::NodeProto& node, const std::string& name, float value) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }

  std::string bytes() const { return model.SerializeAsString(); }
  MlpModel read() const {
    const TemporaryFolder folder;
    return read_mlp_model(written(folder, "net.onnx", bytes()));
  }
  std::string said() const {
    return refusal<ModelError>([this] { read(); });
  }

  onnx::ModelProto model;
};

// nn.Linear(3, 2), ReLU, nn.Linear(2, 2) after nn.Flatten, as torch.onnx.export writes them.
inline OnnxSample pytorch_sample() {
  OnnxSample sample;
  sample.model.set_producer_name("pytorch");
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

inline MlpModel pytorch_model() {
  MlpModel model;
  model.layers = {AffineLayer{"/fc1/Gemm", 3, 2, {1, 4, 2, 5, 3, 6}, {10, 20}},
                  ActivationLayer{"/Relu", MlpActivation::kRelu, 0.01f},
                  AffineLayer{"/fc2/Gemm", 2, 2, {7, 9, 8, 10}, {30, 40}}};
  return model;
}

// An MLPClassifier of three classes, as skl2onnx writes it: with or without a ZipMap at the end.
inline OnnxSample sklearn_sample(bool zipmap) {
  OnnxSample sample;
  sample.model.set_producer_name("skl2onnx");
  auto& ml = *sample.model.add_opset_import();
  ml.set_domain("ai.onnx.ml");
  ml.set_version(1);
  sample.input("X", {0, 2});
  sample.typed("coefficient", {2, 2}, {1, 2, 3, 4});
  sample.typed("intercepts", {1, 2}, {5, 6});
  sample.typed("coefficient1", {2, 3}, {7, 8, 9, 10, 11, 12});
  sample.typed("intercepts1", {1, 3}, {13, 14, 15});
  auto& classes = sample.tensor("classes", {3}, onnx::TensorProto::INT32);
  for (int i = 0; i < 3; ++i) classes.add_int32_data(i);
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
  sample.node("ArrayFeatureExtractor", {"classes", "argmax_output"}, "extracted")
      .set_domain("ai.onnx.ml");
  sample.node("Reshape", {"extracted", "shape_tensor"}, "reshaped", "Reshape");
  OnnxSample::set(sample.node("Cast", {"reshaped"}, "label", "Cast1"), "to", std::int64_t{7});
  sample.output("label", {0}, onnx::TensorProto::INT64);
  if (!zipmap) {
    sample.output("probabilities", {0, 3});
    return sample;
  }
  sample.node("ZipMap", {"probabilities"}, "output_probability", "ZipMap").set_domain("ai.onnx.ml");
  auto& output = *sample.graph().add_output();
  output.set_name("output_probability");
  output.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_map_type();
  return sample;
}

inline MlpModel sklearn_model() {
  MlpModel model;
  model.layers = {AffineLayer{"MatMul", 2, 2, {1, 2, 3, 4}, {5, 6}},
                  ActivationLayer{"Relu", MlpActivation::kRelu, 0.01f},
                  AffineLayer{"MatMul1", 2, 3, {7, 8, 9, 10, 11, 12}, {13, 14, 15}},
                  ActivationLayer{"Relu1", MlpActivation::kSoftmax, 0.01f}};
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

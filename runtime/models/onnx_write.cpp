#include <onnx/onnx_pb.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "model_place.hpp"
#include "onnx_model.hpp"
#include "profiles/base/write_file.hpp"
#include "runtime/net/activation_layer.hpp"

namespace tilewright {
namespace {

// Every runtime of the last years reads these: Softmax goes along the last axis since set 13.
constexpr int kIrVersion = 7;
constexpr int kIrVersionOf20 = 9;
constexpr int kOperatorSet = 13;

void set_type(onnx::ValueInfoProto& value, const char* name, std::int64_t width) {
  value.set_name(name);
  onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  tensor.mutable_shape()->add_dim()->set_dim_param("batch");
  tensor.mutable_shape()->add_dim()->set_dim_value(width);
}

std::string little_endian_bytes(const std::vector<float>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(float));
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  }
  return bytes;
}

// Adds nodes, each taking what the one before it gives.
class GraphWriter {
 public:
  explicit GraphWriter(onnx::GraphProto& graph) : graph_(graph) {}

  void add(const AffineLayer& layer) {
    onnx::NodeProto& node = add_node("Gemm", layer.name);
    add_initializer(node, "weights", {layer.inputs, layer.outputs}, layer.weights);
    if (!layer.bias.empty()) add_initializer(node, "bias", {layer.outputs}, layer.bias);
    if (graph_.input_size() == 0) set_type(*graph_.add_input(), "input", layer.inputs);
    width_ = layer.outputs;
  }

  void add(const ActivationLayer& layer) {
    const ActivationDescription& described = describe_activation(to_activation(layer.activation));
    operator_set_ = std::max(operator_set_, described.onnx_operator_set);
    onnx::NodeProto& node = add_node(std::string(described.onnx_operator), layer.name);
    for (const ActivationParameter& parameter : described.parameters) {
      if (parameter.onnx_attribute.empty()) continue;
      add_attribute(node, std::string(parameter.onnx_attribute), onnx::AttributeProto::FLOAT)
          .set_f(layer.*parameter_member(parameter));
    }
    if (layer.activation == MlpActivation::kGeluTanh) {
      add_attribute(node, "approximate", onnx::AttributeProto::STRING).set_s("tanh");
    }
    if (layer.activation == MlpActivation::kClip) {
      add_initializer(node, "min", {}, {layer.low});
      add_initializer(node, "max", {}, {layer.high});
    }
  }

  // The first that has all operations.
  int operator_set() const { return operator_set_; }

  void finish() {
    graph_.mutable_node(graph_.node_size() - 1)->set_output(0, "output");
    set_type(*graph_.add_output(), "output", width_);
  }

 private:
  onnx::NodeProto& add_node(const std::string& operation, const std::string& name) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(operation);
    if (!name.empty()) node.set_name(name);
    node.add_input(value_);
    value_ = fmt::format("layer{}", graph_.node_size());
    node.add_output(value_);
    return node;
  }

  static onnx::AttributeProto& add_attribute(onnx::NodeProto& node, const std::string& name,
                                             onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }

  void add_initializer(onnx::NodeProto& node, const char* what,
                       std::initializer_list<std::int64_t> extents,
                       const std::vector<float>& values) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(fmt::format("{}.{}", value_, what));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : extents) tensor.add_dims(extent);
    tensor.set_raw_data(little_endian_bytes(values));
    node.add_input(tensor.name());
  }

  onnx::GraphProto& graph_;
  std::string value_ = "input";
  std::int64_t width_ = 0;
  int operator_set_ = kOperatorSet;
};

// Bytes of weights and biases; the rest of a file is small beside them.
std::uint64_t count_number_bytes(const MlpModel& model) {
  std::uint64_t count = 0;
  for (const MlpLayer& layer : model.layers) {
    if (const auto* const affine = std::get_if<AffineLayer>(&layer)) {
      count += affine->weights.size() + affine->bias.size();
    }
  }
  return count * sizeof(float);
}

}  // namespace

void write_onnx_model(const MlpModel& model, const std::string& path) {
  const std::uint64_t most = std::numeric_limits<int>::max();
  const auto refuse_size = [&path] {
    ModelPlace{path, ""}.fail("an ONNX file holds 2 GiB at most; write the model as JSON");
  };
  if (count_number_bytes(model) > most) refuse_size();
  onnx::ModelProto proto;
  proto.set_producer_name("tilewright");
  proto.set_producer_version(TILEWRIGHT_VERSION);
  proto.mutable_graph()->set_name("mlp");
  GraphWriter writer(*proto.mutable_graph());
  for (const MlpLayer& layer : model.layers) {
    std::visit([&writer](const auto& any) { writer.add(any); }, layer);
  }
  writer.finish();
  proto.add_opset_import()->set_version(writer.operator_set());
  proto.set_ir_version(writer.operator_set() < 20 ? kIrVersion : kIrVersionOf20);
  if (proto.ByteSizeLong() > most) refuse_size();
  write_file_atomically(path, proto.SerializeAsString());
}

}  // namespace tilewright

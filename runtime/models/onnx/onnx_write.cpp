#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <set>

#include "graph/model_rewrites.hpp"
#include "model_place.hpp"
#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_model.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/write_file.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// All current runtimes support these versions. Operator set 13 is needed because its Softmax goes
// along the last axis.
constexpr int kIrVersion = 7;
constexpr int kIrVersionOf20 = 9;
constexpr int kOperatorSet = 13;

void set_type(onnx::ValueInfo& value, const std::string& name, std::int64_t width) {
  value.name = name;
  value.type.tensor_type = {onnx::kFloat, onnx::TensorShape{{{0, "batch"}, {width, ""}}}};
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

// Writes the nodes of a model into a graph.
class GraphWriter {
 public:
  GraphWriter(onnx::Graph& graph, const NetworkModel& model)
      : graph_(graph), model_(with_value_numbers(model)), widths_(layer_widths(model)) {
    for (const NetworkLayer& layer : model_.layers) {
      const auto* activation = std::get_if<ActivationLayer>(&layer);
      if (activation == nullptr) continue;
      const int needed = describe_activation(activation->activation).onnx_operator_set;
      operator_set_ = std::max(operator_set_, needed);
    }
    for (const NetworkInput& input : model_.inputs) add_port(input.name);
    for (const NetworkOutput& output : model_.outputs) add_port(output.name);
  }

  void write() {
    for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
      const std::string& given = model_.inputs[i].name;
      const bool is_only = model_.inputs.size() == 1;
      names_.push_back(!given.empty() ? given : is_only ? "input" : fmt::format("input{}", i + 1));
      set_type(graph_.input.emplace_back(), names_.back(), widths_[i]);
    }
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      names_.push_back(fmt::format("{}{}", prefix_, i + 1));
      std::visit([&](const auto& any) { add(any); }, model_.layers[i]);
    }
    for (std::size_t i = 0; i < model_.outputs.size(); ++i) {
      const NetworkOutput& output = model_.outputs[i];
      const bool is_only = model_.outputs.size() == 1;
      const std::string name = !output.name.empty() ? output.name
                               : is_only            ? "output"
                                                    : fmt::format("output{}", i + 1);
      write_output(name, output.value);
    }
  }

  // The oldest operator set that has all operations of the model.
  int operator_set() const { return operator_set_; }

 private:
  // Names in a graph must be different: those of values inside of it begin with a prefix that no
  // port has.
  void add_port(const std::string& name) {
    if (!name.empty() && !ports_.insert(name).second) {
      ModelPlace{"", ""}.fail(
          fmt::format("has two inputs or outputs with the name {}, which no ONNX file can have",
                      in_quotes(name)));
    }
    while (name.starts_with(prefix_)) prefix_ += "_";
  }

  void add(const AffineLayer& layer) {
    onnx::Node& node = add_node("Gemm", layer.name, {name(layer.input)});
    add_initializer(node, "weights", {layer.inputs, layer.outputs}, layer.weights);
    if (!layer.bias.empty()) add_initializer(node, "bias", {layer.outputs}, layer.bias);
  }

  void add(const ActivationLayer& layer) {
    const ActivationDescription& described = describe_activation(layer.activation);
    onnx::Node& node =
        add_node(std::string(described.onnx_operator), layer.name, {name(layer.input)});
    for (const ActivationParameter& parameter : described.parameters) {
      if (parameter.onnx_attribute.empty()) continue;
      add_attribute(node, std::string(parameter.onnx_attribute), onnx::Attribute::kFloatValue).f =
          layer.*parameter_member(parameter);
    }
    if (layer.activation == Activation::kGeluTanh) {
      add_attribute(node, "approximate", onnx::Attribute::kStringValue).s = "tanh";
    }
    if (layer.activation == Activation::kClip) {
      add_initializer(node, "min", {}, {layer.low});
      add_initializer(node, "max", {}, {layer.high});
    }
  }

  void add(const OperationLayer& layer);
  void add_elements(const OperationLayer& layer);
  void add_rows(const OperationLayer& layer);
  std::string operand_name(const NetworkOperand& operand, std::size_t number);

  const std::string& name(NetworkValue value) const { return names_[value_index(value)]; }
  std::int64_t width(NetworkValue value) const { return widths_[value_index(value)]; }

  // The node that computes the value gets the name of the output if it is the last node of a
  // network with one output. Otherwise an Identity node is added.
  void write_output(const std::string& name, NetworkValue value) {
    set_type(graph_.output.emplace_back(), name, width(value));
    const bool is_last = model_.outputs.size() == 1 && !graph_.node.empty() &&
                         graph_.node.back().output.front() == this->name(value);
    if (is_last) {
      graph_.node.back().output.front() = name;
      return;
    }
    onnx::Node& node = graph_.node.emplace_back();
    node.op_type = "Identity";
    node.input = {this->name(value)};
    node.output = {name};
  }

  // Adds a node that computes the value of the current layer, or an intermediate value whose name
  // ends in `suffix`.
  onnx::Node& add_node(const std::string& operation, const std::string& layer,
                       const std::vector<std::string>& inputs, const std::string& suffix = "") {
    onnx::Node& node = graph_.node.emplace_back();
    node.op_type = operation;
    if (!layer.empty()) node.name = layer + suffix;
    node.input = inputs;
    node.output = {names_.back() + suffix};
    return node;
  }

  static onnx::Attribute& add_attribute(onnx::Node& node, const std::string& name,
                                        onnx::Attribute::Type type) {
    onnx::Attribute& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.type = type;
    return attribute;
  }

  onnx::Tensor& add_tensor(const std::string& what, const std::vector<std::int64_t>& extents,
                           onnx::DataType type) {
    onnx::Tensor& tensor = graph_.initializer.emplace_back();
    tensor.name = fmt::format("{}.{}", names_.back(), what);
    tensor.data_type = type;
    tensor.dims = extents;
    return tensor;
  }
  void add_initializer(onnx::Node& node, const std::string& what,
                       const std::vector<std::int64_t>& extents, const std::vector<float>& values) {
    onnx::Tensor& tensor = add_tensor(what, extents, onnx::kFloat);
    tensor.raw_data = raw_data_.emplace_back(little_endian_bytes(values));
    node.input.push_back(tensor.name);
  }
  void add_integers(onnx::Node& node, const std::string& what,
                    const std::vector<std::int64_t>& values) {
    onnx::Tensor& tensor =
        add_tensor(what, {static_cast<std::int64_t>(values.size())}, onnx::kInt64);
    tensor.int64_data = values;
    node.input.push_back(tensor.name);
  }
  void add_cast(const std::string& from, const std::string& to, onnx::DataType type) {
    onnx::Node node;
    node.op_type = "Cast";
    node.input = {from};
    node.output = {to};
    add_attribute(node, "to", onnx::Attribute::kIntValue).i = type;
    graph_.node.push_back(std::move(node));
  }

  onnx::Graph& graph_;
  std::deque<std::string> raw_data_;  // of the tensors
  const NetworkModel model_;
  const std::vector<std::int64_t> widths_;
  std::vector<std::string> names_;  // names of the values, indexed by NetworkValue
  std::set<std::string> ports_;
  std::string prefix_ = "layer";
  int operator_set_ = kOperatorSet;
};

std::string GraphWriter::operand_name(const NetworkOperand& operand, std::size_t number) {
  if (operand.constant.empty()) return name(operand.value);
  const auto columns = static_cast<std::int64_t>(operand.constant.size());
  onnx::Tensor& tensor =
      add_tensor(fmt::format("operand{}", number + 1), {1, columns}, onnx::kFloat);
  tensor.raw_data = raw_data_.emplace_back(
      little_endian_bytes(std::vector<float>(operand.constant.begin(), operand.constant.end())));
  return tensor.name;
}

// Some ONNX operators have Boolean operands and results; Casts convert them from and to floats.
void GraphWriter::add_elements(const OperationLayer& layer) {
  const NetworkOperation operation = layer.operation;
  const bool gives_truth =
      operation == NetworkOperation::kNot ||
      (operation >= NetworkOperation::kGreater && operation <= NetworkOperation::kXor);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    inputs.push_back(operand_name(layer.operands[i], i));
    const bool takes_truth =
        operation == NetworkOperation::kNot || operation == NetworkOperation::kAnd ||
        operation == NetworkOperation::kOr || operation == NetworkOperation::kXor ||
        (operation == NetworkOperation::kWhere && i == 0);
    if (!takes_truth) continue;
    const std::string truth = fmt::format("{}.truth{}", names_.back(), i + 1);
    add_cast(inputs.back(), truth, onnx::kBool);
    inputs.back() = truth;
  }
  const bool is_remainder = operation == NetworkOperation::kRemainder;
  onnx::Node& node =
      add_node(is_remainder ? "Mod" : std::string(describe_operation(operation).onnx_operator),
               layer.name, inputs, gives_truth ? ".truth" : "");
  if (is_remainder) add_attribute(node, "fmod", onnx::Attribute::kIntValue).i = 1;
  if (gives_truth) add_cast(node.output.front(), names_.back(), onnx::kFloat);
}

// Reshapes to batch x groups x elements and reduces the last dimension.
void GraphWriter::add_rows(const OperationLayer& layer) {
  const std::int64_t groups = layer.columns.front();
  const NetworkValue from = layer.operands.front().value;
  onnx::Node& groups_node = add_node("Reshape", layer.name, {name(from)}, ".groups");
  add_integers(groups_node, "shape", {0, groups, width(from) / groups});
  onnx::Node& node = add_node(std::string(describe_operation(layer.operation).onnx_operator),
                              layer.name, {groups_node.output.front()});
  add_attribute(node, "keepdims", onnx::Attribute::kIntValue).i = 0;
  // Operator set 13 made the axes of ReduceSum an input, 18 those of the others.
  if (layer.operation == NetworkOperation::kSum || operator_set_ >= 18) {
    add_integers(node, "axes", {2});
  } else {
    add_attribute(node, "axes", onnx::Attribute::kIntsValue).ints = {2};
  }
}

void GraphWriter::add(const OperationLayer& layer) {
  if (is_elementwise(layer.operation)) return add_elements(layer);
  if (is_row_operation(layer.operation)) return add_rows(layer);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    if (!layer.operands[i].constant.empty()) {
      ModelPlace{"", layer.name}.fail("concatenates a constant, which cannot be written to ONNX");
    }
    inputs.push_back(name(layer.operands[i].value));
  }
  const bool is_select = layer.operation == NetworkOperation::kSelect;
  onnx::Node& node = add_node(is_select ? "Gather" : "Concat", layer.name, inputs);
  add_attribute(node, "axis", onnx::Attribute::kIntValue).i = 1;
  if (is_select) add_integers(node, "columns", layer.columns);
}

// Returns the bytes of weights and biases. The rest of a file is negligible.
std::uint64_t count_number_bytes(const NetworkModel& model) {
  std::uint64_t count = 0;
  for (const NetworkLayer& layer : model.layers) {
    if (const auto* const affine = std::get_if<AffineLayer>(&layer)) {
      count += affine->weights.size() + affine->bias.size();
    }
  }
  return count * sizeof(float);
}

}  // namespace

void write_onnx_model(const NetworkModel& model, const std::string& path) {
  const std::uint64_t most = std::numeric_limits<int>::max();
  const auto refuse_size = [&path] {
    ModelPlace{path, ""}.fail(
        "is larger than 2 GiB, the limit of ONNX files; write the model as JSON");
  };
  if (count_number_bytes(model) > most) refuse_size();
  onnx::Model file;
  file.producer_name = "tilewright";
  file.producer_version = TILEWRIGHT_VERSION;
  onnx::Graph& graph = file.graph.emplace();
  graph.name = "network";
  GraphWriter writer(graph, model);
  writer.write();
  file.opset_import = {{"", writer.operator_set()}};
  file.ir_version = writer.operator_set() < 20 ? kIrVersion : kIrVersionOf20;
  const std::string bytes = onnx::encode(file);
  if (bytes.size() > most) refuse_size();
  write_file_atomically(path, bytes);
}

}  // namespace tilewright

// Converts nodes, and finds the values that they read.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// Does the node pass a constant on unchanged, so that its numbers need not be read yet?
bool keeps_numbers(const onnx::Node& node, const onnx::Tensor& tensor) {
  if (node.op_type == "Identity") return true;
  const onnx::Attribute* const to = attribute(node, "to");
  if (node.op_type != "Cast" || to == nullptr) return false;
  const auto type = static_cast<int>(to->i.value_or(0));
  const bool is_rounded =
      (type == onnx::kFloat16 || type == onnx::kBfloat16) && type != tensor.data_type;
  return is_read_as_floats(type) && is_read_as_floats(tensor.data_type) && !is_rounded;
}

bool swaps_matrix(const onnx::Node& node, const onnx::Tensor& tensor) {
  const onnx::Attribute* const order = attribute(node, "perm");
  return node.op_type == "Transpose" && tensor.dims.size() == 2 &&
         (order == nullptr || order->ints == std::vector<std::int64_t>{1, 0});
}

std::string qualified_name(const onnx::Node& node) {
  const std::string& domain = node.domain;
  return domain.empty() || domain == "ai.onnx" ? node.op_type : domain + "." + node.op_type;
}

}  // namespace

void OnnxImporter::run(const Node& node) {
  if (node.proto.output.empty()) node.place.fail("has no output; remove the node");
  const std::string name = qualified_name(node.proto);
  if (name == "Constant") {
    const onnx::Attribute* const value = attribute(node.proto, "value");
    if (value != nullptr && value->t != nullptr) return define(node, 0, Constant{value->t.get()});
    return define(node, 0, make_constant(constant_value(node.proto, budget_, node.place)));
  }
  const auto [handler, max_inputs] = find_operator(name);
  std::vector<const Operand*> inputs;
  bool is_constant = true;
  for (int i = 0; i < std::ssize(node.proto.input); ++i) {
    inputs.push_back(find(node, i));
    if (inputs.back() == nullptr) continue;
    if (i >= max_inputs) {
      node.place.fail(fmt::format("has an input {}, but {} has at most {}; remove it", i + 1,
                                  in_quotes(name), max_inputs));
    }
    is_constant = is_constant && std::holds_alternative<Constant>(*inputs.back());
  }
  if (name == "Shape" && !is_constant) {
    return define(node, 0, make_constant(shape_tensor(node, expect_computed(node))));
  }
  if (name == "If") return take_branch(node);
  if (is_constant && fold(node, inputs)) return;
  if (name == "CastLike" && inputs.size() == 2 && inputs[0] != nullptr && inputs[1] != nullptr) {
    // A constant can be cast to the type of a computed value.
    if (const auto* constant = std::get_if<Constant>(inputs[0])) {
      const Operand value = *constant;
      const Operand type = make_constant({element_type_of(*inputs[1]), {0}, {}});
      fold(node, {&value, &type});
      return;
    }
  }
  if (name == "QuantizeLinear" || name == "DequantizeLinear") {
    node.place.fail(fmt::format(
        "{} of a computed value is not supported, only of constants; export the network before it "
        "is quantised, or with quantised weights only",
        in_quotes(name)));
  }
  if (handler == nullptr) {
    node.place.fail(fmt::format(
        "operation {} is not supported. Networks consist of fully connected layers, operations on "
        "elements and on rows, and selections of columns (docs/models.md lists them); run this "
        "part of the graph with another library",
        in_quotes(name)));
  }
  if (is_constant) node.place.fail("does not depend on the input of the graph");
  check_integers(node, name, inputs);
  const int type = result_type(node, name, inputs);
  if (handler == &OnnxImporter::move) {
    std::vector<Operand> parts = moved_parts(node);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (auto* part = std::get_if<Computed>(&parts[i])) part->type = type;
      define(node, static_cast<int>(i), std::move(parts[i]));
    }
    return;
  }
  Computed result = (this->*handler)(node);
  result.type = type;
  define(node, 0, std::move(result));
}

int OnnxImporter::element_type_of(const Operand& operand) {
  if (const auto* computed = std::get_if<Computed>(&operand)) return computed->type;
  const auto& constant = std::get<Constant>(operand);
  return constant.tensor != nullptr ? constant.tensor->data_type : constant.numbers->type;
}

// Returns the element type that the result of a node has in the graph.
int OnnxImporter::result_type(const Node& node, const std::string& name,
                              const std::vector<const Operand*>& inputs) {
  if (name == "Cast") {
    return static_cast<int>(integer_attribute(node.proto, "to", onnx::kFloat, node.place));
  }
  if (name == "IsNaN") return onnx::kBool;
  if (name == "ai.onnx.ml.Scaler" || name == "ai.onnx.ml.Normalizer") return onnx::kFloat;
  const OperationDescription* const described = find_operation(name);
  if (described != nullptr && is_logical(described->operation)) return onnx::kBool;
  const std::size_t like = name == "Where" || name == "CastLike" ? 1 : 0;
  return like < inputs.size() && inputs[like] != nullptr ? element_type_of(*inputs[like])
                                                         : int{onnx::kFloat};
}

// Values of integer types are computed in float. Fails if the node computes something else with
// integers than with floats.
void OnnxImporter::check_integers(const Node& node, const std::string& name,
                                  const std::vector<const Operand*>& inputs) const {
  static const std::set<std::string_view> kSame = {"Abs",
                                                   "Add",
                                                   "Cast",
                                                   "CastLike",
                                                   "Concat",
                                                   "Dropout",
                                                   "Equal",
                                                   "Expand",
                                                   "Flatten",
                                                   "Gather",
                                                   "Greater",
                                                   "GreaterOrEqual",
                                                   "Identity",
                                                   "Less",
                                                   "Max",
                                                   "LessOrEqual",
                                                   "Min",
                                                   "Mul",
                                                   "Neg",
                                                   "Reshape",
                                                   "Sign",
                                                   "ReduceMax",
                                                   "ReduceMin",
                                                   "ReduceSum",
                                                   "Slice",
                                                   "Split",
                                                   "Squeeze",
                                                   "Sub",
                                                   "Sum",
                                                   "Tile",
                                                   "Transpose",
                                                   "Where",
                                                   "Unsqueeze",
                                                   "ai.onnx.ml.Scaler",
                                                   "ai.onnx.ml.Normalizer"};
  // The results of these leave the range of small integers soon, and of unsigned ones below 0.
  static const std::set<std::string_view> kWraps = {"Add", "Mul", "Neg", "Sub", "ReduceSum", "Sum"};
  const auto takes = [&](const auto& has_property) {
    return std::any_of(inputs.begin(), inputs.end(), [&](const Operand* input) {
      const auto* computed = input == nullptr ? nullptr : std::get_if<Computed>(input);
      return computed != nullptr && is_integer_type(computed->type) && has_property(computed->type);
    });
  };
  if (kWraps.count(name) != 0 &&
      takes([](int type) { return !is_signed(type) || num_digits(type) < 31; })) {
    node.place.fail(
        "computes with small or unsigned integers, which wrap around; cast its inputs to FLOAT, or "
        "to INT64, before it");
  }
  if (!takes([](int) { return true; }) || kSame.count(name) != 0) return;
  node.place.fail(
      "reads integers, for which its result differs from that of floats; only nodes after a Cast "
      "to FLOAT are supported: export the network with float inputs, or with a Cast before this "
      "node");
}

void OnnxImporter::define(const Node& node, int output, Operand value) {
  const std::string& name = name_at(node.proto.output, output);
  if (name.empty()) return;
  // Values that a node is reading must stay while a branch is converted.
  if (!values_.emplace(name, std::move(value)).second) {
    node.place.fail(fmt::format("computes {}, which is a value already; give it another name",
                                in_quotes(name)));
  }
}

// Converts the branch of an If whose condition is known.
void OnnxImporter::take_branch(const Node& node) {
  constexpr std::size_t kMaxBranches = 256;
  const ConstantTensor condition = numbers(node, expect_constant(node, 0, "cond"));
  check_known(node, condition);
  if (condition.values.size() != 1) node.place.fail("has a condition that is not a single number");
  const onnx::Attribute* const taken =
      attribute(node.proto, condition.values[0] != 0.0 ? "then_branch" : "else_branch");
  if (taken == nullptr || !taken->g) node.place.fail("has no such branch; export it again");
  if (branches_.size() == kMaxBranches) {
    node.place.fail(
        fmt::format("is one of more than {} conditions; replace it by its branch", kMaxBranches));
  }
  const onnx::Graph& branch = branches_.emplace_back(onnx::decode_graph(*taken->g, node.place));
  onnx::Node constants, results;
  for (const onnx::Tensor& tensor : branch.initializer) {
    constants.output = {tensor.name};
    define({constants, node.place}, 0, Constant{&tensor});
  }
  for (const onnx::Node& inner : branch.node) {
    run({inner, node.place.in(in_quotes(inner.op_type) + " in its branch")});
  }
  std::vector<Operand> outputs;
  for (const onnx::ValueInfo& output : branch.output) results.input.push_back(output.name);
  for (int i = 0; i < std::ssize(results.input); ++i) {
    outputs.push_back(expect({results, node.place}, i, "result"));
  }
  // Another branch may use these names for other values.
  for (const onnx::Tensor& tensor : branch.initializer) values_.erase(tensor.name);
  for (const onnx::Node& inner : branch.node) {
    for (const std::string& name : inner.output) values_.erase(name);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    define(node, static_cast<int>(i), std::move(outputs[i]));
  }
}

// Evaluates a node whose inputs are all constant. Returns false if it has other inputs.
bool OnnxImporter::fold(const Node& node, const std::vector<const Operand*>& inputs) {
  const auto* first =
      inputs.empty() || inputs[0] == nullptr ? nullptr : std::get_if<Constant>(inputs[0]);
  if (first != nullptr && first->tensor != nullptr) {
    Constant same = *first;
    if (swaps_matrix(node.proto, *same.tensor)) same.is_transposed = !same.is_transposed;
    if (keeps_numbers(node.proto, *same.tensor) || swaps_matrix(node.proto, *same.tensor)) {
      define(node, 0, same);
      return true;
    }
  }
  std::vector<ConstantTensor> read;
  read.reserve(inputs.size());
  std::vector<const ConstantTensor*> given;
  for (const Operand* input : inputs) {
    const auto* constant = input == nullptr ? nullptr : &std::get<Constant>(*input);
    const bool is_in_file = constant != nullptr && constant->tensor != nullptr;
    if (is_in_file) read.push_back(numbers(node, *constant));
    given.push_back(is_in_file            ? &read.back()
                    : constant != nullptr ? constant->numbers.get()
                                          : nullptr);
  }
  auto results = fold_constants(node.proto, given, budget_, node.place);
  if (!results) return false;
  for (std::size_t i = 0; i < results->size(); ++i) {
    define(node, static_cast<int>(i), make_constant(std::move((*results)[i])));
  }
  return true;
}

// Returns null if the input is omitted. Fails if nothing computes the value.
const OnnxImporter::Operand* OnnxImporter::find(const Node& node, int index) {
  const std::string& name = name_at(node.proto.input, index);
  if (name.empty()) return nullptr;
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  if (const onnx::Tensor* tensor = graph_.initializer(name)) {
    return &values_.emplace(name, Constant{tensor}).first->second;
  }
  if (const onnx::ValueInfo* input = graph_.input(name)) {
    return &values_.emplace(name, begin_input(*input)).first->second;
  }
  const int source = graph_.producer(name);
  if (source >= 0 && !visited_[static_cast<std::size_t>(source)]) {  // a branch reads it
    const int reading = current_node_;
    convert(name);
    current_node_ = reading;
    if (const NodeError* error = find_error(source)) throw ModelError(*error->error);
    return find(node, index);
  }
  node.place.fail(
      fmt::format("reads {}, which {}", in_quotes(name),
                  graph_.producer(name) < 0 ? "nothing computes" : "depends on its own result"));
}

const OnnxImporter::Operand& OnnxImporter::expect(const Node& node, int index, const char* what) {
  if (const Operand* found = find(node, index)) return *found;
  node.place.fail(fmt::format("has no {} (its input {})", what, index + 1));
}

OnnxImporter::Computed OnnxImporter::expect_computed(const Node& node, int index) {
  const Operand& given = expect(node, index, "value");
  if (const auto* computed = std::get_if<Computed>(&given)) {
    check_not_flat(node, given);
    return *computed;
  }
  int other = index;
  for (int i = 0; i < std::ssize(node.proto.input); ++i) {
    const Operand* const operand = find(node, i);
    if (operand != nullptr && std::holds_alternative<Computed>(*operand)) other = i;
  }
  if (other == index) node.place.fail("does not depend on the input of the graph");
  node.place.fail(
      fmt::format("has a computed value as input {}; it must be input {}", other + 1, index + 1));
}

void OnnxImporter::check_not_flat(const Node& node, const Operand& operand) const {
  const auto* computed = std::get_if<Computed>(&operand);
  if (computed == nullptr || !computed->is_flat) return;
  node.place.fail(
      "reads a value whose samples were merged by an earlier Reshape; let this one keep a row "
      "per sample: the shape [-1, columns]");
}

void OnnxImporter::check_known(const Node& node, const ConstantTensor& constant) {
  if (std::any_of(constant.values.begin(), constant.values.end(), is_placeholder)) {
    node.place.fail(
        "computes with the number of samples, or with another extent that the file leaves open; "
        "use a constant instead");
  }
}

OnnxImporter::Constant OnnxImporter::expect_constant(const Node& node, int index,
                                                     const char* what) {
  const Operand* const found = find(node, index);
  if (found != nullptr && std::holds_alternative<Constant>(*found)) {
    return std::get<Constant>(*found);
  }
  node.place.fail(fmt::format(
      "has '{}' (its input {}) that is not a constant; only constants are supported here", what,
      index + 1));
}

ConstantTensor OnnxImporter::numbers(const Node& node, const Constant& constant) {
  if (constant.numbers != nullptr) {
    budget_.take(constant.numbers->values.size(), node.place);
    return *constant.numbers;
  }
  ConstantTensor read = tensors_.numbers(*constant.tensor, node.place);
  budget_.add_file(tensors_.take_external_bytes());
  budget_.take(read.values.size(), node.place);
  if (!constant.is_transposed) return read;
  ConstantTensor swapped{read.type, {read.extents[1], read.extents[0]}, {}};
  const auto rows = static_cast<std::size_t>(read.extents[0]);
  const auto width = static_cast<std::size_t>(read.extents[1]);
  for (std::size_t j = 0; j < width; ++j) {
    for (std::size_t i = 0; i < rows; ++i) swapped.values.push_back(read.values[i * width + j]);
  }
  return swapped;
}

// Returns nullopt if the input is omitted.
std::optional<ConstantTensor> OnnxImporter::optional_numbers(const Node& node, int index,
                                                             const char* what) {
  if (find(node, index) == nullptr) return std::nullopt;
  return numbers(node, expect_constant(node, index, what));
}

std::string OnnxImporter::read_text(const Constant& constant) const {
  return constant.tensor == nullptr ? "a constant" : tensor_text(*constant.tensor);
}

std::string OnnxImporter::temporary_extents(const Constant& constant) const {
  if (constant.tensor != nullptr) return extents_text(*constant.tensor);
  const Extents& extents = constant.numbers->extents;
  return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, " x "));
}

OnnxImporter::Computed OnnxImporter::begin_input(const onnx::ValueInfo& input) {
  Extents extents;
  if (const std::vector<onnx::Dimension>* const shape = dimensions(input)) {
    for (const onnx::Dimension& dimension : *shape) {
      const std::int64_t extent = std::max(dimension.dim_value, kUnknown);
      const bool is_batch = extents.empty() && batch_axis_ == BatchAxis::kFirst;
      extents.push_back(is_batch ? kBatch : extent);
    }
  } else {
    extents = {kBatch, kUnknown};
  }
  inputs_.push_back({input.name, columns(extents).value_or(0)});
  budget_.add_columns(static_cast<std::uint64_t>(inputs_.back().columns));
  const int type = element_type(input);
  return {kFirstInput - static_cast<MlpValue>(inputs_.size() - 1), extents, false,
          type == onnx::kUndefined ? int{onnx::kFloat} : type};
}

MlpValue OnnxImporter::push(MlpLayer layer) {
  if (layers_.size() == kMaxLayers) {
    graph_.node_place(current_node_)
        .fail(
            fmt::format("needs more layers than the {} that a network may have; divide the network",
                        kMaxLayers));
  }
  layers_.push_back(std::move(layer));
  layer_nodes_.push_back(current_node_);
  return static_cast<MlpValue>(layers_.size() - 1);
}

}  // namespace tilewright

// Traverses the graph from its inputs and constants to its outputs.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "graph/model_rewrites.hpp"
#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// Does the node pass a constant on unchanged, so that its numbers need not be read yet?
bool keeps_numbers(const onnx::Node& node, const onnx::Tensor& tensor) {
  if (node.op_type == "Identity") return true;
  const onnx::Attribute* const to = attribute(node, "to");
  if (node.op_type != "Cast" || to == nullptr) return false;
  const auto type = static_cast<int>(to->i.value_or(0));
  const bool is_rounded = type == onnx::kFloat16 && type != tensor.data_type;
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

// Returns the first extent of the inputs if it is fixed and the same for all of them.
std::int64_t OnnxImporter::common_batch() const {
  if (batch_axis_ != BatchAxis::kFirst) return kUnknown;
  std::set<std::int64_t> extents;
  for (const onnx::ValueInfo& input : graph_.proto().input) {
    if (graph_.initializer(input.name) != nullptr) continue;
    const std::vector<onnx::Dimension>* const shape = dimensions(input);
    const bool is_known = shape != nullptr && !shape->empty();
    extents.insert(is_known ? std::max(shape->front().dim_value, kUnknown) : kUnknown);
  }
  return extents.size() == 1 ? *extents.begin() : kUnknown;
}

MlpModel OnnxImporter::read() {
  file_batch_ = common_batch();
  std::vector<MlpSkippedOutput> skipped;
  std::vector<MlpOutput> outputs;
  std::optional<ModelError> first_error;
  int skipped_floats = 0;
  for (const OnnxGraph::Output& output : graph_.outputs()) {
    if (!output.unusable.empty()) {
      skipped.push_back({output.name, output.unusable, false});
      continue;
    }
    try {
      for (const int index : graph_.nodes_for(output.value)) {
        if (finished_nodes_.count(index) != 0) continue;
        run({graph_.node(index), graph_.node_place(index)});
        finished_nodes_.insert(index);
      }
      const onnx::ValueInfo* const input = graph_.input(output.value);
      if (input != nullptr && values_.find(output.value) == values_.end()) {
        values_.emplace(output.value, begin_input(*input));
      }
      const auto found = values_.find(output.value);
      if (found == values_.end() && graph_.initializer(output.value) == nullptr) {
        file_.fail(fmt::format("the output {} of the graph is not computed by any node",
                               in_quotes(output.value)));
      }
      const auto* computed =
          found == values_.end() ? nullptr : std::get_if<Computed>(&found->second);
      if (computed == nullptr) {
        file_.fail(fmt::format("the output {} does not depend on the input of the graph",
                               in_quotes(output.value)));
      }
      outputs.push_back({output.name, computed->value});
    } catch (const ModelError& error) {
      if (!first_error) first_error = error;
      const std::string reason = error.place().empty()
                                     ? error.reason()
                                     : fmt::format("{}: {}", error.place(), error.reason());
      skipped.push_back({output.name, reason, outputs.empty() && skipped_floats++ == 0});
    }
  }
  if (outputs.empty()) {
    if (first_error) throw ModelError(*first_error);
    file_.fail(fmt::format("no output of the graph is a float matrix (batch x outputs); it has {}",
                           graph_.text_of_outputs()));
  }
  MlpModel model = finished(std::move(outputs));
  model.skipped_outputs = std::move(skipped);
  return model;
}

// Assigns the final numbers of values, and drops inputs and layers that no output needs.
MlpModel OnnxImporter::finished(std::vector<MlpOutput> outputs) {
  // Inputs were added when a node first took them; the model has them in the order of the graph.
  std::vector<MlpInput> inputs;
  std::vector<MlpValue> numbers(inputs_.size());
  for (const onnx::ValueInfo& proto : graph_.proto().input) {
    const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const MlpInput& input) {
      return input.name == proto.name;
    });
    if (found == inputs_.end()) continue;
    numbers[static_cast<std::size_t>(found - inputs_.begin())] =
        static_cast<MlpValue>(inputs.size());
    inputs.push_back(*found);
  }
  const auto count = static_cast<MlpValue>(inputs.size());
  const auto to_value_number = [&](MlpValue value) {
    return value <= kFirstInput ? numbers[static_cast<std::size_t>(kFirstInput - value)]
                                : count + value;
  };
  for (MlpLayer& layer : layers_) {
    for_each_value(layer, [&](MlpValue& value) { value = to_value_number(value); });
  }
  for (MlpOutput& output : outputs) output.value = to_value_number(output.value);
  return without_unused({std::move(layers_), std::move(inputs), std::move(outputs), {}});
}

void OnnxImporter::run(const Node& node) {
  if (node.proto.output.empty()) node.place.fail("has no output");
  const std::string name = qualified_name(node.proto);
  if (name == "Constant") {
    const onnx::Attribute* const value = attribute(node.proto, "value");
    if (value != nullptr && value->t != nullptr) return define(node, 0, Constant{value->t.get()});
    return define(node, 0,
                  Constant{nullptr, false,
                           std::make_shared<ConstantTensor>(
                               constant_value(node.proto, budget_, node.place))});
  }
  std::vector<const Operand*> inputs;
  bool is_constant = true;
  for (int i = 0; i < std::ssize(node.proto.input); ++i) {
    inputs.push_back(find(node, i));
    if (inputs.back() == nullptr) continue;
    is_constant = is_constant && std::holds_alternative<Constant>(*inputs.back());
  }
  if (name == "Shape" && !is_constant) {
    define(node, 0,
           Constant{nullptr, false,
                    std::make_shared<ConstantTensor>(shape_tensor(node, expect_computed(node)))});
    return;
  }
  if (is_constant && fold(node, inputs)) return;
  if (name == "CastLike" && !inputs.empty() && inputs.front() != nullptr) {
    // The type of a computed value changes no number.
    if (const auto* constant = std::get_if<Constant>(inputs.front())) {
      ConstantTensor same = numbers(node, *constant);
      same.type = onnx::kFloat;
      define(node, 0, Constant{nullptr, false, std::make_shared<ConstantTensor>(std::move(same))});
      return;
    }
  }
  const Handler handler = find_handler(name);
  if (handler == nullptr) {
    node.place.fail(fmt::format(
        "operation {} is not supported. Networks consist of fully connected layers, operations on "
        "elements and on rows, and selections of columns (docs/models.md lists them); run this part "
        "of the graph with another library",
        in_quotes(name)));
  }
  if (is_constant) node.place.fail("does not depend on the input of the graph");
  const bool is_integer = check_integers(node, name, inputs);
  if (handler == &OnnxImporter::move) {
    std::vector<Operand> parts = moved_parts(node);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (auto* part = std::get_if<Computed>(&parts[i])) part->is_integer = is_integer;
      define(node, static_cast<int>(i), std::move(parts[i]));
    }
    return;
  }
  Computed result = (this->*handler)(node);
  result.is_integer = is_integer;
  define(node, 0, std::move(result));
}

// Values of integer types are computed in float. Returns whether the result of the node is such a
// value. Fails if the node computes something else with integers than with floats.
bool OnnxImporter::check_integers(const Node& node, const std::string& name,
                                  const std::vector<const Operand*>& inputs) const {
  static const std::set<std::string_view> kSame = {
      "Abs",       "Add",     "Concat",    "Dropout",   "Expand", "Flatten",   "Gather",
      "Identity",  "Max",     "Min",       "Mul",       "Neg",    "ReduceMax", "ReduceMin",
      "ReduceSum", "Reshape", "Sign",      "Slice",     "Split",  "Squeeze",   "Sub",
      "Sum",       "Tile",    "Transpose", "Unsqueeze", "Where"};
  static const std::set<std::string_view> kToFloats = {
      "Cast",        "CastLike",          "Equal",
      "Greater",     "GreaterOrEqual",    "Less",
      "LessOrEqual", "ai.onnx.ml.Scaler", "ai.onnx.ml.Normalizer"};
  const bool takes_integers = std::any_of(inputs.begin(), inputs.end(), [](const Operand* input) {
    const auto* computed = input == nullptr ? nullptr : std::get_if<Computed>(input);
    return computed != nullptr && computed->is_integer;
  });
  if (!takes_integers || kToFloats.count(name) != 0) return false;
  if (kSame.count(name) == 0) {
    node.place.fail(
        "reads integers, for which its result differs from that of floats; only nodes after a Cast "
        "to FLOAT are supported");
  }
  return true;
}

void OnnxImporter::define(const Node& node, int output, Operand value) {
  const std::string& name = name_at(node.proto.output, output);
  if (!name.empty()) values_.insert_or_assign(name, std::move(value));
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
    define(node, static_cast<int>(i),
           Constant{nullptr, false, std::make_shared<ConstantTensor>(std::move((*results)[i]))});
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
  node.place.fail(
      fmt::format("reads {}, which {}", in_quotes(name),
                  graph_.producer(name) < 0 ? "nothing computes" : "no earlier node computes"));
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
  node.place.fail("reads a value whose samples were merged by an earlier Reshape");
}

void OnnxImporter::check_known(const Node& node, const ConstantTensor& constant) {
  if (std::any_of(constant.values.begin(), constant.values.end(), is_placeholder)) {
    node.place.fail(
        "computes with the number of samples, or with another extent that the file leaves open");
  }
}

OnnxImporter::Constant OnnxImporter::expect_constant(const Node& node, int index,
                                                     const char* what) {
  const Operand* const found = find(node, index);
  if (found != nullptr && std::holds_alternative<Constant>(*found)) {
    return std::get<Constant>(*found);
  }
  node.place.fail(fmt::format("has '{}' (its input {}) that is not a constant", what, index + 1));
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
  budget_.add_columns(static_cast<std::uint64_t>(std::min(inputs_.back().columns, kMaxColumns)));
  return {kFirstInput - static_cast<MlpValue>(inputs_.size() - 1), extents, false,
          is_integer_type(element_type(input))};
}

MlpValue OnnxImporter::push(MlpLayer layer) {
  layers_.push_back(std::move(layer));
  return static_cast<MlpValue>(layers_.size() - 1);
}

}  // namespace tilewright

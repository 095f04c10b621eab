#include "onnx/onnx_graph.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "onnx/onnx_tensors.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// An output without a declared type is accepted.
bool may_be_float(const onnx::ValueInfo& output) {
  const onnx::Type& type = output.type;
  if (!type.tensor_type) {
    return !type.sequence_type && !type.map_type;
  }
  return element_type(output) == onnx::kUndefined || is_read_as_floats(element_type(output));
}

// Classifiers compute labels: integers or strings.
bool is_label(const onnx::ValueInfo& output) {
  return is_integer_type(element_type(output)) || element_type(output) == onnx::kString;
}

// Operators whose result is the first input with another type or shape.
bool keeps_values(std::string_view op) {
  return op == "Cast" || op == "Flatten" || op == "Identity" || op == "Reshape" ||
         op == "Squeeze" || op == "Unsqueeze";
}

}  // namespace

const onnx::Attribute* find_attribute(const std::vector<onnx::Attribute>& attributes,
                                      std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &onnx::Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

int element_type(const onnx::ValueInfo& value) {
  return value.type.tensor_type ? value.type.tensor_type->elem_type : onnx::kUndefined;
}

const std::vector<onnx::Dimension>* dimensions(const onnx::ValueInfo& value) {
  const std::optional<onnx::TensorType>& type = value.type.tensor_type;
  return type && type->shape ? &type->shape->dim : nullptr;
}

OnnxGraph::OnnxGraph(const onnx::Graph& graph, ModelPlace file)
    : graph_(graph), file_(std::move(file)) {
  for (const onnx::Tensor& tensor : graph_.initializer) {
    initializers_.emplace(tensor.name, &tensor);
  }
  for (const onnx::ValueInfo& input : graph_.input) inputs_.emplace(input.name, &input);
  const auto is_given = [&](const std::string& name) {
    return inputs_.contains(name) || initializers_.contains(name);
  };
  for (int i = 0; std::cmp_less(i, graph_.node.size()); ++i) {
    for (const std::string& output : node(i).output) {
      if (output.empty()) continue;
      const auto [first, is_new] = producers_.emplace(output, i);
      if (is_new && !is_given(output)) continue;
      const ModelPlace place = node_place(i);
      const ModelError error(
          place.file, place.place,
          fmt::format("computes {}, which {}; give each value its own name", in_quotes(output),
                      is_new ? "is a value already" : "an earlier node computes"));
      errors_.emplace(first->second, error);
      errors_.emplace(i, error);
    }
  }
}

ModelPlace OnnxGraph::node_place(int node) const {
  const onnx::Node& proto = this->node(node);
  const std::string_view op = std::string_view(proto.op_type).substr(0, 80);
  const auto output = std::ranges::find_if(proto.output, [](auto& name) { return !name.empty(); });
  const std::string name = !proto.name.empty() ? fmt::format(" {}", in_quotes(proto.name))
                           : output == proto.output.end()
                               ? ""
                               : fmt::format(", output {}", in_quotes(*output));
  return file_.in(
      fmt::format("node {} of {} ({}{})", node + 1, graph_.node.size(), printable(op), name));
}

const ModelError* OnnxGraph::error(int node) const {
  const auto found = errors_.find(node);
  return found == errors_.end() ? nullptr : &found->second;
}

const onnx::Tensor* OnnxGraph::initializer(std::string_view value) const {
  const auto found = initializers_.find(value);
  return found == initializers_.end() ? nullptr : found->second;
}

const onnx::ValueInfo* OnnxGraph::input(std::string_view value) const {
  const auto found = inputs_.find(value);
  return found == inputs_.end() ? nullptr : found->second;
}

int OnnxGraph::producer(std::string_view value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}

std::vector<OnnxGraph::Output> OnnxGraph::outputs(const std::vector<std::string>& names) const {
  std::vector<Output> outputs;
  std::vector<bool> visited(graph_.node.size(), false);
  bool has_floats = false;
  for (const onnx::ValueInfo& proto : graph_.output) {
    Output& output = outputs.emplace_back(Output{proto.name, proto.name, ""});
    const int producer = this->producer(output.name);
    if (producer >= 0 && node(producer).op_type == "ZipMap" && node(producer).input.size() == 1) {
      output.value = node(producer).input[0];
    } else if (!may_be_float(proto)) {
      output.unusable = "is not a float matrix";
      if (proto.type.tensor_type) output.unusable += ", but " + type_text(element_type(proto));
      if (is_label(proto)) {
        output.unusable += ". The label of a classifier is the column of its largest probability";
        const std::string scores = scores_before(output.name);
        if (!scores.empty()) {
          output.unusable +=
              fmt::format("; {}, the value before it, can be chosen by name", in_quotes(scores));
        }
      }
      continue;
    }
    const auto is_given = [&](std::string_view value) {
      return input(value) != nullptr && initializer(value) == nullptr;
    };
    has_floats = has_floats || is_given(output.value);
    for (const int index : nodes_for(output.value, visited)) {
      has_floats = has_floats || std::ranges::any_of(node(index).input, is_given);
    }
  }
  // Integers are outputs if they are chosen, or if there is nothing else.
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_integer_type(element_type(graph_.output[i])) &&
        (!has_floats || std::ranges::find(names, outputs[i].name) != names.end())) {
      outputs[i].hint = std::exchange(outputs[i].unusable, "");
    }
  }
  return outputs;
}

std::string OnnxGraph::scores_before(std::string_view label) const {
  constexpr int kMaxNodes = 16;
  for (int i = 0; i < kMaxNodes; ++i) {
    const int index = producer(label);
    if (index < 0) return "";
    const onnx::Node& node = this->node(index);
    const bool is_index = node.op_type == "ArgMax" || node.op_type == "ArgMin";
    const bool is_lookup = node.op_type == "ArrayFeatureExtractor";  // the classes come first
    if (!is_index && !is_lookup && !keeps_values(node.op_type)) {
      return i == 0 ? "" : std::string(label);
    }
    const std::size_t input = is_lookup ? 1 : 0;
    if (node.input.size() <= input) return "";
    label = node.input[input];
    if (is_index) return std::string(label);
  }
  return "";
}

std::vector<int> OnnxGraph::nodes_for(const std::string& value, std::vector<bool>& visited) const {
  std::vector<int> nodes;
  const auto need = [&](const std::string& name) {
    const int node = producer(name);
    if (node < 0 || visited[static_cast<std::size_t>(node)]) return;
    visited[static_cast<std::size_t>(node)] = true;
    nodes.push_back(node);
  };
  need(value);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& input : node(nodes[i]).input) need(input);
  }
  return in_order(std::move(nodes));
}

std::vector<int> OnnxGraph::in_order(std::vector<int> nodes) const {
  std::sort(nodes.begin(), nodes.end());
  std::unordered_map<int, int> num_missing;  // inputs that other nodes of the list compute
  std::unordered_map<int, std::vector<int>> users;
  for (const int index : nodes) num_missing[index] = 0;
  for (const int index : nodes) {
    for (const std::string& input : node(index).input) {
      const int source = producer(input);
      if (num_missing.count(source) == 0) continue;
      ++num_missing[index];
      users[source].push_back(index);
    }
  }
  std::set<int> ready;
  for (const int index : nodes) {
    if (num_missing[index] == 0) ready.insert(index);
  }
  std::vector<int> ordered;
  while (!ready.empty()) {
    ordered.push_back(*ready.begin());
    ready.erase(ready.begin());
    for (const int user : users[ordered.back()]) {
      if (--num_missing[user] == 0) ready.insert(user);
    }
  }
  // What is left needs its own result.
  std::ranges::copy_if(nodes, std::back_inserter(ordered),
                       [&](int index) { return num_missing[index] > 0; });
  return ordered;
}

std::vector<OnnxGraph::Output> OnnxGraph::used_outputs(
    const std::vector<std::string>& names) const {
  const std::set<std::string_view> wanted(names.begin(), names.end());
  std::vector<Output> outputs = this->outputs(names);
  std::erase_if(outputs, [&](const Output& output) {
    return !output.unusable.empty() || (!names.empty() && !wanted.contains(output.name));
  });
  return outputs;
}

std::vector<const onnx::ValueInfo*> OnnxGraph::inputs_for(
    const std::vector<std::string>& names) const {
  std::set<std::string_view> read;
  std::vector<bool> visited(graph_.node.size(), false);
  for (const Output& output : used_outputs(names)) {
    if (producer(output.value) < 0) {
      if (const onnx::ValueInfo* const given = input(output.value)) read.insert(given->name);
    }
    for (const int index : nodes_for(output.value, visited)) {
      read.insert(node(index).input.begin(), node(index).input.end());
    }
  }
  std::vector<const onnx::ValueInfo*> inputs;
  for (const onnx::ValueInfo& input : graph_.input) {
    const bool is_given = initializer(input.name) == nullptr && producer(input.name) < 0;
    if (is_given && read.count(input.name) != 0) inputs.push_back(&input);
  }
  return inputs;
}

}  // namespace tilewright

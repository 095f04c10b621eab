#include "onnx/onnx_graph.hpp"

#include <algorithm>

#include "onnx/onnx_tensors.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// An output without a declared type is accepted.
bool may_be_float(const onnx::ValueInfo& output) {
  const onnx::Type& type = output.type;
  if (!type.tensor_type) {
    return !type.sequence_type && !type.map_type && !type.opaque_type && !type.sparse_tensor_type &&
           !type.optional_type;
  }
  return element_type(output) == onnx::kUndefined || is_read_as_floats(element_type(output));
}

// Classifiers compute labels: integers or strings.
bool is_label(const onnx::ValueInfo& output) {
  return is_integer_type(element_type(output)) || element_type(output) == onnx::kString;
}

std::string list_names(const std::vector<onnx::ValueInfo>& values) {
  constexpr std::size_t kMaxShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMaxShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(values[i].name));
  }
  return values.size() > kMaxShown ? text + ", ..." : text;
}

}  // namespace

int element_type(const onnx::ValueInfo& value) {
  return value.type.tensor_type ? value.type.tensor_type->elem_type : onnx::kUndefined;
}

const std::vector<onnx::Dimension>* dimensions(const onnx::ValueInfo& value) {
  const std::optional<onnx::TensorType>& type = value.type.tensor_type;
  return type && type->shape ? &type->shape->dim : nullptr;
}

OnnxGraph::OnnxGraph(const onnx::Graph& graph, ModelPlace file, std::vector<std::string> places)
    : graph_(graph), file_(std::move(file)), places_(std::move(places)) {
  for (const onnx::Tensor& tensor : graph_.initializer) {
    initializers_.emplace(tensor.name, &tensor);
  }
  for (const onnx::ValueInfo& input : graph_.input) inputs_.emplace(input.name, &input);
  for (int i = 0; std::cmp_less(i, graph_.node.size()); ++i) {
    for (const std::string& output : node(i).output) {
      if (output.empty()) continue;
      if (!producers_.emplace(output, i).second) {
        node_place(i).fail(
            fmt::format("computes {}, which an earlier node computes", in_quotes(output)));
      }
    }
  }
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

std::vector<OnnxGraph::Output> OnnxGraph::outputs() const {
  std::vector<Output> outputs;
  for (const onnx::ValueInfo& proto : graph_.output) {
    Output output{proto.name, proto.name, ""};
    const int producer = this->producer(output.name);
    if (producer >= 0 && node(producer).op_type == "ZipMap" && node(producer).input.size() == 1) {
      output.value = node(producer).input[0];
    } else if (!may_be_float(proto)) {
      output.unusable = is_label(proto)
                            ? "is not a float matrix. The label of a classifier is the column of "
                              "its largest probability"
                            : "is not a float matrix";
    }
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::string OnnxGraph::text_of_outputs() const {
  return graph_.output.empty() ? "none" : list_names(graph_.output);
}

std::vector<int> OnnxGraph::nodes_for(const std::string& value) const {
  std::vector<bool> needed(graph_.node.size(), false);
  std::vector<int> open;
  const auto need = [&](const std::string& name) {
    const int node = initializer(name) != nullptr ? -1 : producer(name);
    if (node < 0 || needed[static_cast<std::size_t>(node)]) return;
    needed[static_cast<std::size_t>(node)] = true;
    open.push_back(node);
  };
  need(value);
  while (!open.empty()) {
    const onnx::Node& needing = node(open.back());
    open.pop_back();
    for (const std::string& input : needing.input) need(input);
  }
  std::vector<int> nodes;
  for (int i = 0; std::cmp_less(i, needed.size()); ++i) {
    if (needed[static_cast<std::size_t>(i)]) nodes.push_back(i);
  }
  return nodes;
}

}  // namespace tilewright

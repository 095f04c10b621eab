#include "onnx/onnx_graph.hpp"

#include <algorithm>

#include "onnx/onnx_tensors.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

// An output without a declared type is accepted.
bool may_be_float(const onnx::ValueInfoProto& output) {
  if (!output.has_type() || output.type().value_case() == onnx::TypeProto::VALUE_NOT_SET) {
    return true;
  }
  const int type = output.type().tensor_type().elem_type();
  return output.type().has_tensor_type() &&
         (type == onnx::TensorProto::UNDEFINED || is_read_as_floats(type));
}

// Classifiers compute labels: integers or strings.
bool is_label(const onnx::ValueInfoProto& output) {
  const int type = output.type().tensor_type().elem_type();
  return output.type().has_tensor_type() &&
         (is_integer_type(type) || type == onnx::TensorProto::STRING);
}

std::string list_names(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  constexpr int kMaxShown = 8;
  std::string text;
  for (int i = 0; i < std::min(values.size(), kMaxShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(values[i].name()));
  }
  return values.size() > kMaxShown ? text + ", ..." : text;
}

}  // namespace

OnnxGraph::OnnxGraph(const onnx::GraphProto& graph, ModelPlace file,
                     std::vector<std::string> places)
    : graph_(graph), file_(std::move(file)), places_(std::move(places)) {
  for (const onnx::TensorProto& tensor : graph_.initializer()) {
    initializers_.emplace(tensor.name(), &tensor);
  }
  for (const onnx::ValueInfoProto& input : graph_.input()) inputs_.emplace(input.name(), &input);
  for (int i = 0; i < graph_.node_size(); ++i) {
    for (const std::string& output : graph_.node(i).output()) {
      if (output.empty()) continue;
      if (!producers_.emplace(output, i).second) {
        node_place(i).fail(
            fmt::format("computes {}, which an earlier node computes", in_quotes(output)));
      }
    }
  }
}

const onnx::TensorProto* OnnxGraph::initializer(std::string_view value) const {
  const auto found = initializers_.find(value);
  return found == initializers_.end() ? nullptr : found->second;
}

const onnx::ValueInfoProto* OnnxGraph::input(std::string_view value) const {
  const auto found = inputs_.find(value);
  return found == inputs_.end() ? nullptr : found->second;
}

int OnnxGraph::producer(std::string_view value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}

std::vector<OnnxGraph::Output> OnnxGraph::outputs() const {
  std::vector<Output> outputs;
  for (const onnx::ValueInfoProto& proto : graph_.output()) {
    Output output{proto.name(), proto.name(), ""};
    const int node = producer(output.name);
    if (node >= 0 && graph_.node(node).op_type() == "ZipMap" &&
        graph_.node(node).input_size() == 1) {
      output.value = graph_.node(node).input(0);
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
  return graph_.output_size() == 0 ? "none" : list_names(graph_.output());
}

std::vector<int> OnnxGraph::nodes_for(const std::string& value) const {
  std::vector<bool> needed(static_cast<std::size_t>(graph_.node_size()), false);
  std::vector<int> open;
  const auto need = [&](const std::string& name) {
    const int node = initializer(name) != nullptr ? -1 : producer(name);
    if (node < 0 || needed[static_cast<std::size_t>(node)]) return;
    needed[static_cast<std::size_t>(node)] = true;
    open.push_back(node);
  };
  need(value);
  while (!open.empty()) {
    const onnx::NodeProto& node = graph_.node(open.back());
    open.pop_back();
    for (const std::string& input : node.input()) need(input);
  }
  std::vector<int> nodes;
  for (int i = 0; i < graph_.node_size(); ++i) {
    if (needed[static_cast<std::size_t>(i)]) nodes.push_back(i);
  }
  return nodes;
}

}  // namespace tilewright

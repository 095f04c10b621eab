#include "onnx_graph.hpp"

#include <algorithm>

#include "onnx_tensors.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

bool is_float(const onnx::ValueInfoProto& output) {
  if (!output.type().has_tensor_type()) return false;
  const onnx::TypeProto::Tensor& tensor = output.type().tensor_type();
  return is_read_as_floats(tensor.elem_type());
}

// May it be batch x outputs floats? An output without a shape may be anything.
bool may_be_float_matrix(const onnx::ValueInfoProto& output) {
  const onnx::TypeProto::Tensor& tensor = output.type().tensor_type();
  return is_float(output) && (!tensor.has_shape() || tensor.shape().dim_size() == 2);
}

// May it be that but for dimensions of one element, such as one float a sample, without columns?
bool may_be_float_rows(const onnx::ValueInfoProto& output) {
  const auto& dimensions = output.type().tensor_type().shape().dim();
  return is_float(output) && std::count_if(dimensions.begin(), dimensions.end(),
                                           [](const auto& d) { return d.dim_value() != 1; }) <= 2;
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

OnnxGraph::OnnxGraph(const onnx::GraphProto& graph, ModelPlace file)
    : graph_(graph), file_(std::move(file)) {
  for (const onnx::TensorProto& tensor : graph_.initializer()) {
    initializers_.emplace(tensor.name(), &tensor);
  }
  for (const onnx::ValueInfoProto& input : graph_.input()) inputs_.emplace(input.name(), &input);
  for (int i = 0; i < graph_.node_size(); ++i) {
    for (const std::string& output : graph_.node(i).output()) {
      if (output.empty()) continue;
      if (!producers_.emplace(output, i).second) {
        node_place(i).fail(
            fmt::format("gives {}, which a node before it gives", in_quotes(output)));
      }
    }
  }
}

ModelPlace OnnxGraph::node_place(int node) const {
  const onnx::NodeProto& proto = graph_.node(node);
  const std::string_view op = std::string_view(proto.op_type()).substr(0, 80);
  const std::string name = proto.name().empty() ? "" : fmt::format(" {}", in_quotes(proto.name()));
  return file_.in(
      fmt::format("node {} of {} ({}{})", node + 1, graph_.node_size(), printable(op), name));
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

std::string OnnxGraph::net_output() const {
  std::vector<std::string> matrices;
  std::vector<std::string> zipped;
  std::vector<std::string> others;
  for (const onnx::ValueInfoProto& output : graph_.output()) {
    if (may_be_float_matrix(output)) matrices.push_back(output.name());
    if (may_be_float_rows(output)) others.push_back(output.name());
    const int node = producer(output.name());
    if (node >= 0 && graph_.node(node).op_type() == "ZipMap" && graph_.node(node).input_size() == 1)
      zipped.push_back(graph_.node(node).input(0));
  }
  const std::vector<std::string>& candidates = !matrices.empty() ? matrices
                                               : !zipped.empty() ? zipped
                                                                 : others;
  if (candidates.size() == 1) return candidates.front();
  if (candidates.empty()) {
    file_.fail(fmt::format("no output of the graph is a float matrix (batch x outputs); it has {}",
                           graph_.output_size() == 0 ? "none" : list_names(graph_.output())));
  }
  file_.fail(
      fmt::format("{} outputs of the graph are float matrices ({} and {} are); a net has one",
                  candidates.size(), in_quotes(candidates[0]), in_quotes(candidates[1])));
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

#include "onnx/onnx_functions.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxNodes = 100'000;

std::string node_place(const onnx::Node& node, std::size_t index, std::size_t count) {
  const std::string_view op = std::string_view(node.op_type).substr(0, 80);
  const std::string name = node.name.empty() ? "" : fmt::format(" {}", in_quotes(node.name));
  return fmt::format("node {} of {} ({}{})", index + 1, count, printable(op), name);
}

class Inlining {
 public:
  Inlining(const onnx::Model& model, const ModelPlace& file) : file_(file) {
    for (const onnx::Function& function : model.functions) {
      functions_[{function.domain, function.name}] = &function;
    }
    for (const onnx::Node& node : model.graph->node) {
      for (const std::string& name : node.input) avoid(name);
      for (const std::string& name : node.output) avoid(name);
    }
  }

  // Appends the node, or the nodes of the function that it calls. `names`: the names that values
  // inside the function have outside.
  using Names = std::map<std::string, std::string>;
  void add(const onnx::Node& node, const std::string& place, int depth) {
    const auto found = functions_.find({node.domain, node.op_type});
    if (found == functions_.end()) {
      if (nodes_.size() == kMaxNodes) file_.fail("its functions expand to too many nodes");
      nodes_.push_back(node);
      places_.push_back(place);
      return;
    }
    if (depth == kMaxDepth || calls_ == kMaxNodes) {
      file_.in(place).fail("calls functions recursively, or too many of them");
    }
    add_function(*found->second, node, place, depth);
  }

  std::vector<onnx::Node> take_nodes() { return std::move(nodes_); }
  std::vector<std::string> take_places() { return std::move(places_); }

 private:
  void add_function(const onnx::Function& function, const onnx::Node& call,
                    const std::string& place, int depth) {
    Names names;
    for (std::size_t i = 0; i < function.input.size(); ++i) {
      names[function.input[i]] = i < call.input.size() ? call.input[i] : "";
    }
    for (std::size_t i = 0; i < function.output.size() && i < call.output.size(); ++i) {
      if (!call.output[i].empty()) names[function.output[i]] = call.output[i];
    }
    const std::string prefix = fmt::format("{}{}/", prefix_, ++calls_);
    const auto outer = [&](const std::string& name) {
      if (name.empty()) return name;
      return names.emplace(name, prefix + name).first->second;
    };
    for (onnx::Node node : function.node) {
      for (std::string& name : node.input) name = outer(name);
      for (std::string& name : node.output) name = outer(name);
      replace_references(node, call, function);
      add(node, fmt::format("{}, {}", place, printable(node.op_type)), depth + 1);
    }
  }

  // Values inside functions have a prefix that no value of the graph has.
  void avoid(const std::string& name) {
    while (name.starts_with(prefix_)) prefix_ += "_";
  }

  // Attributes that refer to an attribute of the calling node, which may have a default.
  static void replace_references(onnx::Node& node, const onnx::Node& call,
                                 const onnx::Function& function) {
    std::vector<onnx::Attribute> attributes;
    for (const onnx::Attribute& own : node.attribute) {
      if (own.ref_attr_name.empty()) {
        attributes.push_back(own);
        continue;
      }
      const onnx::Attribute* given = find(call.attribute, own.ref_attr_name);
      if (given == nullptr) given = find(function.attribute_proto, own.ref_attr_name);
      if (given == nullptr) continue;  // the default of the operation applies
      attributes.push_back(*given);
      attributes.back().name = own.name;
    }
    node.attribute = std::move(attributes);
  }

  static const onnx::Attribute* find(const std::vector<onnx::Attribute>& attributes,
                                     const std::string& name) {
    for (const onnx::Attribute& attribute : attributes) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }

  const ModelPlace& file_;
  std::map<std::pair<std::string, std::string>, const onnx::Function*> functions_;
  std::vector<onnx::Node> nodes_;
  std::vector<std::string> places_;
  std::string prefix_ = "function";
  int calls_ = 0;
};

}  // namespace

std::vector<std::string> inline_functions(onnx::Model& model, const ModelPlace& file) {
  onnx::Graph& graph = *model.graph;
  const std::size_t count = graph.node.size();
  std::vector<std::string> places;
  if (model.functions.empty()) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(node_place(graph.node[i], i, count));
    return places;
  }
  Inlining inlining(model, file);
  for (std::size_t i = 0; i < count; ++i) {
    inlining.add(graph.node[i], node_place(graph.node[i], i, count), 0);
  }
  graph.node = inlining.take_nodes();
  return inlining.take_places();
}

}  // namespace tilewright

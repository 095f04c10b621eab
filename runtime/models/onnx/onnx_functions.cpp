#include "onnx/onnx_functions.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
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
  const auto output = std::find_if(node.output.begin(), node.output.end(),
                                   [](const std::string& name) { return !name.empty(); });
  const std::string name = !node.name.empty() ? fmt::format(" {}", in_quotes(node.name))
                           : output == node.output.end()
                               ? ""
                               : fmt::format(", output {}", in_quotes(*output));
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
    for (const onnx::Tensor& tensor : model.graph->initializer) avoid(tensor.name);
    for (const onnx::ValueInfo& input : model.graph->input) avoid(input.name);
    for (const onnx::ValueInfo& output : model.graph->output) avoid(output.name);
  }

  // A node of the graph, or the nodes of the function that it calls.
  struct Part {
    std::vector<onnx::Node> nodes;
    std::vector<std::string> places;
    std::optional<ModelError> error = std::nullopt;  // then the node is not inlined
  };
  Part inlined(const onnx::Node& node, const std::string& place) {
    if (functions_.find({node.domain, node.op_type}) == functions_.end()) return {{node}, {place}};
    try {
      part_ = {};
      add(node, place, 0);
      return std::move(part_);
    } catch (const ModelError& error) {
      return {{node}, {place}, error};
    }
  }

 private:
  // Appends the node, or the nodes of the function that it calls.
  void add(const onnx::Node& node, const std::string& place, int depth) {
    const auto found = functions_.find({node.domain, node.op_type});
    if (found == functions_.end()) {
      if (++num_nodes_ > kMaxNodes) {
        file_.in(place).fail("calls functions that expand to too many nodes; inline them");
      }
      part_.nodes.push_back(node);
      part_.places.push_back(place);
      return;
    }
    if (depth == kMaxDepth || calls_ == kMaxNodes) {
      file_.in(place).fail("calls functions recursively, or too many of them; inline them");
    }
    add_function(*found->second, node, place, depth);
  }

  // The names that values inside the function have outside.
  using Names = std::map<std::string, std::string>;
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
  Part part_;  // of the node that is being inlined
  int num_nodes_ = 0;
  std::string prefix_ = "function";
  int calls_ = 0;
};

}  // namespace

InlinedNodes inline_functions(onnx::Model& model, const ModelPlace& file,
                              const std::vector<std::string>& names) {
  onnx::Graph& graph = *model.graph;
  const std::size_t count = graph.node.size();
  InlinedNodes result;
  for (std::size_t i = 0; i < count; ++i) {
    result.places.push_back(node_place(graph.node[i], i, count));
  }
  if (model.functions.empty()) return result;
  std::vector<int> needed;
  {
    const OnnxGraph calls(graph, file, result.places);
    needed = calls.needed_nodes(names);
  }
  std::vector<Inlining::Part> parts(count);
  for (std::size_t i = 0; i < count; ++i) parts[i] = {{graph.node[i]}, {result.places[i]}};
  Inlining inlining(model, file);
  for (const int index : needed) {
    const auto i = static_cast<std::size_t>(index);
    parts[i] = inlining.inlined(graph.node[i], result.places[i]);
  }
  std::vector<onnx::Node> nodes;
  std::vector<std::string> places;
  for (Inlining::Part& part : parts) {
    if (part.error) result.errors.emplace(static_cast<int>(nodes.size()), *part.error);
    std::move(part.nodes.begin(), part.nodes.end(), std::back_inserter(nodes));
    std::move(part.places.begin(), part.places.end(), std::back_inserter(places));
  }
  graph.node = std::move(nodes);
  result.places = std::move(places);
  return result;
}

}  // namespace tilewright

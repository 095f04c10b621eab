#include "onnx/onnx_functions.hpp"

#include <google/protobuf/unknown_field_set.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxNodes = 100'000;

std::string node_place(const onnx::NodeProto& node, int index, int count) {
  const std::string_view op = std::string_view(node.op_type()).substr(0, 80);
  const std::string name = node.name().empty() ? "" : fmt::format(" {}", in_quotes(node.name()));
  return fmt::format("node {} of {} ({}{})", index + 1, count, printable(op), name);
}

// Returns the attributes of a function that have a default. Older versions of the ONNX library do
// not know their field.
template <class Function>
std::vector<onnx::AttributeProto> default_attributes(const Function& function) {
  if constexpr (requires { function.attribute_proto(); }) {
    return {function.attribute_proto().begin(), function.attribute_proto().end()};
  } else {
    constexpr int kAttributeProto = 11;
    std::vector<onnx::AttributeProto> attributes;
    const auto& unknown = function.GetReflection()->GetUnknownFields(function);
    for (int i = 0; i < unknown.field_count(); ++i) {
      const auto& field = unknown.field(i);
      if (field.number() != kAttributeProto ||
          field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
        continue;
      }
      onnx::AttributeProto attribute;
      if (attribute.ParseFromString(field.length_delimited())) attributes.push_back(attribute);
    }
    return attributes;
  }
}

class Inlining {
 public:
  Inlining(const onnx::ModelProto& model, const ModelPlace& file) : file_(file) {
    for (const onnx::FunctionProto& function : model.functions()) {
      functions_[{function.domain(), function.name()}] = &function;
    }
    for (const onnx::NodeProto& node : model.graph().node()) {
      for (const std::string& name : node.input()) avoid(name);
      for (const std::string& name : node.output()) avoid(name);
    }
  }

  // Appends the node, or the nodes of the function that it calls. `names`: the names that values
  // inside the function have outside.
  using Names = std::map<std::string, std::string>;
  void add(const onnx::NodeProto& node, const std::string& place, int depth) {
    const auto found = functions_.find({node.domain(), node.op_type()});
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

  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes() const {
    return {nodes_.begin(), nodes_.end()};
  }
  std::vector<std::string> places() const { return places_; }

 private:
  void add_function(const onnx::FunctionProto& function, const onnx::NodeProto& call,
                    const std::string& place, int depth) {
    Names names;
    for (int i = 0; i < function.input_size(); ++i) {
      names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
    }
    for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
      if (!call.output(i).empty()) names[function.output(i)] = call.output(i);
    }
    const std::string prefix = fmt::format("{}{}/", prefix_, ++calls_);
    const auto outer = [&](const std::string& name) {
      if (name.empty()) return name;
      return names.emplace(name, prefix + name).first->second;
    };
    for (onnx::NodeProto node : function.node()) {
      for (std::string& name : *node.mutable_input()) name = outer(name);
      for (std::string& name : *node.mutable_output()) name = outer(name);
      replace_references(node, call, function);
      add(node, fmt::format("{}, {}", place, printable(node.op_type())), depth + 1);
    }
  }

  // Values inside functions have a prefix that no value of the graph has.
  void avoid(const std::string& name) {
    while (name.starts_with(prefix_)) prefix_ += "_";
  }

  // Attributes that refer to an attribute of the calling node, which may have a default.
  static void replace_references(onnx::NodeProto& node, const onnx::NodeProto& call,
                                 const onnx::FunctionProto& function) {
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    for (const onnx::AttributeProto& own : node.attribute()) {
      if (own.ref_attr_name().empty()) {
        *attributes.Add() = own;
        continue;
      }
      const onnx::AttributeProto* given = find(call.attribute(), own.ref_attr_name());
      const std::vector<onnx::AttributeProto> defaults = default_attributes(function);
      if (given == nullptr) given = find(defaults, own.ref_attr_name());
      if (given == nullptr) continue;  // the default of the operation applies
      onnx::AttributeProto& named = *attributes.Add();
      named = *given;
      named.set_name(own.name());
    }
    *node.mutable_attribute() = attributes;
  }

  template <class Attributes>
  static const onnx::AttributeProto* find(const Attributes& attributes, const std::string& name) {
    for (const onnx::AttributeProto& attribute : attributes) {
      if (attribute.name() == name) return &attribute;
    }
    return nullptr;
  }

  const ModelPlace& file_;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  std::vector<onnx::NodeProto> nodes_;
  std::vector<std::string> places_;
  std::string prefix_ = "function";
  int calls_ = 0;
};

}  // namespace

std::vector<std::string> inline_functions(onnx::ModelProto& model, const ModelPlace& file) {
  onnx::GraphProto& graph = *model.mutable_graph();
  const int count = graph.node_size();
  std::vector<std::string> places;
  if (model.functions_size() == 0) {
    for (int i = 0; i < count; ++i) places.push_back(node_place(graph.node(i), i, count));
    return places;
  }
  Inlining inlining(model, file);
  for (int i = 0; i < count; ++i) {
    inlining.add(graph.node(i), node_place(graph.node(i), i, count), 0);
  }
  *graph.mutable_node() = inlining.nodes();
  return inlining.places();
}

}  // namespace tilewright

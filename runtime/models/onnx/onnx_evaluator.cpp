#include "onnx/onnx_evaluator.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_operators.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {
namespace {

// Returns the domain with a point; empty for that of ONNX itself, which has two names.
std::string domain_prefix(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx" ? "" : domain + ".";
}

OnnxValue file_constant(const onnx::Tensor& tensor) {
  OnnxValue value{tensor.data_type, tensor.dims};
  value.tensor = &tensor;
  return value;
}

// The node of a function with the attributes of the calling node that it refers to, which may have
// a default.
onnx::Node with_attributes(const onnx::Node& inner, const onnx::Node& call,
                           const onnx::Function& function) {
  onnx::Node node = inner;
  node.attribute.clear();
  for (const onnx::Attribute& own : inner.attribute) {
    const onnx::Attribute* given = &own;
    if (!own.ref_attr_name.empty()) {
      given = find_attribute(call.attribute, own.ref_attr_name);
      if (given == nullptr) given = find_attribute(function.attribute_proto, own.ref_attr_name);
      if (given == nullptr) continue;  // the default of the operation applies
    }
    node.attribute.push_back(*given);
    node.attribute.back().name = own.name;
  }
  return node;
}

}  // namespace

OnnxEvaluator::OnnxEvaluator(const onnx::Model& model, const OnnxGraph& graph,
                             const ModelPlace& file, std::uint64_t file_bytes,
                             std::optional<std::int64_t> batch,
                             const std::vector<std::string>& outputs)
    : graph_(graph),
      file_(file),
      has_batch_(batch.has_value()),
      used_outputs_(outputs),
      evaluation_{ConstantBudget(file_bytes), batch.value_or(kUnknown)},
      visited_(graph.proto().node.size(), false) {
  graph_values_.is_graph = true;
  for (const onnx::OperatorSet& set : model.opset_import) {
    operator_sets_.emplace(domain_prefix(set.domain), static_cast<int>(set.version));
  }
  for (const onnx::Function& function : model.functions) {
    functions_[{function.domain, function.name}] = &function;
  }
}

// Evaluates the nodes of the graph that a value depends on.
void OnnxEvaluator::evaluate_for(const std::string& value) {
  Scope* const reading = std::exchange(scope_, &graph_values_);
  const int node = current_node_;
  const int depth = std::exchange(depth_, 0);
  ++num_waiting_;
  for (const int index : graph_.nodes_for(value, visited_)) {
    current_node_ = index;
    evaluate(graph_.node(index), graph_.node_place(index), graph_.error(index));
    layer_nodes_.resize(evaluation_.layers.size(), index);
  }
  --num_waiting_;
  depth_ = depth;
  scope_ = reading;
  current_node_ = node;
}

// Evaluates a node. If that fails, its outputs have an error: the first one among those of its
// inputs, or its own. `known`: what is wrong with the node.
void OnnxEvaluator::evaluate(const onnx::Node& node, const ModelPlace& place,
                             const ModelError* known) {
  std::shared_ptr<const NodeError> first;
  for (const std::string& input : node.input) {
    const auto error = find_error(input);
    if (error != nullptr && (first == nullptr || error->node < first->node)) first = error;
  }
  if (first == nullptr) {
    try {
      if (known != nullptr) throw ModelError(*known);
      run(node, place);
      return;
    } catch (const ModelError& error) {
      first = std::make_shared<const NodeError>(NodeError{current_node_, error});
    }
  }
  for (const std::string& output : node.output) scope_->errors.emplace(output, first);
}

void OnnxEvaluator::run(const onnx::Node& node, const ModelPlace& place) {
  if (node.output.empty()) place.fail("has no output; remove the node");
  if (const auto found = functions_.find({node.domain, node.op_type}); found != functions_.end()) {
    return call(*found->second, node, place);
  }
  const std::string prefix = domain_prefix(node.domain);
  const std::string name = prefix + node.op_type;
  const auto version = operator_sets_.find(prefix);
  const auto* const found = find_operator(
      name, version == operator_sets_.end() ? std::numeric_limits<int>::max() : version->second);
  std::vector<const OnnxValue*> inputs;
  for (const std::string& input : node.input) {
    inputs.push_back(input.empty() ? nullptr : &look_up(input, place));
    if (inputs.back() != nullptr && found != nullptr &&
        std::cmp_greater(inputs.size(), found->max_inputs)) {
      place.fail(fmt::format(
          "has an input {}, but {} has at most {} in this operator set; export with a later one",
          inputs.size(), in_quotes(name), found->max_inputs));
    }
  }
  if (name == "If") return take_branch(node, place, std::move(inputs));
  if (found == nullptr) {
    place.fail(fmt::format(
        "operation {} is not supported. Networks consist of fully connected layers, operations on "
        "elements and on rows, and selections of columns (docs/models.md in the sources lists "
        "them); run this part of the graph with another library",
        in_quotes(name)));
  }
  OnnxNode operation(evaluation_, node, place, std::move(inputs));
  const std::size_t num_layers = evaluation_.layers.size();
  operation.define(0, evaluate_operator(*found, operation));
  if (evaluation_.layers.size() > num_layers) {
    std::visit([&](auto& layer) { layer.name = node.name; }, evaluation_.layers.back());
  }
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    auto& result = operation.results()[i];
    if (result) define(*scope_, node.output[i], std::move(*result), place);
  }
}

void OnnxEvaluator::define(Scope& scope, const std::string& name, OnnxValue value,
                           const ModelPlace& place) {
  // Other libraries have at most 64. A small file could ask for many values of many dimensions.
  constexpr std::size_t kMaxDimensions = 64;
  if (value.extents.size() > kMaxDimensions) {
    place.fail(fmt::format("computes a value of {} dimensions; at most {} are supported",
                           value.extents.size(), kMaxDimensions));
  }
  if (name.empty() || scope.values.emplace(name, std::move(value)).second) return;
  place.fail(fmt::format("computes {}, which is a value already; give each value its own name",
                         in_quotes(name)));
}

// Returns null for a value that nothing has computed.
const OnnxValue* OnnxEvaluator::find(const std::string& name) {
  const Scope* scope = scope_;
  for (; scope != nullptr; scope = scope->outer) {
    const auto found = scope->values.find(name);
    if (found != scope->values.end()) return &found->second;
    if (scope->is_graph) break;
  }
  if (scope == nullptr) return nullptr;  // in a function
  if (const onnx::Tensor* tensor = graph_.initializer(name)) {
    return &graph_values_.values.emplace(name, file_constant(*tensor)).first->second;
  }
  if (const onnx::ValueInfo* input = graph_.input(name)) {
    return &graph_values_.values.emplace(name, begin_input(*input)).first->second;
  }
  const int source = graph_.producer(name);
  if (source < 0 || visited_[static_cast<std::size_t>(source)]) return nullptr;
  evaluate_for(name);  // a branch reads it
  const auto found = graph_values_.values.find(name);
  return found == graph_values_.values.end() ? nullptr : &found->second;
}

// Returns null for a value without an error. A name that two values have is one with an error.
std::shared_ptr<const OnnxEvaluator::NodeError> OnnxEvaluator::find_error(const std::string& name) {
  if (name.empty()) return nullptr;
  find(name);  // evaluates what a branch reads
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    const auto found = scope->errors.find(name);
    if (found != scope->errors.end()) return found->second;
    if (scope->values.contains(name)) return nullptr;
  }
  return nullptr;
}

const OnnxValue& OnnxEvaluator::look_up(const std::string& name, const ModelPlace& place) {
  if (const auto error = find_error(name)) throw ModelError(error->error);
  if (const OnnxValue* found = find(name)) return *found;
  const int source = graph_.producer(name);
  if (source < 0) place.fail(fmt::format("reads {}, which nothing computes", in_quotes(name)));
  const bool is_evaluated = std::ranges::any_of(
      graph_.node(source).output,
      [&](const std::string& output) { return graph_values_.values.contains(output); });
  place.fail(fmt::format("reads {}, which {}", in_quotes(name),
                         is_evaluated ? fmt::format("is an output of {} that is not computed here",
                                                    graph_.node_place(source).place)
                                      : "depends on its own result"));
}

OnnxValue OnnxEvaluator::begin_input(const onnx::ValueInfo& input) {
  TensorExtents extents;
  if (const std::vector<onnx::Dimension>* const shape = dimensions(input)) {
    for (const onnx::Dimension& dimension : *shape) {
      const bool is_batch = extents.empty() && has_batch_;
      extents.push_back(is_batch ? kBatch : std::max(dimension.dim_value, kUnknown));
    }
  } else {
    extents = {kBatch, kUnknown};
  }
  inputs_.push_back({input.name, columns(extents).value_or(0)});
  evaluation_.budget.add_columns(static_cast<std::uint64_t>(inputs_.back().columns));
  const int type = element_type(input);
  return {type == onnx::kUndefined ? int{onnx::kFloat} : type, std::move(extents),
          kFirstInput - static_cast<NetworkValue>(inputs_.size() - 1)};
}

// Fails if a function or branch would be too deep inside of others, or too large together with all
// before it. `reason`: the text of the error, for either.
void OnnxEvaluator::begin_body(const std::vector<onnx::Node>& nodes, std::size_t num_inputs,
                               const ModelPlace& place, const char* reason) {
  constexpr int kMaxDepth = 32;
  constexpr std::uint64_t kMaxSize = 400'000;
  if (body_size_ <= kMaxSize) {
    body_size_ += 1 + num_inputs;
    for (const onnx::Node& node : nodes) body_size_ += 1 + node.input.size();
  }
  if (depth_ < kMaxDepth && body_size_ <= kMaxSize) return;
  body_size_ = kMaxSize + 1;
  place.fail(reason);
}

// Evaluates the nodes of a function or branch in a scope of its own. `results`: the names that the
// outputs of `node` have there.
void OnnxEvaluator::evaluate_body(Scope scope, const std::vector<onnx::Node>& nodes,
                                  const std::vector<std::string>& results, const onnx::Node& node,
                                  const ModelPlace& place, const char* kind) {
  Scope* const outside = std::exchange(scope_, &scope);
  ++depth_;
  for (const onnx::Node& inner : nodes) {
    evaluate(inner, place.in(fmt::format("{} in its {}", in_quotes(inner.op_type), kind)));
  }
  for (std::size_t i = 0; i < std::min(results.size(), node.output.size()); ++i) {
    try {
      define(*outside, node.output[i], look_up(results[i], place), place);
    } catch (const ModelError& error) {
      outside->errors.emplace(node.output[i],
                              std::make_shared<const NodeError>(NodeError{current_node_, error}));
    }
  }
  --depth_;
  scope_ = outside;
}

// Exporters write functions for modules of their own (test model-local-function-linear).
void OnnxEvaluator::call(const onnx::Function& function, const onnx::Node& node,
                         const ModelPlace& place) {
  begin_body(function.node, function.input.size(), place,
             "calls functions recursively, or functions of too many nodes; inline them");
  Scope scope;
  std::set<std::string_view> omitted;
  for (std::size_t i = 0; i < function.input.size(); ++i) {
    const std::string& name = function.input[i];
    if (i < node.input.size() && !node.input[i].empty()) {
      scope.values.insert_or_assign(name, look_up(node.input[i], place));
    } else {
      omitted.insert(name);
    }
  }
  std::vector<onnx::Node> nodes;
  for (const onnx::Node& proto : function.node) {
    onnx::Node& inner = nodes.emplace_back(with_attributes(proto, node, function));
    for (std::string& input : inner.input) {
      if (omitted.contains(input)) input.clear();
    }
  }
  evaluate_body(std::move(scope), nodes, function.output, node, place, "function");
}

// Evaluates the branch of an If whose condition is known, as PyTorch writes for squeeze(dim).
void OnnxEvaluator::take_branch(const onnx::Node& node, const ModelPlace& place,
                                std::vector<const OnnxValue*> inputs) {
  constexpr std::size_t kMaxBranches = 256;
  constexpr int kMaxWaiting = 128;
  const OnnxNode operation(evaluation_, node, place, std::move(inputs));
  const ConstantTensor condition = operation.constant(0, "cond");
  operation.check_known(condition);
  if (condition.values.size() != 1) place.fail("has a condition that is not a single number");
  const onnx::Attribute* const taken =
      operation.attribute(condition.values[0] != 0.0 ? "then_branch" : "else_branch");
  if (taken == nullptr || !taken->g) place.fail("has no such branch; export it again");
  if (branches_.size() == kMaxBranches) {
    place.fail(
        fmt::format("is one of more than {} conditions; replace it by its branch", kMaxBranches));
  }
  if (num_waiting_ > kMaxWaiting) {
    place.fail(
        fmt::format("is one of more than {} conditions whose branches read each other's "
                    "results; replace it by its branch",
                    kMaxWaiting));
  }
  const onnx::Graph& branch = branches_.emplace_back(onnx::decode_graph(*taken->g, place));
  begin_body(branch.node, 0, place,
             "has branches inside of too many branches, or of too many nodes; replace the node by "
             "its branch");
  Scope scope{scope_};
  for (const onnx::Tensor& tensor : branch.initializer) {
    scope.values.emplace(tensor.name, file_constant(tensor));
  }
  std::vector<std::string> results;
  for (const onnx::ValueInfo& output : branch.output) results.push_back(output.name);
  evaluate_body(std::move(scope), branch.node, results, node, place, "branch");
}

}  // namespace tilewright

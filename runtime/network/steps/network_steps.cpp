#include "runtime/network/steps/network_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"
#include "runtime/network/steps/expression_writer.hpp"

namespace tilewright {
namespace {

// The maximal number of instructions in a kernel; it limits the size of the source.
constexpr std::size_t kMaxInstructions = 64;

struct Use {
  std::size_t layer = 0;
  std::size_t operand = 0;
};

// Layers that one kernel computes: a root, whose value is stored, and layers that only it needs.
struct Group {
  std::set<std::size_t> members;
  // The values that the kernel reads, each with the selection layer that reads it, if any.
  std::set<std::pair<NetworkValue, std::optional<std::size_t>>> sources;
};

class Lowering {
 public:
  explicit Lowering(const NetworkModel& model)
      : model_(model), inputs_(num_inputs(model)), widths_(layer_widths(model)) {
    uses_.resize(widths_.size());
    is_output_.resize(widths_.size(), false);
    std::size_t num_products = 0;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const std::vector<NetworkValue> taken = operand_values(i);
      for (std::size_t j = 0; j < taken.size(); ++j) {
        if (taken[j] >= 0) uses_[value_index(taken[j])].push_back({i, j});
      }
      num_products_before_.push_back(num_products);
      if (std::holds_alternative<AffineLayer>(model.layers[i])) ++num_products;
    }
    for (const NetworkOutput& output : numbered_outputs(model)) {
      is_output_[value_index(output.value)] = true;
      outputs_.push_back(output.value);
    }
  }

  NetworkSteps lowered();

 private:
  NetworkValue value(std::size_t layer) const { return inputs_ + static_cast<NetworkValue>(layer); }
  const OperationLayer* operation(std::size_t layer) const {
    return std::get_if<OperationLayer>(&model_.layers[layer]);
  }
  std::vector<NetworkValue> operand_values(std::size_t layer) const;
  bool is_used_once(NetworkValue value) const {
    return uses_[value_index(value)].size() == 1 && !is_output_[value_index(value)];
  }

  // Chains.
  void find_chains();
  std::vector<bool> find_chain_starts() const;
  LayerChain chain(const std::vector<std::size_t>& layers) const;

  // Groups.
  bool is_of_elements(std::size_t layer) const;
  bool is_selection(std::size_t layer) const {
    const OperationLayer* const found = operation(layer);
    return found != nullptr && found->operation == NetworkOperation::kSelect;
  }
  bool is_concat(std::size_t layer) const {
    const OperationLayer* const found = operation(layer);
    return found != nullptr && found->operation == NetworkOperation::kConcat;
  }
  void add_sources(Group& group, std::size_t layer) const;
  void find_groups();
  Group* group_of_users(std::size_t layer);
  void add_group_steps(std::size_t layer);
  void add_copies();
  void find_single_values();

  const NetworkModel& model_;
  const NetworkValue inputs_;
  const std::vector<std::int64_t> widths_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::size_t> num_products_before_;  // affine layers before each layer
  std::vector<bool> is_output_;
  std::vector<NetworkValue> outputs_;
  std::map<std::size_t, std::vector<std::size_t>> chains_;  // keyed by the last layer
  std::set<std::size_t> in_chains_;
  // Keyed by the root; for a concatenation, by the root and the operand.
  std::map<std::pair<std::size_t, std::size_t>, Group> groups_;
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> group_roots_;  // keyed by member
  NetworkSteps steps_;
};

// Returns the value of each operand of a layer; -1 for a constant.
std::vector<NetworkValue> Lowering::operand_values(std::size_t layer) const {
  const NetworkLayer& any = model_.layers[layer];
  const auto to_value_number = [&](NetworkValue value) {
    return numbered_value(model_, value, layer);
  };
  if (const auto* affine = std::get_if<AffineLayer>(&any)) return {to_value_number(affine->input)};
  if (const auto* activation = std::get_if<ActivationLayer>(&any)) {
    return {to_value_number(activation->input)};
  }
  std::vector<NetworkValue> values;
  for (const NetworkOperand& operand : std::get<OperationLayer>(any).operands) {
    values.push_back(operand.constant.empty() ? to_value_number(operand.value) : -1);
  }
  return values;
}

// An affine layer or a softmax starts a chain. So does an activation directly before one, unless
// the kernel of the operation before it can compute it, too.
std::vector<bool> Lowering::find_chain_starts() const {
  // Is the layer an operation on elements, or an activation of the result of one?
  std::vector<bool> follows_operation(model_.layers.size(), false);
  std::vector<bool> is_activation(model_.layers.size(), false);
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    const auto* activation = std::get_if<ActivationLayer>(&model_.layers[i]);
    is_activation[i] = activation != nullptr && is_elementwise(activation->activation);
    if (const OperationLayer* const found = operation(i)) {
      follows_operation[i] = is_elementwise(found->operation);
    } else if (is_activation[i]) {
      const NetworkValue from = operand_values(i).front();
      follows_operation[i] =
          from >= inputs_ && follows_operation[static_cast<std::size_t>(from - inputs_)];
    }
  }
  std::vector<bool> starts(model_.layers.size(), false);
  for (std::size_t i = starts.size(); i-- > 0;) {
    if (!is_activation[i]) {
      starts[i] = operation(i) == nullptr;
    } else if (is_used_once(value(i)) && !follows_operation[i]) {
      const std::size_t user = uses_[value_index(value(i))].front().layer;
      starts[i] = operation(user) == nullptr && starts[user];
    }
  }
  return starts;
}

void Lowering::find_chains() {
  const std::vector<bool> starts = find_chain_starts();
  std::map<NetworkValue, std::vector<std::size_t>>
      open;  // keyed by the value that the chain computes
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    if (operation(i) != nullptr) continue;
    const NetworkValue from = operand_values(i).front();
    std::vector<std::size_t> chain;
    const auto before = open.find(from);
    if (before != open.end() && is_used_once(from)) {
      chain = std::move(before->second);
      open.erase(before);
    } else if (!starts[i]) {
      continue;
    }
    chain.push_back(i);
    in_chains_.insert(i);
    open[value(i)] = std::move(chain);
  }
  for (auto& [value, chain] : open) chains_[chain.back()] = std::move(chain);
}

LayerChain Lowering::chain(const std::vector<std::size_t>& layers) const {
  LayerChain chain;
  for (const std::size_t layer : layers) {
    chain.links.push_back({&model_.layers[layer], num_products_before_[layer], value(layer)});
  }
  chain.from = operand_values(layers.front()).front();
  chain.columns = widths_[value_index(chain.from)];
  return chain;
}

bool Lowering::is_of_elements(std::size_t layer) const {
  const OperationLayer* const found = operation(layer);
  return found == nullptr ? !in_chains_.count(layer) : is_elementwise(found->operation);
}

// Adds a layer to a group, and the values that it reads to the sources of the group.
void Lowering::add_sources(Group& group, std::size_t layer) const {
  group.members.insert(layer);
  const auto selection = is_selection(layer) ? std::optional(layer) : std::nullopt;
  for (const NetworkValue taken : operand_values(layer)) {
    if (taken >= 0) group.sources.insert({taken, selection});
  }
}

// Returns the group that contains all users of the layer's value; null if there is none.
Group* Lowering::group_of_users(std::size_t layer) {
  if (is_output_[value_index(value(layer))]) return nullptr;
  std::optional<std::pair<std::size_t, std::size_t>> found;
  for (const Use& use : uses_[value_index(value(layer))]) {
    if (in_chains_.count(use.layer) || is_selection(use.layer)) return nullptr;
    const auto key =
        is_concat(use.layer) ? std::pair(use.layer, use.operand) : group_roots_.at(use.layer);
    if (found && *found != key) return nullptr;
    found = key;
  }
  return found ? &groups_.at(*found) : nullptr;
}

// Goes from the last layer to the first, so that all users of a layer are in groups already.
void Lowering::find_groups() {
  for (std::size_t i = model_.layers.size(); i-- > 0;) {
    if (in_chains_.count(i)) continue;
    if (is_concat(i)) {
      const std::vector<NetworkValue> taken = operand_values(i);
      for (std::size_t part = 0; part < taken.size(); ++part) {
        Group& group = groups_[{i, part}];
        if (taken[part] >= 0) group.sources.insert({taken[part], std::nullopt});
      }
      continue;
    }
    if (is_of_elements(i) || is_selection(i)) {
      if (Group* group = group_of_users(i)) {
        Group joined = *group;
        joined.sources.erase({value(i), std::nullopt});
        add_sources(joined, i);
        if (joined.sources.size() <= kMaxSources && joined.members.size() * 3 <= kMaxInstructions) {
          const std::size_t user = uses_[value_index(value(i))].front().layer;
          const std::size_t operand = uses_[value_index(value(i))].front().operand;
          group_roots_[i] = is_concat(user) ? std::pair(user, operand) : group_roots_.at(user);
          *group = std::move(joined);
          continue;
        }
      }
    }
    group_roots_[i] = {i, 0};
    add_sources(groups_[{i, 0}], i);
  }
}

std::string joined_names(const NetworkModel& model, const Group& group) {
  std::string names;
  for (const std::size_t layer : group.members) {
    names += (names.empty() ? "" : " + ") + display_name(model.layers[layer]);
  }
  return names;
}

// Appends the kernel steps of a layer that is the root of one or more groups.
void Lowering::add_group_steps(std::size_t layer) {
  const OperationLayer* const root = operation(layer);
  if (is_concat(layer)) {
    std::int64_t first = 0;
    for (std::size_t part = 0; part < root->operands.size(); ++part) {
      const Group& group = groups_.at({layer, part});
      KernelStep step;
      const std::string names = joined_names(model_, group);
      step.name = names.empty() ? display_name(model_.layers[layer])
                                : names + " + " + display_name(model_.layers[layer]);
      step.to = value(layer);
      step.first_column = first;
      const NetworkOperand& operand = root->operands[part];
      step.columns = operand.constant.empty() ? widths_[value_index(operand_values(layer)[part])]
                                              : static_cast<std::int64_t>(operand.constant.size());
      first += step.columns;
      ExpressionWriter(model_, widths_, group.members, step).add(operand, layer);
      steps_.steps.push_back(std::move(step));
    }
    return;
  }
  const Group& group = groups_.at({layer, 0});
  KernelStep step;
  step.name = joined_names(model_, group);
  step.to = value(layer);
  step.columns = widths_[value_index(value(layer))];
  ExpressionWriter writer(model_, widths_, group.members, step);
  if (root != nullptr && is_row_operation(root->operation)) {
    const NetworkValue from = operand_values(layer).front();
    step.terms = widths_[value_index(from)] / step.columns;
    step.combined = root->operation;
    writer.add(from);
  } else {
    writer.add(value(layer));
  }
  steps_.steps.push_back(std::move(step));
}

NetworkSteps Lowering::lowered() {
  find_chains();
  find_groups();
  steps_.widths = widths_;
  steps_.num_inputs = inputs_;
  steps_.outputs = outputs_;
  for (std::size_t i = 0; i < model_.layers.size(); ++i) {
    if (const auto layers = chains_.find(i); layers != chains_.end()) {
      for (LayerStep& step : layer_steps(chain(layers->second))) {
        steps_.steps.emplace_back(std::move(step));
      }
    } else if (is_concat(i) || (groups_.count({i, 0}) && group_roots_.at(i).first == i)) {
      add_group_steps(i);
    }
  }
  add_copies();
  find_single_values();
  return std::move(steps_);
}

// Each output of the network needs a matrix of its own. An output that is an input of the network,
// or equals an earlier output, is copied into a new value.
void Lowering::add_copies() {
  std::set<NetworkValue> taken;
  for (NetworkValue& output : steps_.outputs) {
    if (output >= inputs_ && taken.insert(output).second) continue;
    KernelStep step;
    step.name = "copy";
    step.to = static_cast<NetworkValue>(steps_.widths.size());
    step.columns = steps_.widths[value_index(output)];
    step.from.push_back({output, 0});
    ElementExpression::Instruction load;
    load.kind = ElementExpression::Kind::kLoad;
    step.expression.instructions.push_back(load);
    steps_.widths.push_back(step.columns);
    output = step.to;
    steps_.steps.emplace_back(std::move(step));
  }
}

// Matrices of the caller, and those that layers write and read, have the precision of the network.
void Lowering::find_single_values() {
  steps_.is_single.assign(steps_.widths.size(), true);
  for (NetworkValue input = 0; input < inputs_; ++input)
    steps_.is_single[value_index(input)] = false;
  for (const NetworkValue output : steps_.outputs) steps_.is_single[value_index(output)] = false;
  for (const NetworkStep& any : steps_.steps) {
    const auto* layer = std::get_if<LayerStep>(&any);
    if (layer == nullptr) continue;
    steps_.is_single[value_index(layer->from)] = false;
    steps_.is_single[value_index(layer->to)] = false;
  }
}

}  // namespace

NetworkSteps network_steps(const NetworkModel& model) {
  return Lowering(model).lowered();
}

}  // namespace tilewright

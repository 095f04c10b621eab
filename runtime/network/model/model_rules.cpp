#include "runtime/network/model/model_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "profiles/base/printable.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

// Each of these returns what is wrong, as in ModelFault::reason, or "".
std::string find_size_fault(const AffineLayer& layer) {
  const auto weights = static_cast<std::uint64_t>(layer.inputs * layer.outputs);
  if (layer.weights.size() != weights) {
    return fmt::format("has {} weights, not {} x {}", layer.weights.size(), layer.inputs,
                       layer.outputs);
  }
  if (!layer.bias.empty() && std::cmp_not_equal(layer.bias.size(), layer.outputs)) {
    return fmt::format("has {} biases for {} outputs", layer.bias.size(), layer.outputs);
  }
  return "";
}

std::string find_parameter_fault(const ActivationLayer& layer) {
  const Activation activation = layer.activation;
  if (!is_known(activation)) {
    return fmt::format("has the unknown activation {}", static_cast<int>(activation));
  }
  for (const ActivationParameter& parameter : describe_activation(activation).parameters) {
    const float value = layer.*parameter_member(parameter);
    if (!std::isfinite(value)) {
      return fmt::format("has {} {}, which is not finite", parameter.name, value);
    }
  }
  if (activation == Activation::kClip && layer.low > layer.high) {
    return fmt::format("has low {} above high {}", layer.low, layer.high);
  }
  return "";
}

// Checks the value that an affine or activation layer reads.
std::string fault_of_input(const NetworkLayer& layer, int num_values) {
  const auto* affine = std::get_if<AffineLayer>(&layer);
  const auto* activation = std::get_if<ActivationLayer>(&layer);
  const NetworkValue input = affine != nullptr       ? affine->input
                             : activation != nullptr ? activation->input
                                                     : kPreviousValue;
  if (input >= kPreviousValue && input < num_values) return "";
  return fmt::format("reads value {}, which no earlier layer computes", input);
}

std::string find_parameter_fault(const OperationLayer& layer, int num_values) {
  if (!is_known(layer.operation)) {
    return fmt::format("has the unknown operation {}", static_cast<int>(layer.operation));
  }
  const OperationDescription& described = describe_operation(layer.operation);
  const bool is_concat = described.kind == OperationDescription::Kind::kConcat;
  if (layer.operands.empty() ||
      (!is_concat && std::cmp_not_equal(layer.operands.size(), described.operands))) {
    return fmt::format("has {} operands, but {} needs {}", layer.operands.size(), described.name,
                       is_concat ? "at least one" : fmt::format("{}", described.operands));
  }
  bool has_value = false;
  for (const NetworkOperand& operand : layer.operands) {
    if (!operand.constant.empty()) {
      if (!is_elementwise(layer.operation) && !is_concat) {
        return "has a constant operand, which this operation does not support";
      }
      continue;
    }
    has_value = true;
    if (operand.value >= num_values || operand.value < kPreviousValue) {
      return fmt::format("reads value {}, which no earlier layer computes", operand.value);
    }
  }
  if (!has_value) return "has only constant operands";
  const bool has_columns = described.kind == OperationDescription::Kind::kSelect ||
                           described.kind == OperationDescription::Kind::kRows;
  if (layer.columns.empty() == has_columns) {
    return fmt::format("{} columns", has_columns ? "must list" : "must not list");
  }
  return "";
}

// Computes the number of columns of every value. If an input does not specify its columns, the
// first layer that needs a certain number determines them.
class Widths {
 public:
  explicit Widths(const NetworkModel& model) : model_(model) {
    const auto inputs = static_cast<std::size_t>(num_inputs(model));
    for (std::size_t i = 0; i < inputs; ++i) {
      inputs_.push_back(model.inputs.empty() ? 0 : model.inputs[i].columns);
      values_.push_back({inputs_.back(), static_cast<int>(i)});
    }
  }

  // Appends the number of columns of the next layer's result. Returns why the layer is invalid, or
  // "" if it is valid.
  std::string add(const AffineLayer& layer) {
    const int input = to_value_number(layer.input);
    resolve(input, layer.inputs);
    if (width(input) != layer.inputs) {
      return fmt::format("has {} inputs, but the previous layer has {} outputs", layer.inputs,
                         width(input));
    }
    values_.push_back({layer.outputs, -1});
    return "";
  }
  std::string add(const ActivationLayer& layer) {
    values_.push_back(values_[static_cast<std::size_t>(to_value_number(layer.input))]);
    return "";
  }
  std::string add(const OperationLayer& layer);

  std::int64_t width(int value) const {
    const Value& of = values_[static_cast<std::size_t>(value)];
    return of.columns != 0 ? of.columns : inputs_[static_cast<std::size_t>(of.input)];
  }
  int num_values() const { return static_cast<int>(values_.size()); }

 private:
  struct Value {
    std::int64_t columns = 0;  // 0: as many as the network input `input`
    int input = -1;
  };

  int to_value_number(NetworkValue value) const {
    return numbered_value(model_, value,
                          values_.size() - static_cast<std::size_t>(num_inputs(model_)));
  }
  // Sets the number of columns of a value, unless it is known already.
  void resolve(int value, std::int64_t columns) {
    if (width(value) != 0) return;
    inputs_[static_cast<std::size_t>(values_[static_cast<std::size_t>(value)].input)] = columns;
  }
  std::string add_elements(const OperationLayer& layer);

  const NetworkModel& model_;
  std::vector<std::int64_t> inputs_;  // columns of the inputs; 0: unknown
  std::vector<Value> values_;
};

std::string Widths::add_elements(const OperationLayer& layer) {
  std::int64_t columns = 1;
  const Value* open = nullptr;
  const auto num_columns = [&](const NetworkOperand& operand) {
    return operand.constant.empty() ? width(to_value_number(operand.value))
                                    : static_cast<std::int64_t>(operand.constant.size());
  };
  for (const NetworkOperand& operand : layer.operands) {
    columns = std::max(columns, num_columns(operand));
    if (num_columns(operand) == 0)
      open = &values_[static_cast<std::size_t>(to_value_number(operand.value))];
  }
  if (columns == 1 && open != nullptr) {
    values_.push_back(Value(*open));
    return "";
  }
  for (const NetworkOperand& operand : layer.operands) {
    if (operand.constant.empty()) resolve(to_value_number(operand.value), columns);
    const std::int64_t own = num_columns(operand);
    if (own != 1 && own != columns) {
      return fmt::format("combines {} columns with {} columns", own, columns);
    }
  }
  values_.push_back({columns, -1});
  return "";
}

std::string Widths::add(const OperationLayer& layer) {
  if (is_elementwise(layer.operation)) return add_elements(layer);
  std::int64_t columns = 0;
  for (const NetworkOperand& operand : layer.operands) {
    const std::int64_t own = operand.constant.empty()
                                 ? width(to_value_number(operand.value))
                                 : static_cast<std::int64_t>(operand.constant.size());
    if (own == 0) return "reads a value with an unknown number of columns";
    columns += own;
  }
  if (is_row_operation(layer.operation)) {
    const std::int64_t groups = layer.columns.front();
    if (layer.columns.size() != 1 || groups < 1 || columns % groups != 0) {
      return fmt::format("cannot divide {} columns into {} groups", columns, groups);
    }
    columns = groups;
  } else if (layer.operation == NetworkOperation::kSelect) {
    for (const std::int64_t column : layer.columns) {
      if (column < 0 || column >= columns) {
        return fmt::format("selects column {} of {}", column, columns);
      }
    }
    columns = static_cast<std::int64_t>(layer.columns.size());
  }
  if (columns > kMaxLayerExtent)
    return fmt::format("has a result of {} columns, which is too large", columns);
  values_.push_back({columns, -1});
  return "";
}

std::optional<ModelFault> find_input_fault(const NetworkModel& model) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const std::int64_t columns = model.inputs[i].columns;
    if (columns >= 0 && columns <= kMaxLayerExtent) continue;
    return ModelFault{"",
                      fmt::format("has {} columns in {}; the maximum is {}", columns,
                                  input_text(model, i), kMaxLayerExtent),
                      columns > 0, static_cast<NetworkValue>(i)};
  }
  return std::nullopt;
}

std::optional<ModelFault> find_unknown_input(const NetworkModel& model, const Widths& widths) {
  for (int input = 0; input < num_inputs(model); ++input) {
    if (widths.width(input) > 0) continue;
    return ModelFault{"",
                      fmt::format("has an unknown number of columns in {}; fix all extents of the "
                                  "input except the batch",
                                  input_text(model, static_cast<std::size_t>(input))),
                      false, input};
  }
  return std::nullopt;
}

// Checks a layer after the layers whose results have the given widths.
std::string find_layer_fault(const NetworkLayer& layer, const Widths& widths) {
  std::string reason;
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    reason = find_size_fault(*affine);
  } else if (const auto* activation = std::get_if<ActivationLayer>(&layer)) {
    reason = find_parameter_fault(*activation);
  } else {
    reason = find_parameter_fault(std::get<OperationLayer>(layer), widths.num_values());
  }
  return reason.empty() ? fault_of_input(layer, widths.num_values()) : reason;
}

}  // namespace

const std::string& layer_name(const NetworkLayer& layer) {
  return std::visit([](const auto& any) -> const std::string& { return any.name; }, layer);
}

std::string display_name(const NetworkLayer& layer) {
  if (!layer_name(layer).empty()) return layer_name(layer);
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    return fmt::format("affine {}x{}", affine->inputs, affine->outputs);
  }
  if (const auto* operation = std::get_if<OperationLayer>(&layer)) {
    return std::string(describe_operation(operation->operation).name);
  }
  return activation_name(std::get<ActivationLayer>(layer).activation);
}

std::string activation_name(Activation activation) {
  return std::string(describe_activation(activation).name);
}

std::string layer_place(const NetworkModel& model, std::size_t index) {
  const std::string& name = layer_name(model.layers[index]);
  return name.empty() ? fmt::format("layer {}", index + 1)
                      : fmt::format("layer {} ({})", index + 1, in_quotes(name));
}

std::string input_text(const NetworkModel& model, std::size_t index) {
  const std::string name = model.inputs.empty() ? "" : model.inputs[index].name;
  return name.empty() ? fmt::format("input {}", index + 1)
                      : fmt::format("input {} ({})", index + 1, in_quotes(name));
}

std::optional<ModelFault> find_fault(const NetworkModel& model) {
  if (auto fault = find_input_fault(model)) return fault;
  Widths widths(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto fault = [&](const std::string& reason, bool is_too_large = false) {
      return ModelFault{layer_place(model, i), reason, is_too_large,
                        num_inputs(model) + static_cast<NetworkValue>(i)};
    };
    const NetworkLayer& layer = model.layers[i];
    if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
      for (const auto& [extent, what] :
           {std::pair(affine->inputs, "inputs"), std::pair(affine->outputs, "outputs")}) {
        if (extent < 1) return fault(fmt::format("has {} {}; at least 1 is needed", extent, what));
        if (extent > kMaxLayerExtent) {
          return fault(fmt::format("has {} {}; the maximum is {}", extent, what, kMaxLayerExtent),
                       true);
        }
      }
    }
    std::string reason = find_layer_fault(layer, widths);
    if (!reason.empty()) return fault(reason);
    reason = std::visit([&](const auto& any) { return widths.add(any); }, layer);
    if (!reason.empty()) return fault(reason);
  }
  if (model.layers.empty() && model.outputs.empty()) return ModelFault{"", "has no layers"};
  if (auto fault = find_unknown_input(model, widths)) return fault;
  for (const NetworkOutput& output : numbered_outputs(model)) {
    if (output.value >= widths.num_values() || output.value < 0) {
      return ModelFault{
          "", fmt::format("has an output with value {}, which no layer computes", output.value)};
    }
  }
  return std::nullopt;
}

std::vector<std::int64_t> layer_widths(const NetworkModel& model) {
  Widths widths(model);
  for (const NetworkLayer& layer : model.layers) {
    std::visit([&](const auto& any) { widths.add(any); }, layer);
  }
  std::vector<std::int64_t> columns;
  for (int value = 0; value < widths.num_values(); ++value) {
    columns.push_back(widths.width(value));
  }
  return columns;
}

}  // namespace tilewright

#include "runtime/network/steps/expression_writer.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {

std::size_t ExpressionWriter::source(NetworkValue value, std::int64_t first_column) {
  const KernelStep::Source wanted{value, first_column};
  const auto found = std::find(step_.from.begin(), step_.from.end(), wanted);
  if (found == step_.from.end()) {
    step_.from.push_back(wanted);
    return step_.from.size() - 1;
  }
  return static_cast<std::size_t>(found - step_.from.begin());
}

std::size_t ExpressionWriter::load(NetworkValue value) {
  Instruction instruction;
  instruction.kind = ElementExpression::Kind::kLoad;
  instruction.index = source(value, 0);
  instruction.is_one_column = width(value) == 1;
  return append(std::move(instruction));
}

std::size_t ExpressionWriter::load_selected(NetworkValue value,
                                            const std::vector<std::int64_t>& columns) {
  Instruction instruction;
  instruction.kind = ElementExpression::Kind::kLoad;
  const std::int64_t first = columns.front();
  bool is_range = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    is_range = is_range && columns[i] == first + static_cast<std::int64_t>(i);
  }
  instruction.is_one_column = columns.size() == 1;
  instruction.index = source(value, is_range ? first : 0);
  if (!is_range) {
    instruction.table = static_cast<int>(step_.tables.size());
    step_.tables.emplace_back(columns.begin(), columns.end());
  }
  return append(std::move(instruction));
}

std::size_t ExpressionWriter::add(NetworkValue value) {
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  const std::size_t layer = static_cast<std::size_t>(std::max(value - num_inputs(model_), 0));
  if (value < num_inputs(model_) || !members_.count(layer)) {
    return known_[value] = load(value);
  }
  Instruction instruction;
  if (const auto* activation = std::get_if<ActivationLayer>(&model_.layers[layer])) {
    instruction.kind = ElementExpression::Kind::kActivation;
    instruction.activation = *activation;
    instruction.operands = {add(numbered_value(model_, activation->input, layer))};
    return known_[value] = append(std::move(instruction));
  }
  const auto& operation = std::get<OperationLayer>(model_.layers[layer]);
  if (operation.operation == NetworkOperation::kSelect) {
    const NetworkValue from = numbered_value(model_, operation.operands.front().value, layer);
    return known_[value] = load_selected(from, operation.columns);
  }
  instruction.kind = ElementExpression::Kind::kOperation;
  instruction.operation = operation.operation;
  for (const NetworkOperand& operand : operation.operands) {
    instruction.operands.push_back(add(operand, layer));
  }
  append(std::move(instruction));
  add_low_digits(operation);
  return known_[value] = step_.expression.instructions.size() - 1;
}

std::size_t ExpressionWriter::add(const NetworkOperand& operand, std::size_t layer) {
  if (operand.constant.empty()) return add(numbered_value(model_, operand.value, layer));
  return add_constant(operand.constant);
}

std::size_t ExpressionWriter::add_constant(const std::vector<double>& constant) {
  Instruction instruction;
  if (constant.size() == 1) {
    instruction.kind = ElementExpression::Kind::kNumber;
    instruction.number = static_cast<float>(constant.front());
  } else {
    instruction.kind = ElementExpression::Kind::kRow;
    instruction.index = step_.rows.size();
    step_.rows.emplace_back(constant.begin(), constant.end());
  }
  return append(std::move(instruction));
}

// A large constant that is added or subtracted, such as a mean of Unix times, may have more digits
// than a float. The digits that were rounded off are added to the last instruction's result, in
// which large terms have cancelled.
void ExpressionWriter::add_low_digits(const OperationLayer& operation) {
  const bool is_difference = operation.operation == NetworkOperation::kSubtract;
  if (!is_difference && operation.operation != NetworkOperation::kAdd) return;
  const std::size_t result = step_.expression.instructions.size() - 1;
  for (std::size_t i = 0; i < operation.operands.size(); ++i) {
    std::vector<double> digits = operation.operands[i].constant;
    for (double& value : digits) {
      const double low = value - static_cast<double>(static_cast<float>(value));
      value = std::isfinite(low) ? low : 0.0;
    }
    if (std::all_of(digits.begin(), digits.end(), [](double low) { return low == 0.0; })) continue;
    Instruction sum;
    sum.kind = ElementExpression::Kind::kOperation;
    sum.operation = is_difference && i == 1 ? NetworkOperation::kSubtract : NetworkOperation::kAdd;
    sum.operands = {result, add_constant(digits)};
    append(std::move(sum));
  }
}

}  // namespace tilewright

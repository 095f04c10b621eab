// Writes the expressions of kernel steps.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {

// Writes the expression that computes the layers `members` in one kernel step, and adds its sources
// and constants to the step. `widths`: the columns of all values. All arguments must outlive the
// writer.
class ExpressionWriter {
 public:
  ExpressionWriter(const NetworkModel& model, const std::vector<std::int64_t>& widths,
                   const std::set<std::size_t>& members, KernelStep& step)
      : model_(model), widths_(widths), members_(members), step_(step) {}

  // Appends instructions that compute a value or an operand. Returns the index of the last one.
  std::size_t add(NetworkValue value);
  std::size_t add(const NetworkOperand& operand, std::size_t layer);

 private:
  using Instruction = ElementExpression::Instruction;

  std::size_t append(Instruction instruction) {
    step_.expression.instructions.push_back(std::move(instruction));
    return step_.expression.instructions.size() - 1;
  }
  std::int64_t width(NetworkValue value) const { return widths_[value_index(value)]; }
  std::int64_t total() const { return step_.columns * step_.terms; }
  std::size_t add_constant(const std::vector<double>& constant);
  void add_low_digits(const OperationLayer& operation);
  std::size_t load(NetworkValue value);
  std::size_t load_selected(NetworkValue value, const std::vector<std::int64_t>& columns);
  std::size_t source(NetworkValue value, std::int64_t first_column);

  const NetworkModel& model_;
  const std::vector<std::int64_t>& widths_;
  const std::set<std::size_t>& members_;
  KernelStep& step_;
  std::map<NetworkValue, std::size_t> known_;
};

}  // namespace tilewright

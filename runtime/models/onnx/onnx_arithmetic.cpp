// The operations of a node on elements and along dimensions.
#include <algorithm>
#include <cmath>

#include "onnx/constant_numbers.hpp"
#include "onnx/onnx_node.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {

// Values of integer types are computed in float. Fails if that gives something else.
void OnnxNode::check_integers(NetworkOperation operation, const OnnxValue& operand) const {
  if (operand.is_constant() || !is_integer_type(operand.type)) return;
  switch (operation) {
    case NetworkOperation::kAdd:
    case NetworkOperation::kMultiply:
    case NetworkOperation::kNegate:
    case NetworkOperation::kSubtract:
    case NetworkOperation::kSum:
      // The results leave the range of small integers soon, and of unsigned ones below 0.
      if (is_signed(operand.type) && num_digits(operand.type) >= 31) return;
      fail(
          "computes with small or unsigned integers, which wrap around; cast its inputs to FLOAT, "
          "or to INT64, before it");
    case NetworkOperation::kAbs:
    case NetworkOperation::kSign:
    case NetworkOperation::kNot:
    case NetworkOperation::kMinimum:
    case NetworkOperation::kMaximum:
    case NetworkOperation::kGreater:
    case NetworkOperation::kGreaterOrEqual:
    case NetworkOperation::kLess:
    case NetworkOperation::kLessOrEqual:
    case NetworkOperation::kEqual:
    case NetworkOperation::kWhere:
    case NetworkOperation::kLargest:
    case NetworkOperation::kSmallest:
      return;
    default:
      check_floats(operand);
  }
}

void OnnxNode::check_floats(const OnnxValue& value) const {
  if (value.is_constant() || !is_integer_type(value.type)) return;
  fail(
      "reads integers, for which its result differs from that of floats; only nodes after a Cast "
      "to FLOAT are supported: export the network with float inputs, or with a Cast before this "
      "node");
}

// Returns the extents of the result of an element-wise operation by NumPy's rules of broadcasting.
TensorExtents OnnxNode::combined(const std::vector<OnnxValue>& operands) const {
  std::size_t rank = 0;
  for (const OnnxValue& operand : operands) rank = std::max(rank, operand.extents.size());
  TensorExtents result(rank, 1);
  // Computed values first, so that an error message contains the incompatible constant.
  for (const bool is_constant : {false, true}) {
    for (const OnnxValue& operand : operands) {
      if (operand.is_constant() != is_constant) continue;
      const TensorExtents& own = operand.extents;
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::int64_t& whole = result[rank - own.size() + i];
        const bool is_open = own[i] == kUnknown || whole == kUnknown;
        if (own[i] == whole || own[i] == 1) continue;
        if (whole == 1 || (whole == kUnknown && own[i] != kBatch)) {
          whole = own[i];
        } else if (!is_open || whole == kBatch || own[i] == kBatch) {
          if (!is_constant) {
            fail(
                "combines values whose extents cannot be broadcast; correct their extents, or "
                "insert a Reshape");
          }
          fail(fmt::format(
              "combines {}, which is {}, with a value of {}; from the last one on, its extents "
              "must be 1 or those of the value",
              value_text(operand), extents_text(own), shape_text(result)));
        }
      }
    }
  }
  if (std::count(result.begin(), result.end(), kBatch) > 1) {
    fail("combines different samples; only elements of the same sample can be combined");
  }
  return result;
}

// Returns the operand with as many columns as `extents` have, or with one column.
NetworkOperand OnnxNode::broadcast_operand(const OnnxValue& operand, const TensorExtents& extents) {
  const auto count = columns(extents);
  ConstantTensor own;
  if (operand.is_constant()) {
    own = elements_of(operand);
    if (own.values.empty()) fail("combines a constant without elements; remove it");
    check_known(own);
    if (own.values.size() == 1) return {kPreviousValue, {own.values.front()}};
  } else {
    const auto given = columns(operand.extents);
    if (given == count || given == 1 || !given) return {*operand.computed, {}};
  }
  if (count.value_or(kMaxColumns + (operand.is_constant() ? 0 : 1)) > kMaxColumns) {
    fail(
        fmt::format("combines {} with a value of {}, which has too many columns; at most 2^20 are "
                    "supported here",
                    operand.is_constant() ? value_text(operand) : "a value that it repeats",
                    shape_text(extents)));
  }
  if (!operand.is_constant()) own = movable(operand);
  ConstantTensor whole = broadcast_to(own, sample_extents(extents), evaluation.budget, place);
  if (operand.is_constant()) return {kPreviousValue, std::move(whole.values)};
  return {*selected(operand, whole.values, extents).computed, {}};
}

// Evaluates an element-wise operation whose operands are all constant.
ConstantTensor OnnxNode::folded(NetworkOperation operation, const std::vector<OnnxValue>& operands,
                                int type) const {
  TensorExtents extents;
  for (const OnnxValue& operand : operands) {
    const auto both = broadcast(extents, operand.extents);
    if (!both) {
      fail(fmt::format("combines constants of {} and {} elements, which cannot be broadcast",
                       extents_text(extents), extents_text(operand.extents)));
    }
    extents = *both;
  }
  std::vector<ConstantTensor> whole;
  for (const OnnxValue& operand : operands) {
    whole.push_back(broadcast_to(elements_of(operand), extents, evaluation.budget, place));
  }
  const std::uint64_t count = num_elements(extents, place);
  evaluation.budget.take(count, place);
  ConstantTensor result{type, extents, std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    double of[3] = {};
    for (std::size_t j = 0; j < whole.size(); ++j) of[j] = whole[j].values[i];
    result.values[i] = computed_number(operation, of[0], of[1], of[2], type, place);
  }
  return result;
}

OnnxValue OnnxNode::elements(NetworkOperation operation, const std::vector<OnnxValue>& operands) {
  const bool is_flat = std::ranges::any_of(operands, &OnnxValue::is_flat);
  if (is_flat && operands.size() > 1) {
    for (const OnnxValue& operand : operands) check_not_flat(operand);
  }
  const int type = is_logical(operation)
                       ? int{onnx::kBool}
                       : operands[operation == NetworkOperation::kWhere ? 1 : 0].type;
  if (std::ranges::all_of(operands, &OnnxValue::is_constant)) {
    return make_constant(folded(operation, operands, type));
  }
  for (const OnnxValue& operand : operands) check_integers(operation, operand);
  const bool is_linear =
      operation == NetworkOperation::kAdd || operation == NetworkOperation::kSubtract ||
      operation == NetworkOperation::kMultiply || operation == NetworkOperation::kDivide;
  const TensorExtents extents = combined(operands);
  OperationLayer layer{"", operation, {}, {}};
  for (const OnnxValue& operand : operands) {
    layer.operands.push_back(broadcast_operand(operand, extents));
    const bool divides = operation == NetworkOperation::kDivide && layer.operands.size() == 2;
    for (const double value : layer.operands.back().constant) {
      if (is_linear && !std::isfinite(static_cast<float>(divides ? 1.0 / value : value))) {
        fail("scales or shifts by a number that is not finite; replace it by a finite one");
      }
    }
  }
  return {type, extents, push(std::move(layer)), is_flat};
}

OnnxValue OnnxNode::activation(ActivationLayer layer, const OnnxValue& x) {
  if (!x.is_constant()) {
    check_not_flat(x);
    check_floats(x);
    layer.input = *x.computed;
    return {x.type, x.extents, push(std::move(layer))};
  }
  const auto [a, b] = activation_arguments(layer);
  ConstantTensor result = elements_of(x);
  check_known(result);
  const auto function = describe_activation(layer.activation).function;
  if (function == nullptr) {  // of a row
    fail("applies softmax to a constant, which is not supported here; replace it by its result");
  }
  for (double& value : result.values) {
    value = function(value, static_cast<double>(a), static_cast<double>(b));
  }
  return make_constant(std::move(result));
}

TensorExtents OnnxNode::reduced_extents(const OnnxValue& x, const std::vector<std::int64_t>& axes,
                                        bool keeps_dimensions) const {
  check_not_flat(x);
  std::vector<bool> is_reduced(x.extents.size(), false);
  for (const std::int64_t given : axes) {
    const std::size_t at = axis(given, x);
    if (!x.is_constant() && x.extents[at] == kBatch) {
      fail(fmt::format("operates along axis {}, which is the batch; do it outside of the network",
                       given));
    }
    is_reduced[at] = true;
  }
  TensorExtents extents;
  for (std::size_t i = 0; i < is_reduced.size(); ++i) {
    if (!is_reduced[i] || keeps_dimensions) extents.push_back(is_reduced[i] ? 1 : x.extents[i]);
  }
  return extents;
}

OnnxValue OnnxNode::reduced(NetworkOperation operation, const OnnxValue& x,
                            const std::vector<std::int64_t>& axes) {
  const TensorExtents extents = reduced_extents(x, axes, true);
  if (x.is_constant()) return make_constant(folded_reduction(operation, elements_of(x), extents));
  check_integers(operation, x);
  OnnxValue groups = x;
  groups.extents = extents;
  std::int64_t count = 1;
  std::size_t last_kept = 0;
  std::size_t first_reduced = x.extents.size();
  for (std::size_t i = 0; i < x.extents.size(); ++i) {
    if (x.extents[i] != extents[i]) {
      first_reduced = std::min(first_reduced, i);
    } else if (x.extents[i] != 1 && x.extents[i] != kBatch) {
      count *= x.extents[i];
      last_kept = i;
    }
  }
  if (count != 1) sample_extents(x.extents);  // they must be known
  if (count != 1 && last_kept > first_reduced) {
    // Make the elements of each group adjacent: move the dimensions that are kept to the front.
    TensorExtents order;
    for (const bool reduced : {false, true}) {
      for (std::size_t i = 0; i < extents.size(); ++i) {
        if ((x.extents[i] != extents[i]) == reduced) order.push_back(static_cast<std::int64_t>(i));
      }
    }
    const ConstantTensor turned = transposed(movable(x), order, evaluation.budget, place);
    groups.computed = selected(x, turned.values, {kBatch, *columns(x.extents)}).computed;
  }
  groups.computed = push(OperationLayer{"", operation, {{*groups.computed, {}}}, {count}});
  return groups;
}

ConstantTensor OnnxNode::folded_reduction(NetworkOperation operation, const ConstantTensor& from,
                                          const TensorExtents& extents) const {
  const OperationDescription& described = describe_operation(operation);
  const std::uint64_t count = num_elements(extents, place);
  evaluation.budget.take(count, place);
  // Nothing is combined. In particular, placeholders stay what they are.
  if (count == from.values.size()) return {from.type, extents, from.values};
  check_known(from);
  ConstantTensor result{from.type, extents, std::vector<double>(count, described.start)};
  TensorExtents strides = row_major_strides(extents);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (extents[i] == 1) strides[i] = 0;
  }
  std::size_t element = 0;
  for_each_strided(from.extents, strides, from.values.size(), [&](std::size_t index) {
    double& sum = result.values[index];
    sum = described.function(sum, from.values[element++], 0.0);
  });
  const double terms = operation == NetworkOperation::kMean && count > 0
                           ? static_cast<double>(from.values.size()) / static_cast<double>(count)
                           : 1.0;
  for (double& value : result.values) value = checked_number(value / terms, from.type, place);
  return result;
}

}  // namespace tilewright

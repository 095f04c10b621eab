// Element-wise operators.
#include <cmath>

#include "onnx/constant_numbers.hpp"
#include "onnx/onnx_operators.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {

// The operators of the list of operations.
OnnxValue operation(OnnxNode& node, const OnnxValue&) {
  const OperationDescription& described = *find_operation(node.op());
  std::vector<OnnxValue> operands;
  for (int i = 0; i < described.operands; ++i) operands.push_back(node.expect(i));
  return node.elements(described.operation, operands);
}

OnnxValue operation_before_7(OnnxNode& node, const OnnxValue& x) {
  if (node.attribute("axis") != nullptr) {
    node.fail(
        "broadcasts along an axis as before operator set 7; export the network with operator set 7 "
        "or later");
  }
  return operation(node, x);
}

namespace {

// Sum, Mean, Min and Max with any number of operands. With one operand the result is the operand.
OnnxValue variadic(OnnxNode& node, const OnnxValue& x) {
  const NetworkOperation operation = node.op() == "Max"   ? NetworkOperation::kMaximum
                                     : node.op() == "Min" ? NetworkOperation::kMinimum
                                                          : NetworkOperation::kAdd;
  OnnxValue result = x;
  for (int i = 1; i < node.num_inputs(); ++i) {
    result = node.elements(operation, {result, node.expect(i)});
  }
  if (node.op() != "Mean" || node.num_inputs() == 1) return result;
  return node.elements(NetworkOperation::kMultiply, {result, node.number(1.0 / node.num_inputs())});
}

// Only NaN differs from itself.
OnnxValue is_nan(OnnxNode& node, const OnnxValue& x) {
  return node.elements(NetworkOperation::kNot, {node.elements(NetworkOperation::kEqual, {x, x})});
}

// Replaces one value, in most files NaN, by a constant for each column.
OnnxValue imputer(OnnxNode& node, const OnnxValue& x) {
  node.check_floats(x);
  const onnx::Attribute* const given = node.attribute("imputed_value_floats");
  if (given == nullptr || given->floats.empty()) {
    node.fail("has no imputed_value_floats; only floats are supported");
  }
  const OnnxValue imputed = node.row("imputed_value_floats", 0.0);
  const auto replaced = static_cast<double>(node.real("replaced_value_float", 0.0f));
  const bool is_nan = std::isnan(replaced);
  const OnnxValue is_equal =
      node.elements(NetworkOperation::kEqual, {x, is_nan ? x : node.number(replaced)});
  return node.elements(NetworkOperation::kWhere,
                       {is_equal, is_nan ? x : imputed, is_nan ? imputed : x});
}

OnnxValue mod(OnnxNode& node, const OnnxValue& x) {
  if (!node.is_set("fmod")) {
    node.fail("is the remainder of integers; only fmod = 1 is supported; set it, or use Floor");
  }
  return node.elements(NetworkOperation::kRemainder, {x, node.expect(1)});
}

// Does a cast to `type` keep the digits of a tensor, so that they need not be read yet?
bool keeps_digits(const onnx::Tensor& tensor, int type) {
  const bool is_rounded =
      (type == onnx::kFloat16 || type == onnx::kBfloat16) && type != tensor.data_type;
  return is_read_as_floats(type) && is_read_as_floats(tensor.data_type) && !is_rounded;
}

// True if both are types of integers, or BOOL, and `type` has all numbers of `other`.
bool holds_integers(int type, int other) {
  return type != onnx::kBool && num_digits(other) > 0 && num_digits(type) >= num_digits(other) &&
         (is_signed(type) || !is_signed(other));
}

OnnxValue cast(OnnxNode& node, const OnnxValue& given) {
  // The type of CastLike is that of input 2.
  const int type = node.op() == "Cast" ? static_cast<int>(node.integer("to", onnx::kUndefined))
                                       : node.expect(1, "value").type;
  OnnxValue x = given;
  if (x.tensor != nullptr && keeps_digits(*x.tensor, type)) {
    x.type = type;
    return x;
  }
  if (x.is_constant()) {
    ConstantTensor result = node.elements_of(x);
    result.type = type;
    for (double& value : result.values) value = cast_number(value, type, node.place);
    return node.make_constant(std::move(result));
  }
  // Computed values are floats.
  const int from = std::exchange(x.type, type);
  if (is_read_as_floats(type) || from == type || holds_integers(type, from)) return x;
  if (type == onnx::kBool) {
    x.type = from;
    return node.elements(NetworkOperation::kNot, {node.elements(NetworkOperation::kNot, {x})});
  }
  if (is_read_as_floats(from) && is_signed(type) && num_digits(type) >= 31) {
    x.type = from;
    const OnnxValue size = node.elements(NetworkOperation::kAbs, {x});
    OnnxValue whole = node.elements(NetworkOperation::kMultiply,
                                    {node.elements(NetworkOperation::kSign, {x}),
                                     node.elements(NetworkOperation::kFloor, {size})});
    whole.type = type;
    return whole;
  }
  node.fail(fmt::format(
      "casts {} to {}; only casts to FLOAT, FLOAT16, DOUBLE and BOOL, of floats to INT32 and INT64, "
      "and of integers to larger integers, are supported: remove the cast",
      type_text(from), type_text(type)));
}

constexpr std::string_view kCastResult =
    "nothing, if to floats; to `BOOL`, and of floats to `INT32` and `INT64`: operations on elements";

constexpr OnnxOperator kElementTable[] = {
    {"Cast", 6, 1, same_shape, cast, kCastResult},
    {"CastLike", 15, 2, same_shape, cast, kCastResult},
    {"IsNaN", 9, 1, same_shape, is_nan, kElementsResult},
    {"Max", 8, kAnyNumber, kBroadcast, variadic, kElementsResult},
    {"Mean", 8, kAnyNumber, kBroadcast, variadic, kElementsResult},
    {"Min", 8, kAnyNumber, kBroadcast, variadic, kElementsResult},
    {"Mod", 10, 2, kBroadcast, mod,
     "operations on elements, with the attribute `fmod` (PyTorch) only"},
    {"Sum", 8, kAnyNumber, kBroadcast, variadic, kElementsResult},
    {"ai.onnx.ml.Imputer", 1, 1, kBroadcast, imputer, kElementsAndRowsResult},
};

}  // namespace

constinit const OnnxOperators kElementOperators = kElementTable;

}  // namespace tilewright

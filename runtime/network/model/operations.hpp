// The list of the operations of OperationLayer, with what each computes on the host and in kernels.
//
// It has the order of NetworkOperation. To add an operation, append it to both, and to
// docs/networks.md.
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

struct OperationDescription {
  enum class Kind { kElements, kRows, kSelect, kConcat };

  NetworkOperation operation;
  std::string_view name;           // in messages
  std::string_view onnx_operator;  // empty if ONNX has no operator for just this
  // Element-wise operations: the result. Operations on rows: the new result, where `a` is the
  // result so far and `b` the next element.
  double (*function)(double a, double b, double c) = nullptr;
  // The same as an OpenCL C expression of floats, or of vectors of floats. {a}, {b} and {c} are
  // names; {one} and {zero} are the numbers in the type of the operands.
  std::string_view text = {};
  int operands = 1;  // number of operands; kConcat: any number
  Kind kind = Kind::kElements;
  double start = 0.0;  // operations on rows: the result before the first element
};

inline constexpr OperationDescription kOperations[] = {
    {NetworkOperation::kNegate, "neg", "Neg", [](double a, double, double) { return -a; }, "-{a}"},
    {NetworkOperation::kAbs, "abs", "Abs", [](double a, double, double) { return std::abs(a); },
     "fabs({a})"},
    {NetworkOperation::kSign, "sign", "Sign",
     [](double a, double, double) { return a > 0.0   ? 1.0
                                           : a < 0.0 ? -1.0
                                                     : a; }, "sign({a})"},
    {NetworkOperation::kFloor, "floor", "Floor",
     [](double a, double, double) { return std::floor(a); }, "floor({a})"},
    {NetworkOperation::kCeil, "ceil", "Ceil", [](double a, double, double) { return std::ceil(a); },
     "ceil({a})"},
    {NetworkOperation::kRound, "round", "Round",
     [](double a, double, double) { return std::nearbyint(a); }, "rint({a})"},
    {NetworkOperation::kReciprocal, "reciprocal", "Reciprocal",
     [](double a, double, double) { return 1.0 / a; }, "1.0f / {a}"},
    {NetworkOperation::kSqrt, "sqrt", "Sqrt", [](double a, double, double) { return std::sqrt(a); },
     "sqrt({a})"},
    {NetworkOperation::kExp, "exp", "Exp", [](double a, double, double) { return std::exp(a); },
     "exp({a})"},
    {NetworkOperation::kLog, "log", "Log", [](double a, double, double) { return std::log(a); },
     "log({a})"},
    {NetworkOperation::kSin, "sin", "Sin", [](double a, double, double) { return std::sin(a); },
     "sin({a})"},
    {NetworkOperation::kCos, "cos", "Cos", [](double a, double, double) { return std::cos(a); },
     "cos({a})"},
    {NetworkOperation::kTan, "tan", "Tan", [](double a, double, double) { return std::tan(a); },
     "tan({a})"},
    {NetworkOperation::kAsin, "asin", "Asin", [](double a, double, double) { return std::asin(a); },
     "asin({a})"},
    {NetworkOperation::kAcos, "acos", "Acos", [](double a, double, double) { return std::acos(a); },
     "acos({a})"},
    {NetworkOperation::kAtan, "atan", "Atan", [](double a, double, double) { return std::atan(a); },
     "atan({a})"},
    {NetworkOperation::kSinh, "sinh", "Sinh", [](double a, double, double) { return std::sinh(a); },
     "sinh({a})"},
    {NetworkOperation::kCosh, "cosh", "Cosh", [](double a, double, double) { return std::cosh(a); },
     "cosh({a})"},
    {NetworkOperation::kAsinh, "asinh", "Asinh",
     [](double a, double, double) { return std::asinh(a); }, "asinh({a})"},
    {NetworkOperation::kAcosh, "acosh", "Acosh",
     [](double a, double, double) { return std::acosh(a); }, "acosh({a})"},
    {NetworkOperation::kAtanh, "atanh", "Atanh",
     [](double a, double, double) { return std::atanh(a); }, "atanh({a})"},
    {NetworkOperation::kErf, "erf", "Erf", [](double a, double, double) { return std::erf(a); },
     "erf({a})"},
    {NetworkOperation::kNot, "not", "Not",
     [](double a, double, double) { return a == 0.0 ? 1.0 : 0.0; }, "{a} == 0.0f ? {one} : {zero}"},

    {NetworkOperation::kAdd, "add", "Add", [](double a, double b, double) { return a + b; },
     "{a} + {b}", 2},
    {NetworkOperation::kSubtract, "sub", "Sub", [](double a, double b, double) { return a - b; },
     "{a} - {b}", 2},
    {NetworkOperation::kMultiply, "mul", "Mul", [](double a, double b, double) { return a * b; },
     "{a} * {b}", 2},
    {NetworkOperation::kDivide, "div", "Div", [](double a, double b, double) { return a / b; },
     "{a} / {b}", 2},
    {NetworkOperation::kPower, "pow", "Pow",
     [](double a, double b, double) { return std::pow(a, b); }, "pow({a}, {b})", 2},
    {NetworkOperation::kMinimum, "min", "Min",
     [](double a, double b, double) { return b < a ? b : a; }, "fmin({a}, {b})", 2},
    {NetworkOperation::kMaximum, "max", "Max",
     [](double a, double b, double) { return b > a ? b : a; }, "fmax({a}, {b})", 2},
    {NetworkOperation::kRemainder, "fmod", "",
     [](double a, double b, double) { return std::fmod(a, b); }, "fmod({a}, {b})", 2},
    {NetworkOperation::kGreater, "greater", "Greater",
     [](double a, double b, double) { return a > b ? 1.0 : 0.0; }, "{a} > {b} ? {one} : {zero}", 2},
    {NetworkOperation::kGreaterOrEqual, "greater_or_equal", "GreaterOrEqual",
     [](double a, double b, double) { return a >= b ? 1.0 : 0.0; }, "{a} >= {b} ? {one} : {zero}",
     2},
    {NetworkOperation::kLess, "less", "Less",
     [](double a, double b, double) { return a < b ? 1.0 : 0.0; }, "{a} < {b} ? {one} : {zero}", 2},
    {NetworkOperation::kLessOrEqual, "less_or_equal", "LessOrEqual",
     [](double a, double b, double) { return a <= b ? 1.0 : 0.0; }, "{a} <= {b} ? {one} : {zero}",
     2},
    {NetworkOperation::kEqual, "equal", "Equal",
     [](double a, double b, double) { return a == b ? 1.0 : 0.0; }, "{a} == {b} ? {one} : {zero}",
     2},
    {NetworkOperation::kAnd, "and", "And",
     [](double a, double b, double) { return a != 0.0 && b != 0.0 ? 1.0 : 0.0; },
     "{a} != 0.0f && {b} != 0.0f ? {one} : {zero}", 2},
    {NetworkOperation::kOr, "or", "Or",
     [](double a, double b, double) { return a != 0.0 || b != 0.0 ? 1.0 : 0.0; },
     "{a} != 0.0f || {b} != 0.0f ? {one} : {zero}", 2},
    {NetworkOperation::kXor, "xor", "Xor",
     [](double a, double b, double) { return (a != 0.0) != (b != 0.0) ? 1.0 : 0.0; },
     "({a} != 0.0f) != ({b} != 0.0f) ? {one} : {zero}", 2},

    {NetworkOperation::kWhere, "where", "Where",
     [](double a, double b, double c) { return a != 0.0 ? b : c; }, "{a} != 0.0f ? {b} : {c}", 3},

    {NetworkOperation::kSum, "sum", "ReduceSum", [](double a, double b, double) { return a + b; },
     "{a} + {b}", 1, OperationDescription::Kind::kRows},
    {NetworkOperation::kMean, "mean", "ReduceMean",
     [](double a, double b, double) { return a + b; }, "{a} + {b}", 1,
     OperationDescription::Kind::kRows},
    {NetworkOperation::kLargest, "largest", "ReduceMax",
     [](double a, double b, double) { return b > a ? b : a; }, "fmax({a}, {b})", 1,
     OperationDescription::Kind::kRows, -HUGE_VAL},
    {NetworkOperation::kSmallest, "smallest", "ReduceMin",
     [](double a, double b, double) { return b < a ? b : a; }, "fmin({a}, {b})", 1,
     OperationDescription::Kind::kRows, HUGE_VAL},
    {NetworkOperation::kProduct, "product", "ReduceProd",
     [](double a, double b, double) { return a * b; }, "{a} * {b}", 1,
     OperationDescription::Kind::kRows, 1.0},

    {NetworkOperation::kSelect, "select", "", nullptr, {}, 1, OperationDescription::Kind::kSelect},
    {NetworkOperation::kConcat, "concat", "", nullptr, {}, 0, OperationDescription::Kind::kConcat},
};
inline constexpr std::size_t kNumOperations = std::size(kOperations);

// False for a value that is not an enumerator: callers may cast any number.
constexpr bool is_known(NetworkOperation operation) {
  return static_cast<std::size_t>(operation) < kNumOperations;
}

// `operation` must be known.
constexpr const OperationDescription& describe_operation(NetworkOperation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

// Returns the operation of an ONNX operator; null if there is none.
constexpr const OperationDescription* find_operation(std::string_view onnx_operator) {
  for (const OperationDescription& described : kOperations) {
    if (described.onnx_operator == onnx_operator && !onnx_operator.empty()) return &described;
  }
  return nullptr;
}

constexpr bool is_elementwise(NetworkOperation operation) {
  return describe_operation(operation).kind == OperationDescription::Kind::kElements;
}

constexpr bool is_row_operation(NetworkOperation operation) {
  return describe_operation(operation).kind == OperationDescription::Kind::kRows;
}

// True for operations whose result is 1 (true) or 0 (false).
constexpr bool is_logical(NetworkOperation operation) {
  return operation == NetworkOperation::kNot ||
         (operation >= NetworkOperation::kGreater && operation <= NetworkOperation::kXor);
}

static_assert([] {
  for (std::size_t i = 0; i < kNumOperations; ++i) {
    if (static_cast<std::size_t>(kOperations[i].operation) != i) return false;
  }
  return true;
}());

}  // namespace tilewright

// The list of the operations of OperationLayer, with what each computes on the host and in kernels.
//
// It has the order of NetworkOperation. To add an operation, append it to both, and to
// docs/networks.md.
#pragma once

#include <array>
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
  // The operator set since which ONNX has it as it is here: with broadcasting as in NumPy, or with
  // the dimensions of a reduction as an input.
  int onnx_version = 1;
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

// The function of one operand in the form of OperationDescription::function. Both libstdc++ and
// libc++ allow taking the address of the functions of <cmath> that are used here.
template <double (*f)(double)>
double of_one(double a, double, double) {
  return f(a);
}

inline constexpr auto kOperations = [] {
  using enum NetworkOperation;
  using Kind = OperationDescription::Kind;
  return std::to_array<OperationDescription>({
      {kNegate, "neg", "Neg", 1, [](double a, double, double) { return -a; }, "-{a}"},
      {kAbs, "abs", "Abs", 1, of_one<std::abs>, "fabs({a})"},
      {kSign, "sign", "Sign", 9,
       [](double a, double, double) { return a > 0.0   ? 1.0
                                             : a < 0.0 ? -1.0
                                                       : a; }, "sign({a})"},
      {kFloor, "floor", "Floor", 1, of_one<std::floor>, "floor({a})"},
      {kCeil, "ceil", "Ceil", 1, of_one<std::ceil>, "ceil({a})"},
      {kRound, "round", "Round", 11, of_one<std::nearbyint>, "rint({a})"},
      {kReciprocal, "reciprocal", "Reciprocal", 1, [](double a, double, double) { return 1.0 / a; },
       "1.0f / {a}"},
      {kSqrt, "sqrt", "Sqrt", 1, of_one<std::sqrt>, "sqrt({a})"},
      {kExp, "exp", "Exp", 1, of_one<std::exp>, "exp({a})"},
      {kLog, "log", "Log", 1, of_one<std::log>, "log({a})"},
      {kSin, "sin", "Sin", 7, of_one<std::sin>, "sin({a})"},
      {kCos, "cos", "Cos", 7, of_one<std::cos>, "cos({a})"},
      {kTan, "tan", "Tan", 7, of_one<std::tan>, "tan({a})"},
      {kAsin, "asin", "Asin", 7, of_one<std::asin>, "asin({a})"},
      {kAcos, "acos", "Acos", 7, of_one<std::acos>, "acos({a})"},
      {kAtan, "atan", "Atan", 7, of_one<std::atan>, "atan({a})"},
      {kSinh, "sinh", "Sinh", 9, of_one<std::sinh>, "sinh({a})"},
      {kCosh, "cosh", "Cosh", 9, of_one<std::cosh>, "cosh({a})"},
      {kAsinh, "asinh", "Asinh", 9, of_one<std::asinh>, "asinh({a})"},
      {kAcosh, "acosh", "Acosh", 9, of_one<std::acosh>, "acosh({a})"},
      {kAtanh, "atanh", "Atanh", 9, of_one<std::atanh>, "atanh({a})"},
      {kErf, "erf", "Erf", 9, of_one<std::erf>, "erf({a})"},
      {kNot, "not", "Not", 1, [](double a, double, double) { return a == 0.0 ? 1.0 : 0.0; },
       "{a} == 0.0f ? {one} : {zero}"},

      {kAdd, "add", "Add", 7, [](double a, double b, double) { return a + b; }, "{a} + {b}", 2},
      {kSubtract, "sub", "Sub", 7, [](double a, double b, double) { return a - b; }, "{a} - {b}",
       2},
      {kMultiply, "mul", "Mul", 7, [](double a, double b, double) { return a * b; }, "{a} * {b}",
       2},
      {kDivide, "div", "Div", 7, [](double a, double b, double) { return a / b; }, "{a} / {b}", 2},
      {kPower, "pow", "Pow", 7, [](double a, double b, double) { return std::pow(a, b); },
       "pow({a}, {b})", 2},
      {kMinimum, "min", "Min", 8, [](double a, double b, double) { return b < a ? b : a; },
       "fmin({a}, {b})", 2},
      {kMaximum, "max", "Max", 8, [](double a, double b, double) { return b > a ? b : a; },
       "fmax({a}, {b})", 2},
      {kRemainder, "fmod", "", 1, [](double a, double b, double) { return std::fmod(a, b); },
       "fmod({a}, {b})", 2},
      {kGreater, "greater", "Greater", 7,
       [](double a, double b, double) { return a > b ? 1.0 : 0.0; }, "{a} > {b} ? {one} : {zero}",
       2},
      {kGreaterOrEqual, "greater_or_equal", "GreaterOrEqual", 12,
       [](double a, double b, double) { return a >= b ? 1.0 : 0.0; }, "{a} >= {b} ? {one} : {zero}",
       2},
      {kLess, "less", "Less", 7, [](double a, double b, double) { return a < b ? 1.0 : 0.0; },
       "{a} < {b} ? {one} : {zero}", 2},
      {kLessOrEqual, "less_or_equal", "LessOrEqual", 12,
       [](double a, double b, double) { return a <= b ? 1.0 : 0.0; }, "{a} <= {b} ? {one} : {zero}",
       2},
      {kEqual, "equal", "Equal", 7, [](double a, double b, double) { return a == b ? 1.0 : 0.0; },
       "{a} == {b} ? {one} : {zero}", 2},
      {kAnd, "and", "And", 7,
       [](double a, double b, double) { return a != 0.0 && b != 0.0 ? 1.0 : 0.0; },
       "{a} != 0.0f && {b} != 0.0f ? {one} : {zero}", 2},
      {kOr, "or", "Or", 7,
       [](double a, double b, double) { return a != 0.0 || b != 0.0 ? 1.0 : 0.0; },
       "{a} != 0.0f || {b} != 0.0f ? {one} : {zero}", 2},
      {kXor, "xor", "Xor", 7,
       [](double a, double b, double) { return (a != 0.0) != (b != 0.0) ? 1.0 : 0.0; },
       "({a} != 0.0f) != ({b} != 0.0f) ? {one} : {zero}", 2},

      {kWhere, "where", "Where", 9, [](double a, double b, double c) { return a != 0.0 ? b : c; },
       "{a} != 0.0f ? {b} : {c}", 3},

      {kSum, "sum", "ReduceSum", 13, [](double a, double b, double) { return a + b; }, "{a} + {b}",
       1, Kind::kRows},
      {kMean, "mean", "ReduceMean", 18, [](double a, double b, double) { return a + b; },
       "{a} + {b}", 1, Kind::kRows},
      {kLargest, "largest", "ReduceMax", 18,
       [](double a, double b, double) { return b > a ? b : a; }, "fmax({a}, {b})", 1, Kind::kRows,
       -HUGE_VAL},
      {kSmallest, "smallest", "ReduceMin", 18,
       [](double a, double b, double) { return b < a ? b : a; }, "fmin({a}, {b})", 1, Kind::kRows,
       HUGE_VAL},
      {kProduct, "product", "ReduceProd", 18, [](double a, double b, double) { return a * b; },
       "{a} * {b}", 1, Kind::kRows, 1.0},

      {kSelect, "select", "", 1, nullptr, {}, 1, Kind::kSelect},
      {kConcat, "concat", "", 1, nullptr, {}, 0, Kind::kConcat},
  });
}();
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

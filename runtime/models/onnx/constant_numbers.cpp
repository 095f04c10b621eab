#include "onnx/constant_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_tensors.hpp"

namespace tilewright {
namespace {

// Comparisons with a placeholder, a NaN, are false.
double number_with_placeholder(NetworkOperation operation, double a, double b, double c,
                               const ModelPlace& place) {
  const auto is = [](double value, double number) { return value == number; };
  const double extent = is_placeholder(a) ? a : is_placeholder(b) ? b : c;
  switch (operation) {
    case NetworkOperation::kFloor:
    case NetworkOperation::kCeil:
    case NetworkOperation::kRound:
    case NetworkOperation::kAbs:
      return extent;
    case NetworkOperation::kAdd:
      if (is(a, 0.0) || is(b, 0.0)) return extent;
      break;
    case NetworkOperation::kSubtract:
      if (is(b, 0.0)) return extent;
      break;
    case NetworkOperation::kMultiply:
      if (is(a, 1.0) || is(b, 1.0)) return extent;
      break;
    case NetworkOperation::kDivide:
      if (is(b, 1.0)) return extent;
      break;
    case NetworkOperation::kMaximum:
      if (a <= 1.0 || b <= 1.0) return extent;
      break;
    case NetworkOperation::kEqual:
      if (a < 1.0 || b < 1.0) return 0.0;
      break;
    case NetworkOperation::kWhere:
      if (!is_placeholder(a)) return a != 0.0 ? b : c;
      break;
    default:
      break;
  }
  if (is_unknown_extent(extent)) {
    place.fail(
        "computes with an extent of an input that the file leaves open; export it with all extents "
        "except that of the batch");
  }
  place.fail(
      "computes with the number of samples, which is known only when the network runs; export it "
      "with the shape [-1, columns]");
}

// True if the result of an operation is one of the operands, and not by rounding: an operand may be
// an integer beyond 2^53.
bool selects_operand(NetworkOperation operation, double a, double b, double c, double result) {
  if (operation == NetworkOperation::kAdd) return a == 0.0 || b == 0.0;
  if (operation == NetworkOperation::kSubtract) return b == 0.0;
  return result == a || result == b || result == c;
}

}  // namespace

double computed_number(NetworkOperation operation, double a, double b, double c, int type,
                       const ModelPlace& place) {
  if (is_placeholder(a) || is_placeholder(b) || is_placeholder(c)) {
    return number_with_placeholder(operation, a, b, c, place);
  }
  if (operation == NetworkOperation::kDivide && b == 0.0 && is_integer_type(type)) {
    place.fail("divides integers by 0");
  }
  const double result = describe_operation(operation).function(a, b, c);
  return selects_operand(operation, a, b, c, result) ? result : checked_number(result, type, place);
}

double checked_number(double result, int type, const ModelPlace& place) {
  if (is_placeholder(result)) return result;
  if (is_integer_type(type)) result = std::trunc(result);
  const int digits = std::min(num_digits(type), 53);
  if (digits < 2) return result;
  const double end = std::ldexp(1.0, digits);
  if (result < end && result >= (is_signed(type) ? -end : 0.0)) return result;
  place.fail(fmt::format("computes {}, which is beyond the range of {}{}; compute it in FLOAT",
                         result, type_text(type), num_digits(type) > 53 ? " up to 2^53" : ""));
}

double cast_number(double value, int type, const ModelPlace& place) {
  if (is_integer_type(type) && !is_placeholder(value)) {
    value = std::trunc(value);
    const int digits = num_digits(type);
    const double end = std::ldexp(1.0, digits);
    // The largest integers of 64 bits are rounded to the end of their range.
    const bool is_below = value < end || (digits >= 63 && value == end);
    if (!is_below || !(value >= (is_signed(type) ? -end : 0.0))) {
      place.fail(fmt::format("casts {} to {}, which does not have it; use a larger type", value,
                             type_text(type)));
    }
  }
  if (type == onnx::kBool) return value != 0.0 ? 1.0 : 0.0;
  if (type == onnx::kFloat) return static_cast<double>(static_cast<float>(value));
  if (type == onnx::kBfloat16) return rounded_to_bfloat(value);
  return type == onnx::kFloat16 ? rounded_to_half(value) : value;
}

}  // namespace tilewright

// The element types of matrices.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

// Named by the letters of BLAS.
enum class Precision {
  kSingle,  // S: float
  kDouble,  // D: double, on devices with cl_khr_fp64
  // H: elements in half precision, on all devices. Scalars are floats, and so are sums, unless the
  // accumulate_k of a kernel is not 0.
  kHalf,
};
inline constexpr Precision kPrecisions[] = {Precision::kSingle, Precision::kDouble,
                                            Precision::kHalf};

// "s", "d", "h": used in points, profiles and options, and as the first letter of kernel names.
std::string_view to_text(Precision);
std::optional<Precision> parse_precision(std::string_view);

// The BLAS letter of products of such numbers, or of complex numbers that consist of two of them:
// "c", "z".
constexpr std::string_view blas_letter(Precision precision, bool complex) {
  if (precision == Precision::kDouble) return complex ? "z" : "d";
  if (precision == Precision::kHalf) return "h";
  return complex ? "c" : "s";
}

// Plural of the element type for messages: "floats".
std::string_view elements_text(Precision);

// Size of one element of a matrix.
constexpr std::size_t bytes_per_element(Precision precision) {
  switch (precision) {
    case Precision::kDouble:
      return 8;
    case Precision::kHalf:
      return 2;
    case Precision::kSingle:
      break;
  }
  return 4;
}

// Type of a kernel's scalars and of the parts of a split k. Also of its sums and local memory,
// except with accumulate_k.
constexpr Precision sum_precision(Precision precision) {
  return precision == Precision::kHalf ? Precision::kSingle : precision;
}

// Type in which a kernel multiplies and adds: half precision if accumulate_k is set.
constexpr Precision arithmetic_precision(Precision precision, int accumulate_k) {
  return accumulate_k > 0 ? Precision::kHalf : sum_precision(precision);
}

// Size of one sum, in floats.
constexpr int floats_per_sum(Precision precision) {
  return static_cast<int>(bytes_per_element(sum_precision(precision)) / sizeof(float));
}

// True if biases, activations and softmax exist for this element type.
constexpr bool is_network_type(Precision precision) {
  return precision == Precision::kSingle || precision == Precision::kHalf;
}

// The extension that a device needs for half-precision arithmetic. All devices can load and store
// half precision.
inline constexpr std::string_view kHalfArithmetic = "cl_khr_fp16";

// The extension that a device needs for this precision, or "".
constexpr std::string_view required_extension(Precision precision) {
  return precision == Precision::kDouble ? "cl_khr_fp64" : "";
}

}  // namespace tilewright

// Of which type are the elements of a matrix?
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

// By BLAS' letters.
enum class Precision {
  kSingle,  // S: float
  kDouble,  // D: double, on devices with cl_khr_fp64
  kHalf,  // H: half in memory, on all devices; scalars are floats, and sums, too, but for those of
          // kernels with accumulate_k
};
inline constexpr Precision kPrecisions[] = {Precision::kSingle, Precision::kDouble,
                                            Precision::kHalf};

// "s", "d", "h": in points, profiles and options, and as the first letter of kernels' names.
std::string_view to_text(Precision);
std::optional<Precision> parse_precision(std::string_view);

// The letter of products of such numbers, or of complex ones of two of them: "c", "z".
constexpr std::string_view blas_letter(Precision precision, bool complex) {
  if (precision == Precision::kDouble) return complex ? "z" : "d";
  if (precision == Precision::kHalf) return "h";
  return complex ? "c" : "s";
}

// The plural of its elements: "floats".
std::string_view elements_text(Precision);

// Of one element of a matrix.
constexpr std::size_t bytes_of(Precision precision) {
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

// That of a kernel's scalars and of the parts of a split k; of its sums and local memory, too, but
// where it has accumulate_k.
constexpr Precision sums_of(Precision precision) {
  return precision == Precision::kHalf ? Precision::kSingle : precision;
}

// That in which a kernel multiplies and adds: halfs where it adds up so many steps of k in these.
constexpr Precision arithmetic_of(Precision precision, int accumulate_k) {
  return accumulate_k > 0 ? Precision::kHalf : sums_of(precision);
}

// How many floats have room where one sum lies.
constexpr int floats_of(Precision precision) {
  return static_cast<int>(bytes_of(sums_of(precision)) / sizeof(float));
}

// Are there biases, activations and softmax for such elements?
constexpr bool is_of_nets(Precision precision) {
  return precision == Precision::kSingle || precision == Precision::kHalf;
}

// What a device must list among its extensions to compute in halfs; all read and write them.
inline constexpr std::string_view kHalfArithmetic = "cl_khr_fp16";

// What a device must list among its extensions, or "".
constexpr std::string_view extension_of(Precision precision) {
  return precision == Precision::kDouble ? "cl_khr_fp64" : "";
}

}  // namespace tilewright

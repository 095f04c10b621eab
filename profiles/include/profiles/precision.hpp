// Of which type are the elements of a matrix?
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

// By BLAS' letters. Sums have the type of the elements.
enum class Precision {
  kSingle,  // S: float
  kDouble,  // D: double, on devices with cl_khr_fp64
};
inline constexpr Precision kPrecisions[] = {Precision::kSingle, Precision::kDouble};

// "s", "d": in points, profiles and options, and as the first letter of kernels' names.
std::string_view to_text(Precision);
std::optional<Precision> parse_precision(std::string_view);

// Of one element.
constexpr std::size_t bytes_of(Precision precision) {
  return precision == Precision::kDouble ? sizeof(double) : sizeof(float);
}

// How many floats have room where one element lies.
constexpr int floats_of(Precision precision) {
  return static_cast<int>(bytes_of(precision) / sizeof(float));
}

// What a device must list among its extensions, or "".
constexpr std::string_view extension_of(Precision precision) {
  return precision == Precision::kDouble ? "cl_khr_fp64" : "";
}

}  // namespace tilewright

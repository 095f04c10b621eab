// Half-precision numbers (float16 and bfloat16) as files store them.
#pragma once

#include <CL/cl_half.h>

#include <bit>
#include <cstdint>

namespace tilewright {

struct HalfBits {
  HalfBits() = default;
  // ONNX stores the bits in a 32-bit field.
  explicit HalfBits(std::int32_t field) : bits(static_cast<cl_half>(field)) {}

  template <typename Element>
  explicit operator Element() const {
    return static_cast<Element>(cl_half_to_float(bits));
  }

  cl_half bits = 0;
};

// The upper half of a float.
struct BfloatBits {
  BfloatBits() = default;
  explicit BfloatBits(std::int32_t field) : bits(static_cast<std::uint16_t>(field)) {}

  template <typename Element>
  explicit operator Element() const {
    return static_cast<Element>(std::bit_cast<float>(std::uint32_t{bits} << 16));
  }

  std::uint16_t bits = 0;
};

}  // namespace tilewright

// A half-precision number (float16) as files store it.
#pragma once

#include <CL/cl_half.h>

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

}  // namespace tilewright

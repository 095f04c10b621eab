#include "epilogue_text.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string activation_text(Activation activation, const std::string& x, int width) {
  switch (activation) {
    case Activation::kRelu:
      return fmt::format("fmax({}, 0.0f)", x);
    case Activation::kLeakyRelu:
      // A condition chooses between whole vectors; select() chooses lane by lane.
      return width == 1 ? fmt::format("{} < 0.0f ? slope * {} : {}", x, x, x)
                        : fmt::format("select({}, slope * {}, {} < 0.0f)", x, x, x);
    case Activation::kSigmoid:
      return fmt::format("1.0f / (1.0f + exp(-{}))", x);
    case Activation::kTanh:
      return fmt::format("tanh({})", x);
    case Activation::kIdentity:
      break;
  }
  return x;
}

std::string epilogue_arguments(Dimension bias, Activation activation) {
  std::string text;
  if (bias != Dimension::kNone) {
    text += ",\n    __global const float *restrict bias, const ulong offset_bias";
  }
  if (activation == Activation::kLeakyRelu) text += ", const float slope";
  return text;
}

}  // namespace tilewright

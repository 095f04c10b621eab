#include "codelets/text/epilogue_text.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string activation_text(Activation activation, const std::string& x, int width,
                            Exponential form) {
  const char* exp = function_of(form);
  switch (activation) {
    case Activation::kRelu:
      return fmt::format("fmax({}, 0.0f)", x);
    case Activation::kLeakyRelu:
      // A condition chooses between whole vectors; select() chooses lane by lane.
      return width == 1 ? fmt::format("{} < 0.0f ? slope * {} : {}", x, x, x)
                        : fmt::format("select({}, slope * {}, {} < 0.0f)", x, x, x);
    case Activation::kSigmoid:
      return fmt::format("1.0f / (1.0f + {}(-{}))", exp, x);
    case Activation::kTanh:
      return fmt::format("tanh({})", x);
    case Activation::kElu:
      return fmt::format("fmax({0}, 0.0f) + slope * expm1(fmin({0}, 0.0f))", x);
    case Activation::kSelu:
      return fmt::format("{1}f * fmax({0}, 0.0f) + {2}f * expm1(fmin({0}, 0.0f))", x,
                         static_cast<float>(kSeluScale),
                         static_cast<float>(kSeluScale * kSeluAlpha));
    case Activation::kSoftplus:
      return fmt::format("fmax({0}, 0.0f) + log1p({1}(-fabs({0})))", x, exp);
    case Activation::kHardSigmoid:
      return fmt::format("fmin(fmax(slope * {} + shift, 0.0f), 1.0f)", x);
    case Activation::kHardSwish:
      return fmt::format("{0} * fmin(fmax({0} * (1.0f / 6.0f) + 0.5f, 0.0f), 1.0f)", x);
    case Activation::kClip:
      return fmt::format("fmin(fmax({}, low), high)", x);
    case Activation::kGelu:
      // erfc() instead of 1 + erf(): nothing cancels where x is far below 0.
      return fmt::format("0.5f * {0} * erfc({0} * -0.70710678f)", x);
    case Activation::kGeluTanh:
      // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u)): nothing cancels here either.
      return fmt::format("{0} / (1.0f + {1}(-1.5957691f * ({0} + 0.044715f * {0} * {0} * {0})))", x,
                         exp);
    case Activation::kIdentity:
    case Activation::kLog:  // of softmax kernels, which write it themselves
      break;
  }
  return x;
}

std::string activation_parameters(Activation activation, const char* type) {
  std::string text;
  for (const std::string_view name : activation_arguments(activation)) {
    text += fmt::format(", {}{}", type, name);
  }
  return text;
}

std::string epilogue_arguments(Dimension bias, Activation activation) {
  std::string text;
  if (bias != Dimension::kNone) {
    text += ",\n    __global const float *restrict bias, const ulong offset_bias";
  }
  return text + activation_parameters(activation, "const float ");
}

}  // namespace tilewright

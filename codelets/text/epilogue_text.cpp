#include "codelets/text/epilogue_text.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string activation_text(Activation activation, const std::string& x, int width,
                            Exponential form) {
  const ActivationDescription& described = describe_activation(activation);
  const bool is_vector = width > 1 && !described.vector_text.empty();
  return fmt::format(fmt::runtime(is_vector ? described.vector_text : described.text),
                     fmt::arg("x", x), fmt::arg("exp", exponential_function(form)));
}

std::string activation_parameters(Activation activation, const char* type) {
  std::string text;
  for (const ActivationParameter& parameter : describe_activation(activation).parameters) {
    text += fmt::format(", {}{}", type, parameter.name);
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

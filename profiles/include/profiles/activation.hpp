// What does an activation compute, and from which numbers?
//
// In double precision: the specification that kernels and nets are compared with.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

// What is applied to alpha op(A) op(B) + beta C + bias (kActivation: X + bias) before it is stored.
enum class Activation {
  kIdentity,
  kRelu,         // max(x, 0)
  kLeakyRelu,    // x, or slope x where x < 0
  kSigmoid,      // 1 / (1 + exp(-x))
  kTanh,         // tanh(x)
  kElu,          // x, or slope (exp(x) - 1) where x < 0
  kSelu,         // scale x, or scale alpha (exp(x) - 1) where x < 0: constants, below
  kSoftplus,     // log(1 + exp(x))
  kHardSigmoid,  // slope x + shift, at least 0 and at most 1
  kHardSwish,    // x hard_sigmoid(x) with the slope 1/6 and the shift 1/2
  kClip,         // x, at least low and at most high
  kGelu,         // x / 2 (1 + erf(x / sqrt(2)))
  kGeluTanh,     // the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf
  kLog,          // log(x), of kSoftmax only, which knows the logarithm before it knows x
};

// Of kSelu: what keeps mean 0 and variance 1 from layer to layer (Klambauer et al., 2017).
inline constexpr double kSeluAlpha = 1.6732632423543772848;
inline constexpr double kSeluScale = 1.0507009873554804934;

// All of them, in this order, and those that kernels apply to single elements.
std::span<const Activation> all_activations();
std::span<const Activation> elementwise_activations();

// The numbers in an activation's formula, in the order of activation_arguments(). The rest is not
// looked at.
using ActivationArguments = std::array<float, 2>;

// What they are called, here and in kernels, which take them as floats behind all other arguments.
std::span<const std::string_view> activation_arguments(Activation);

// activation(x).
double activated(Activation, double x, const ActivationArguments&);

std::string words_of_activations();  // "identity, relu, ..." as profiles spell them

}  // namespace tilewright

// The activations of networks: the function of each, and its names in kernels, profiles and files.
//
// This is the only list. To add an activation, append it here (at the end of the enumeration and of
// kActivations), to tw_layer_kind (tilewright/network.h), and to docs/parameters.md and
// docs/models.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

namespace tilewright {

// The values are those of tw_layer_kind minus TW_LAYER_IDENTITY.
enum class Activation {
  kIdentity,
  kRelu,
  kLeakyRelu,
  kSigmoid,
  kTanh,
  kSoftmax,
  kElu,
  kSelu,
  kSoftplus,
  kHardSigmoid,
  kHardSwish,
  kClip,
  kGelu,
  kGeluTanh,
  kLogSoftmax,  // for softmax kernels, which then store logarithms
};

// The values of an activation's parameters, in order. Elements without a parameter are ignored.
using ActivationArguments = std::array<float, 2>;

// A parameter in an activation's formula.
struct ActivationParameter {
  std::string_view name;      // name in kernels and JSON, and of the member of ActivationLayer
  float json_default = 0.0f;  // value if a JSON layer omits it
  std::string_view onnx_attribute;  // empty: ONNX has no attribute for it
  float onnx_default = 0.0f;        // value if an ONNX node omits it
};

// One activation.
struct ActivationDescription {
  Activation activation;
  std::string_view name;              // name in messages, points and profiles
  std::string_view kernel_name = {};  // name in points and profiles, if different; "-": kernels do
                                      // not apply it
  std::string_view json_layer;
  std::string_view onnx_operator;
  int onnx_operator_set = 13;  // the first operator set with the operator, if later than 13
  std::span<const ActivationParameter> parameters = {};
  // The function of one element in double precision: the specification that kernels and networks
  // are compared with. `a` and `b` are the values of the parameters. Null for functions of whole
  // rows.
  double (*function)(double x, double a, double b) = nullptr;
  // The function in OpenCL C, of scalars or vectors. {x} is a name, {exp} an exponential function.
  std::string_view text = {};
  std::string_view vector_text = {};  // text for vectors, if different
  // Effect of rounding: the error of x is multiplied by up to max_slope, and the activation itself
  // adds own_ulps units in the last place.
  double max_slope = 1.0;
  int own_ulps = 8;
};

namespace activation_functions {

inline double clip(double x, double low, double high) {
  return std::min(std::max(x, low), high);
}
inline double elu(double x, double slope) {
  return x < 0.0 ? slope * std::expm1(x) : x;
}

}  // namespace activation_functions

// Constants of SELU, which preserve mean 0 and variance 1 from layer to layer (Klambauer et al.,
// 2017).
inline constexpr double kSeluAlpha = 1.6732632423543772848;
inline constexpr double kSeluScale = 1.0507009873554804934;

inline constexpr ActivationParameter kLeakyReluParameters[] = {{"slope", 0.01f, "alpha", 0.01f}};
inline constexpr ActivationParameter kEluParameters[] = {{"slope", 1.0f, "alpha", 1.0f}};
inline constexpr ActivationParameter kHardSigmoidParameters[] = {
    {"slope", 1.0f / 6.0f, "alpha", 0.2f}, {"shift", 0.5f, "beta", 0.5f}};
inline constexpr ActivationParameter kClipParameters[] = {{"low", 0.0f, "", 0.0f},
                                                          {"high", 6.0f, "", 0.0f}};

inline constexpr ActivationDescription kActivations[] = {
    {.activation = Activation::kIdentity,
     .name = "identity",
     .json_layer = "IdentityLayer",
     .onnx_operator = "Identity",
     .function = [](double x, double, double) { return x; },
     .text = "{x}",
     .own_ulps = 0},
    {.activation = Activation::kRelu,
     .name = "relu",
     .json_layer = "ReLULayer",
     .onnx_operator = "Relu",
     .function = [](double x, double, double) { return std::max(x, 0.0); },
     .text = "fmax({x}, 0.0f)",
     .own_ulps = 0},
    // Vectors use select(), which chooses element by element.
    {.activation = Activation::kLeakyRelu,
     .name = "leaky_relu",
     .json_layer = "LeakyReLULayer",
     .onnx_operator = "LeakyRelu",
     .parameters = kLeakyReluParameters,
     .function = [](double x, double slope, double) { return x < 0.0 ? x * slope : x; },
     .text = "{x} < 0.0f ? slope * {x} : {x}",
     .vector_text = "select({x}, slope * {x}, {x} < 0.0f)"},
    {.activation = Activation::kSigmoid,
     .name = "sigmoid",
     .json_layer = "SigmoidLayer",
     .onnx_operator = "Sigmoid",
     .function = [](double x, double, double) { return 1.0 / (1.0 + std::exp(-x)); },
     .text = "1.0f / (1.0f + {exp}(-{x}))"},
    {.activation = Activation::kTanh,
     .name = "tanh",
     .json_layer = "TanhLayer",
     .onnx_operator = "Tanh",
     .function = [](double x, double, double) { return std::tanh(x); },
     .text = "tanh({x})"},
    {.activation = Activation::kSoftmax,
     .name = "softmax",
     .kernel_name = "-",
     .json_layer = "SoftmaxLayer",
     .onnx_operator = "Softmax"},
    {.activation = Activation::kElu,
     .name = "elu",
     .json_layer = "ELULayer",
     .onnx_operator = "Elu",
     .parameters = kEluParameters,
     .function = [](double x, double slope, double) { return activation_functions::elu(x, slope); },
     .text = "fmax({x}, 0.0f) + slope * expm1(fmin({x}, 0.0f))",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kSelu,
     .name = "selu",
     .json_layer = "SELULayer",
     .onnx_operator = "Selu",
     .function = [](double x, double,
                    double) { return kSeluScale * activation_functions::elu(x, kSeluAlpha); },
     .text = "1.050701f * fmax({x}, 0.0f) + 1.7580993f * expm1(fmin({x}, 0.0f))",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kSoftplus,
     .name = "softplus",
     .json_layer = "SoftplusLayer",
     .onnx_operator = "Softplus",
     .function = [](double x, double,
                    double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
     .text = "fmax({x}, 0.0f) + log1p({exp}(-fabs({x})))",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kHardSigmoid,
     .name = "hard_sigmoid",
     .json_layer = "HardSigmoidLayer",
     .onnx_operator = "HardSigmoid",
     .parameters = kHardSigmoidParameters,
     .function =
         [](double x, double slope, double shift) {
           return activation_functions::clip(slope * x + shift, 0.0, 1.0);
         },
     .text = "fmin(fmax(slope * {x} + shift, 0.0f), 1.0f)",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kHardSwish,
     .name = "hard_swish",
     .json_layer = "HardSwishLayer",
     .onnx_operator = "HardSwish",
     .onnx_operator_set = 14,
     .function = [](double x, double,
                    double) { return x * activation_functions::clip(x / 6.0 + 0.5, 0.0, 1.0); },
     .text = "{x} * fmin(fmax({x} * (1.0f / 6.0f) + 0.5f, 0.0f), 1.0f)",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kClip,
     .name = "clip",
     .json_layer = "ClipLayer",
     .onnx_operator = "Clip",
     .parameters = kClipParameters,
     .function = activation_functions::clip,
     .text = "fmin(fmax({x}, low), high)",
     .max_slope = 2.0,
     .own_ulps = 32},
    // erfc() instead of 1 + erf(), because 1 + erf() loses its digits to cancellation for x far
    // below 0.
    {.activation = Activation::kGelu,
     .name = "gelu",
     .json_layer = "GELULayer",
     .onnx_operator = "Gelu",
     .onnx_operator_set = 20,
     .function = [](double x, double,
                    double) { return 0.5 * x * std::erfc(-x * 0.70710678118654752440); },
     .text = "0.5f * {x} * erfc({x} * -0.70710678f)",
     .max_slope = 2.0,
     .own_ulps = 32},
    // (1 + tanh(u)) / 2 is computed as 1 / (1 + exp(-2 u)), which avoids cancellation, too.
    {.activation = Activation::kGeluTanh,
     .name = "gelu_tanh",
     .json_layer = "GELUTanhLayer",
     .onnx_operator = "Gelu",
     .onnx_operator_set = 20,
     .function =
         [](double x, double, double) {
           const double root = 0.79788456080286535588;  // sqrt(2 / pi)
           return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
         },
     .text = "{x} / (1.0f + {exp}(-1.5957691f * ({x} + 0.044715f * {x} * {x} * {x})))",
     .max_slope = 2.0,
     .own_ulps = 32},
    {.activation = Activation::kLogSoftmax,
     .name = "log_softmax",
     .kernel_name = "log",
     .json_layer = "LogSoftmaxLayer",
     .onnx_operator = "LogSoftmax"},
};
inline constexpr std::size_t kNumActivations = std::size(kActivations);

// True if the value is an enumerator. Callers may convert any number to the enumeration.
constexpr bool is_known(Activation activation) {
  return static_cast<std::size_t>(activation) < kNumActivations;
}

// The description of a known activation.
constexpr const ActivationDescription& describe_activation(Activation activation) {
  return kActivations[static_cast<std::size_t>(activation)];
}

constexpr bool is_elementwise(Activation activation) {
  return describe_activation(activation).function != nullptr;
}

// The activations that kernels apply element by element, in the order of the list.
inline constexpr auto kElementwiseActivations = [] {
  constexpr auto kCount =
      std::count_if(std::begin(kActivations), std::end(kActivations),
                    [](const ActivationDescription& each) { return each.function != nullptr; });
  std::array<Activation, static_cast<std::size_t>(kCount)> elementwise{};
  std::size_t count = 0;
  for (const ActivationDescription& each : kActivations) {
    if (each.function != nullptr) elementwise[count++] = each.activation;
  }
  return elementwise;
}();

// Computes an elementwise activation of x.
inline double activated(Activation activation, double x, const ActivationArguments& arguments) {
  return describe_activation(activation)
      .function(x, static_cast<double>(arguments[0]), static_cast<double>(arguments[1]));
}

}  // namespace tilewright

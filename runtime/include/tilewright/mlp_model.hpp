/// @file
/// What is a fully-connected net, as plain data?
///
/// Made by hand, or read from files (tilewright/mlp_files.hpp); tilewright::Mlp (mlp.hpp) runs it.
/// No OpenCL.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

/// What is applied to each element, or, softmax, to each row of activations.
enum class MlpActivation {
  kIdentity,   ///< x
  kRelu,       ///< max(x, 0)
  kLeakyRelu,  ///< x, or slope x where x < 0
  kSigmoid,    ///< 1 / (1 + exp(-x))
  kTanh,       ///< tanh(x)
  kSoftmax,    ///< exp(x) / the sum of exp over the row
  kElu,        ///< x, or slope (exp(x) - 1) where x < 0
  kSelu,  ///< scale x, or scale alpha (exp(x) - 1) where x < 0: 1.0507009873..., 1.6732632423...
  kSoftplus,     ///< log(1 + exp(x))
  kHardSigmoid,  ///< slope x + shift, at least 0 and at most 1
  kHardSwish,    ///< x min(max(x / 6 + 1/2, 0), 1)
  kClip,         ///< x, at least low and at most high; ReLU6 from 0 to 6
  kGelu,         ///< x / 2 (1 + erf(x / sqrt(2)))
  kGeluTanh,     ///< the same with tanh(sqrt(2 / pi) (x + 0.044715 x^3)) for erf
  kLogSoftmax    ///< the logarithm of softmax
};

/// Y = X W + b. X is batch x inputs, Y batch x outputs.
struct AffineLayer {
  std::string name;            ///< for messages; may be empty
  std::int64_t inputs = 0;     ///< columns of X
  std::int64_t outputs = 0;    ///< columns of Y
  std::vector<float> weights;  ///< W: inputs x outputs, row-major
  std::vector<float> bias;     ///< b: outputs floats, or empty: none
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const AffineLayer& other) const {
    return name == other.name && inputs == other.inputs && outputs == other.outputs &&
           weights == other.weights && bias == other.bias;
  }
  /// @param other  what to compare with
  /// @return whether any member differs
  bool operator!=(const AffineLayer& other) const { return !(*this == other); }
};

/// Y = f(X), of the same shape.
struct ActivationLayer {
  std::string name;                                     ///< for messages; may be empty
  MlpActivation activation = MlpActivation::kIdentity;  ///< f
  float slope = 0.01f;  ///< of kLeakyRelu and kElu, for x < 0, and of kHardSigmoid
  float shift = 0.5f;   ///< of kHardSigmoid
  float low = 0.0f;     ///< of kClip
  float high = 6.0f;    ///< of kClip
  /// @param other  what to compare with
  /// @return whether all members are equal
  bool operator==(const ActivationLayer& other) const {
    return name == other.name && activation == other.activation && slope == other.slope &&
           shift == other.shift && low == other.low && high == other.high;
  }
  /// @param other  what to compare with
  /// @return whether any member differs
  bool operator!=(const ActivationLayer& other) const { return !(*this == other); }
};

/// One layer of a net.
using MlpLayer = std::variant<AffineLayer, ActivationLayer>;

/// The layers in the order in which they are applied. A value: copies are deep.
struct MlpModel {
  std::vector<MlpLayer> layers;  ///< of which at least one is affine
  /// @param other  what to compare with
  /// @return whether all layers are equal
  bool operator==(const MlpModel& other) const { return layers == other.layers; }
  /// @param other  what to compare with
  /// @return whether any layer differs
  bool operator!=(const MlpModel& other) const { return !(*this == other); }
};

}  // namespace tilewright

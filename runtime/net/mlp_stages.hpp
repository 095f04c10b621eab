// Divides a chain of layers into stages and decides where each stage's result is stored. Uses no
// OpenCL.
//
// An affine layer and the activation after it are one stage: a product with an epilogue. A softmax,
// a second activation, or an activation without an affine layer before it is a separate stage. It
// works in place where possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "runtime/call/epilogue.hpp"

namespace tilewright {

// Where the matrix of a stage is stored: in a matrix of the caller, or in one of two buffers that
// the stages use alternately.
enum class MlpPlace { kInput, kEven, kOdd, kOutput };

inline bool is_between_layers(MlpPlace place) {
  return place == MlpPlace::kEven || place == MlpPlace::kOdd;
}

// One or more layers that run as one product, one activation or one softmax.
struct MlpStage {
  enum class Kind { kProduct, kActivation, kSoftmax };
  Kind kind = Kind::kProduct;
  std::string name;          // names of its layers
  std::size_t product = 0;   // product: index among the affine layers of the model
  std::int64_t inputs = 0;   // columns of its input
  std::int64_t outputs = 0;  // columns of its result
  // Product: bias and activation, may be empty. Activation: the activation. Softmax: kLogSoftmax or
  // empty.
  LayerEpilogue epilogue;
  ActivationArguments arguments = {};
  MlpPlace from = MlpPlace::kInput;
  MlpPlace to = MlpPlace::kOutput;
};

// Returns the layer's name, or a description such as "affine 784x10" if it has none.
std::string title_of(const MlpLayer& layer);

// Returns "relu", "softmax" ...
std::string activation_name(MlpActivation);

// Throws Error TW_INVALID_VALUE or TW_INVALID_DIMENSION for a model that cannot be run. The message
// contains the first invalid layer.
void check_model(const MlpModel& model);

// A layer of a chain. Each layer reads the result of the previous one.
struct ChainLayer {
  const MlpLayer* layer = nullptr;
  std::size_t product = 0;  // affine layer: index among the affine layers of the model
};
// Returns the stages of a chain of affine layers and activations. `columns`: of the chain's input.
std::vector<MlpStage> stages_of_chain(const std::vector<ChainLayer>& layers, std::int64_t columns);

// Returns the stages of all chains of a model. The model must pass check_model().
std::vector<MlpStage> make_stages(const MlpModel& model);

}  // namespace tilewright

// What must be done for a net, in which order, and where do its matrices lie?
//
// Without a device: a checked model in, stages out. An affine layer and the first activation behind
// it are one stage, a product with a epilogue; a softmax, a second activation, or one with no
// affine layer before it is a stage of its own, in place where it can be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "runtime/call/epilogue.hpp"

namespace tilewright {

// Where a stage's matrix lies: the caller's, or one of the two buffers that take turns.
enum class MlpPlace { kInput, kEven, kOdd, kOutput };

inline bool is_between_layers(MlpPlace place) {
  return place == MlpPlace::kEven || place == MlpPlace::kOdd;
}

struct MlpStage {
  enum class Kind { kProduct, kActivation, kSoftmax };
  Kind kind = Kind::kProduct;
  std::string name;         // of its layers
  std::size_t product = 0;  // of a product: which it is of the net's affine layers
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  LayerEpilogue
      epilogue;  // of a product, may be empty; of an activation; of a softmax with kLogSoftmax
  ActivationArguments arguments = {};
  MlpPlace from = MlpPlace::kInput;
  MlpPlace to = MlpPlace::kOutput;
};

// What a layer is called where it is described.
std::string title_of(const MlpLayer& layer);

// "relu", "softmax" ...
std::string activation_name(MlpActivation);

// Throws Error TW_INVALID_VALUE or TW_INVALID_DIMENSION, naming the layer, unless the model is a
// net.
void check_model(const MlpModel& model);

// The stages of a chain of affine layers and activations, whose input has so many columns: each
// layer takes the result of the one before. `product`: which of the
// affine layers of the model an affine layer is.
struct ChainLayer {
  const MlpLayer* layer = nullptr;
  std::size_t product = 0;
};
std::vector<MlpStage> stages_of_chain(const std::vector<ChainLayer>& layers, std::int64_t columns);

// The stages of all chains of a model that has been checked.
std::vector<MlpStage> make_stages(const MlpModel& model);

}  // namespace tilewright

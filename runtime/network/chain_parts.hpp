// Divides a chain of layers into parts and decides where each part's result is stored. Uses no
// OpenCL.
//
// An affine layer and the activation after it are one part: a product with an epilogue. A softmax,
// a second activation, or an activation without an affine layer before it is a separate part. It
// works in place where possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/call/epilogue.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Where the matrix of a part is stored: in a matrix of the caller, or in one of two buffers that
// the parts use alternately.
enum class NetworkPlace { kInput, kEven, kOdd, kOutput };

inline bool is_between_layers(NetworkPlace place) {
  return place == NetworkPlace::kEven || place == NetworkPlace::kOdd;
}

// One or more layers that run as one product, one activation or one softmax.
struct ChainPart {
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
  NetworkPlace from = NetworkPlace::kInput;
  NetworkPlace to = NetworkPlace::kOutput;
};

// Returns the layer's name, or a description such as "affine 784x10" if it has none.
std::string display_name(const NetworkLayer& layer);

// Returns "relu", "softmax" ...
std::string activation_name(NetworkActivation);

// Throws Error TW_INVALID_NETWORK or TW_INVALID_DIMENSION for a model that cannot be run. The
// message contains the first invalid layer.
void check_model(const NetworkModel& model);

// A layer of a chain. Each layer reads the result of the previous one.
struct ChainLayer {
  const NetworkLayer* layer = nullptr;
  std::size_t product = 0;  // affine layer: index among the affine layers of the model
};
// Returns the parts of a chain of affine layers and activations. `columns`: of the chain's input.
std::vector<ChainPart> make_chain_parts(const std::vector<ChainLayer>& layers,
                                        std::int64_t columns);

// Returns the parts of all chains of a model. The model must pass check_model().
std::vector<ChainPart> make_parts(const NetworkModel& model);

}  // namespace tilewright

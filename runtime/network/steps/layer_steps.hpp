// Joins affine layers and activations that follow each other into steps. Uses no OpenCL.
//
// An affine layer and the activation after it are one step: a product with an epilogue. A softmax,
// a second activation, or an activation without an affine layer before it is a separate step. It
// works in place where possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/call/epilogue.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// One or more layers that run as one product, one activation or one softmax.
struct LayerStep {
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
  NetworkValue from = 0;
  NetworkValue to = 0;  // the same as `from`: in place
};

// Affine layers and activations, each of which reads only the result of the previous one.
struct LayerChain {
  struct Link {
    const NetworkLayer* layer = nullptr;
    std::size_t product = 0;  // affine layer: index among the affine layers of the model
    NetworkValue value = 0;   // its result
  };
  std::vector<Link> links;
  NetworkValue from = 0;
  std::int64_t columns = 0;  // of `from`
};
std::vector<LayerStep> layer_steps(const LayerChain& chain);

// Returns the steps of all chains of a model without fault.
std::vector<LayerStep> layer_steps(const NetworkModel& model);

}  // namespace tilewright

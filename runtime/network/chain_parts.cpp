#include "runtime/network/chain_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {

std::string display_name(const NetworkLayer& layer) {
  if (!layer_name(layer).empty()) return layer_name(layer);
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    return fmt::format("affine {}x{}", affine->inputs, affine->outputs);
  }
  if (const auto* operation = std::get_if<OperationLayer>(&layer)) {
    return std::string(describe_operation(operation->operation).name);
  }
  return activation_name(std::get<ActivationLayer>(layer).activation);
}

namespace {

// Builds the parts from layers that are added in order.
class StageWriter {
 public:
  void add(const AffineLayer& layer, std::size_t product) {
    ChainPart part;
    part.product = product;
    ++products_;
    part.name = display_name(layer);
    part.inputs = layer.inputs;
    part.outputs = layer.outputs;
    part.epilogue.bias = !layer.bias.empty();
    parts_.push_back(part);
  }
  void add(const ActivationLayer& layer) {
    const std::string name = display_name(layer);
    if (layer.activation == NetworkActivation::kIdentity) return;
    const bool softmax = !is_elementwise(to_activation(layer.activation));
    if (!softmax && accepts_activation()) {
      parts_.back().name += " + " + name;
    } else {
      ChainPart part;
      part.kind = softmax ? ChainPart::Kind::kSoftmax : ChainPart::Kind::kActivation;
      part.name = name;
      parts_.push_back(part);
    }
    const bool plain = layer.activation == NetworkActivation::kSoftmax;
    parts_.back().epilogue.activation =
        plain ? Activation::kIdentity : to_activation(layer.activation);
    parts_.back().arguments = activation_arguments(layer);
  }
  std::vector<ChainPart> finished(std::int64_t columns);

 private:
  bool accepts_activation() const {
    return !parts_.empty() && parts_.back().kind == ChainPart::Kind::kProduct &&
           parts_.back().epilogue.activation == Activation::kIdentity;
  }
  void set_widths(std::int64_t width);

  std::vector<ChainPart> parts_;
  std::size_t products_ = 0;
};

// Activations have as many outputs as inputs.
void StageWriter::set_widths(std::int64_t width) {
  for (ChainPart& part : parts_) {
    if (part.kind != ChainPart::Kind::kProduct) part.inputs = part.outputs = width;
    width = part.outputs;
  }
}

// The last product writes to the caller's output, where the following parts work in place.
std::vector<ChainPart> StageWriter::finished(std::int64_t columns) {
  set_widths(columns);
  NetworkPlace at = NetworkPlace::kInput;
  std::size_t products_to_come = products_;
  for (ChainPart& part : parts_) {
    part.from = part.to = at;
    const bool product = part.kind == ChainPart::Kind::kProduct;
    if (product) --products_to_come;
    if (product || at == NetworkPlace::kInput) {
      at = products_to_come == 0       ? NetworkPlace::kOutput
           : at == NetworkPlace::kEven ? NetworkPlace::kOdd
                                       : NetworkPlace::kEven;
      part.to = at;
    }
  }
  return std::move(parts_);
}

}  // namespace

std::string activation_name(NetworkActivation activation) {
  return std::string(describe_activation(to_activation(activation)).name);
}

void check_model(const NetworkModel& model) {
  static_assert(kMaxLayerExtent == kMaxExtent);
  const auto fault = find_fault(model);
  if (!fault) return;
  throw Error(
      fault->is_too_large ? TW_INVALID_DIMENSION : TW_INVALID_NETWORK,
      fmt::format("{} {}", fault->place.empty() ? "the network" : fault->place, fault->reason));
}

std::vector<ChainPart> make_chain_parts(const std::vector<ChainLayer>& layers,
                                        std::int64_t columns) {
  StageWriter writer;
  for (const ChainLayer& each : layers) {
    if (const auto* affine = std::get_if<AffineLayer>(each.layer)) {
      writer.add(*affine, each.product);
    } else {
      writer.add(std::get<ActivationLayer>(*each.layer));
    }
  }
  return writer.finished(columns);
}

std::vector<ChainPart> make_parts(const NetworkModel& model) {
  return network_steps(model).parts;
}

}  // namespace tilewright

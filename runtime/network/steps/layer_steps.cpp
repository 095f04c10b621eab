#include "runtime/network/steps/layer_steps.hpp"

#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {
namespace {

LayerStep product_step(const AffineLayer& layer, std::size_t product) {
  LayerStep step;
  step.product = product;
  step.inputs = layer.inputs;
  step.outputs = layer.outputs;
  step.epilogue.bias = !layer.bias.empty();
  return step;
}

// Adds an activation to the last step, or appends a step for it.
void add_activation(std::vector<LayerStep>& steps, const NetworkLayer& any, std::int64_t columns) {
  const auto& layer = std::get<ActivationLayer>(any);
  const Activation activation = layer.activation;
  const bool softmax = !is_elementwise(activation);
  if (!softmax && !steps.empty() && steps.back().kind == LayerStep::Kind::kProduct &&
      steps.back().epilogue.activation == Activation::kIdentity) {
    steps.back().name += " + " + display_name(any);
  } else {
    LayerStep& step = steps.emplace_back();
    step.kind = softmax ? LayerStep::Kind::kSoftmax : LayerStep::Kind::kActivation;
    step.name = display_name(any);
    step.inputs = step.outputs = columns;
  }
  steps.back().epilogue.activation =
      activation == Activation::kSoftmax ? Activation::kIdentity : activation;
  steps.back().arguments = activation_arguments(layer);
}

}  // namespace

std::vector<LayerStep> layer_steps(const LayerChain& chain) {
  std::vector<LayerStep> steps;
  for (const LayerChain::Link& link : chain.links) {
    if (const auto* affine = std::get_if<AffineLayer>(link.layer)) {
      steps.push_back(product_step(*affine, link.product));
      steps.back().name = display_name(*link.layer);
    } else if (std::get<ActivationLayer>(*link.layer).activation != Activation::kIdentity) {
      add_activation(steps, *link.layer, steps.empty() ? chain.columns : steps.back().outputs);
    }
    if (!steps.empty()) steps.back().to = link.value;
  }
  // What works in place on the result of a step makes this step write there.
  for (std::size_t i = steps.size(); i-- > 1;) {
    if (steps[i].kind != LayerStep::Kind::kProduct) steps[i - 1].to = steps[i].to;
  }
  NetworkValue from = chain.from;
  for (LayerStep& step : steps) {
    step.from = from;
    from = step.to;
  }
  return steps;
}

std::vector<LayerStep> layer_steps(const NetworkModel& model) {
  std::vector<LayerStep> layers;
  for (const NetworkStep& step : network_steps(model).steps) {
    if (const auto* layer = std::get_if<LayerStep>(&step)) layers.push_back(*layer);
  }
  return layers;
}

}  // namespace tilewright

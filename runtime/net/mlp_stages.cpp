#include "runtime/net/mlp_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/net/model_rules.hpp"
#include "runtime/net/net_steps.hpp"

namespace tilewright {

std::string title_of(const MlpLayer& layer) {
  if (!layer_name(layer).empty()) return layer_name(layer);
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    return fmt::format("affine {}x{}", affine->inputs, affine->outputs);
  }
  if (const auto* operation = std::get_if<OperationLayer>(&layer)) {
    return std::string(describe_activation(operation->operation).name);
  }
  return activation_name(std::get<ActivationLayer>(layer).activation);
}

namespace {

// Builds the stages from layers that are added in order.
class Folding {
 public:
  void add(const AffineLayer& layer, std::size_t product) {
    MlpStage stage;
    stage.product = product;
    ++products_;
    stage.name = title_of(layer);
    stage.inputs = layer.inputs;
    stage.outputs = layer.outputs;
    stage.epilogue.bias = !layer.bias.empty();
    stages_.push_back(stage);
  }
  void add(const ActivationLayer& layer) {
    const std::string name = title_of(layer);
    if (layer.activation == MlpActivation::kIdentity) return;
    const bool softmax = !is_elementwise(to_activation(layer.activation));
    if (!softmax && accepts_activation()) {
      stages_.back().name += " + " + name;
    } else {
      MlpStage stage;
      stage.kind = softmax ? MlpStage::Kind::kSoftmax : MlpStage::Kind::kActivation;
      stage.name = name;
      stages_.push_back(stage);
    }
    const bool plain = layer.activation == MlpActivation::kSoftmax;
    stages_.back().epilogue.activation =
        plain ? Activation::kIdentity : to_activation(layer.activation);
    stages_.back().arguments = activation_arguments(layer);
  }
  std::vector<MlpStage> finished(std::int64_t columns);

 private:
  bool accepts_activation() const {
    return !stages_.empty() && stages_.back().kind == MlpStage::Kind::kProduct &&
           stages_.back().epilogue.activation == Activation::kIdentity;
  }
  void set_widths(std::int64_t width);

  std::vector<MlpStage> stages_;
  std::size_t products_ = 0;
};

// Activations have as many outputs as inputs.
void Folding::set_widths(std::int64_t width) {
  for (MlpStage& stage : stages_) {
    if (stage.kind != MlpStage::Kind::kProduct) stage.inputs = stage.outputs = width;
    width = stage.outputs;
  }
}

// The last product writes to the caller's output, where the following stages work in place.
std::vector<MlpStage> Folding::finished(std::int64_t columns) {
  set_widths(columns);
  MlpPlace at = MlpPlace::kInput;
  std::size_t products_to_come = products_;
  for (MlpStage& stage : stages_) {
    stage.from = stage.to = at;
    const bool product = stage.kind == MlpStage::Kind::kProduct;
    if (product) --products_to_come;
    if (product || at == MlpPlace::kInput) {
      at = products_to_come == 0   ? MlpPlace::kOutput
           : at == MlpPlace::kEven ? MlpPlace::kOdd
                                   : MlpPlace::kEven;
      stage.to = at;
    }
  }
  return std::move(stages_);
}

}  // namespace

std::string activation_name(MlpActivation activation) {
  return std::string(describe_activation(to_activation(activation)).name);
}

void check_model(const MlpModel& model) {
  static_assert(kMaxLayerExtent == kMaxExtent);
  const auto fault = find_fault(model);
  if (!fault) return;
  throw Error(
      fault->is_too_large ? TW_INVALID_DIMENSION : TW_INVALID_VALUE,
      fmt::format("{} {}", fault->place.empty() ? "the network" : fault->place, fault->reason));
}

std::vector<MlpStage> stages_of_chain(const std::vector<ChainLayer>& layers, std::int64_t columns) {
  Folding folding;
  for (const ChainLayer& each : layers) {
    if (const auto* affine = std::get_if<AffineLayer>(each.layer)) {
      folding.add(*affine, each.product);
    } else {
      folding.add(std::get<ActivationLayer>(*each.layer));
    }
  }
  return folding.finished(columns);
}

std::vector<MlpStage> make_stages(const MlpModel& model) {
  return net_steps(model).stages;
}

}  // namespace tilewright

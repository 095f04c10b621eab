#include "runtime/net/mlp_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/gemm_problem.hpp"
#include "runtime/net/model_rules.hpp"

namespace tilewright {
namespace {

// What a layer is called where it is described.
std::string title(const MlpLayer& layer) {
  if (!layer_name(layer).empty()) return layer_name(layer);
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    return fmt::format("affine {}x{}", affine->inputs, affine->outputs);
  }
  return activation_name(std::get<ActivationLayer>(layer).activation);
}

// Makes stages of layers, one after the other.
class Folding {
 public:
  void add(const AffineLayer& layer, const std::string& name) {
    MlpStage stage;
    stage.product = products_++;
    stage.name = name;
    stage.inputs = layer.inputs;
    stage.outputs = layer.outputs;
    stage.epilogue.bias = !layer.bias.empty();
    stages_.push_back(stage);
  }
  void add(const ActivationLayer& layer, const std::string& name) {
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
  std::vector<MlpStage> finished();

 private:
  bool accepts_activation() const {
    return !stages_.empty() && stages_.back().kind == MlpStage::Kind::kProduct &&
           stages_.back().epilogue.activation == Activation::kIdentity;
  }
  void set_widths();

  std::vector<MlpStage> stages_;
  std::size_t products_ = 0;
};

// Activations keep the width of what they are applied to.
void Folding::set_widths() {
  const auto is_product = [](const MlpStage& stage) {
    return stage.kind == MlpStage::Kind::kProduct;
  };
  std::int64_t width = std::find_if(stages_.begin(), stages_.end(), is_product)->inputs;
  for (MlpStage& stage : stages_) {
    if (!is_product(stage)) stage.inputs = stage.outputs = width;
    width = stage.outputs;
  }
}

// The last product writes the caller's output, where what follows it works in place.
std::vector<MlpStage> Folding::finished() {
  set_widths();
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
  throw Error(fault->is_too_large ? TW_INVALID_DIMENSION : TW_INVALID_VALUE,
              fmt::format("{} {}", fault->place.empty() ? "the net" : fault->place, fault->reason));
}

std::vector<MlpStage> make_stages(const MlpModel& model) {
  Folding folding;
  for (const MlpLayer& layer : model.layers) {
    std::visit([&](const auto& any) { folding.add(any, title(layer)); }, layer);
  }
  return folding.finished();
}

}  // namespace tilewright

#include "runtime/net/mlp_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "runtime/call/gemm_problem.hpp"

namespace tilewright {
namespace {

const std::string& name_of(const MlpLayer& layer) {
  return std::visit([](const auto& any) -> const std::string& { return any.name; }, layer);
}

bool is_known(MlpActivation activation) {
  return activation >= MlpActivation::kIdentity && activation <= MlpActivation::kLogSoftmax;
}

// What messages begin with.
std::string label(const MlpModel& model, std::size_t index) {
  const std::string& name = name_of(model.layers[index]);
  return name.empty() ? fmt::format("layer {}", index + 1)
                      : fmt::format("layer {} ('{}')", index + 1, name);
}

// What a layer is called where it is described.
std::string title(const MlpLayer& layer) {
  if (!name_of(layer).empty()) return name_of(layer);
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
    return fmt::format("affine {}x{}", affine->inputs, affine->outputs);
  }
  return name_of(std::get<ActivationLayer>(layer).activation);
}

void check_extent(const std::string& layer, const char* what, std::int64_t extent) {
  if (extent < 1) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("{} has {} {}: at least 1 is needed", layer, extent, what));
  }
  if (std::cmp_greater(extent, kMaxExtent)) {
    throw Error(TW_INVALID_DIMENSION, fmt::format("{} has {} {}: at most {} are served", layer,
                                                  extent, what, kMaxExtent));
  }
}

// `width`: what the layers before give, if there is an affine one.
void check_affine(const std::string& layer, const AffineLayer& affine,
                  std::optional<std::int64_t> width) {
  check_extent(layer, "inputs", affine.inputs);
  check_extent(layer, "outputs", affine.outputs);
  if (width && affine.inputs != *width) {
    throw Error(TW_INVALID_VALUE, fmt::format("{} has {} inputs, but the layers before it give {}",
                                              layer, affine.inputs, *width));
  }
  if (std::cmp_not_equal(affine.weights.size(), affine.inputs * affine.outputs)) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("{} has {} weights instead of {} x {}", layer, affine.weights.size(),
                            affine.inputs, affine.outputs));
  }
  if (!affine.bias.empty() && std::cmp_not_equal(affine.bias.size(), affine.outputs)) {
    throw Error(TW_INVALID_VALUE, fmt::format("{} has {} biases instead of {} or none", layer,
                                              affine.bias.size(), affine.outputs));
  }
}

void check_activation(const std::string& layer, const ActivationLayer& activation) {
  if (!is_known(activation.activation)) {
    throw Error(TW_INVALID_VALUE, fmt::format("{} has activation {}, which is none", layer,
                                              static_cast<int>(activation.activation)));
  }
  const Activation applied = elementwise(activation.activation);
  const std::span<const std::string_view> names = activation_arguments(applied);
  const ActivationArguments values = arguments_of(activation);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(TW_INVALID_VALUE,
                fmt::format("{} has {} {}, which is no finite number", layer, names[i], values[i]));
  }
  if (applied == Activation::kClip && activation.low > activation.high) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("{} has low {} above high {}", layer, activation.low, activation.high));
  }
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
    const bool softmax = layer.activation == MlpActivation::kSoftmax ||
                         layer.activation == MlpActivation::kLogSoftmax;
    if (!softmax && takes_activation()) {
      stages_.back().name += " + " + name;
    } else {
      MlpStage stage;
      stage.kind = softmax ? MlpStage::Kind::kSoftmax : MlpStage::Kind::kActivation;
      stage.name = name;
      stages_.push_back(stage);
    }
    stages_.back().epilogue.activation = elementwise(layer.activation);
    stages_.back().arguments = arguments_of(layer);
  }
  std::vector<MlpStage> finished();

 private:
  bool takes_activation() const {
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

Activation elementwise(MlpActivation activation) {
  switch (activation) {
    case MlpActivation::kRelu:
      return Activation::kRelu;
    case MlpActivation::kLeakyRelu:
      return Activation::kLeakyRelu;
    case MlpActivation::kSigmoid:
      return Activation::kSigmoid;
    case MlpActivation::kTanh:
      return Activation::kTanh;
    case MlpActivation::kElu:
      return Activation::kElu;
    case MlpActivation::kSelu:
      return Activation::kSelu;
    case MlpActivation::kSoftplus:
      return Activation::kSoftplus;
    case MlpActivation::kHardSigmoid:
      return Activation::kHardSigmoid;
    case MlpActivation::kHardSwish:
      return Activation::kHardSwish;
    case MlpActivation::kClip:
      return Activation::kClip;
    case MlpActivation::kGelu:
      return Activation::kGelu;
    case MlpActivation::kGeluTanh:
      return Activation::kGeluTanh;
    case MlpActivation::kLogSoftmax:
      return Activation::kLog;
    case MlpActivation::kIdentity:
    case MlpActivation::kSoftmax:
      break;
  }
  return Activation::kIdentity;
}

ActivationArguments arguments_of(const ActivationLayer& layer) {
  if (layer.activation == MlpActivation::kClip) return {layer.low, layer.high};
  return {layer.slope, layer.shift};
}

std::string name_of(MlpActivation activation) {
  if (activation == MlpActivation::kSoftmax) return "softmax";
  if (activation == MlpActivation::kLogSoftmax) return "log_softmax";
  return std::string(to_text(elementwise(activation)));
}

void check_model(const MlpModel& model) {
  std::optional<std::int64_t> width;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const MlpLayer& layer = model.layers[i];
    if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
      check_affine(label(model, i), *affine, width);
      width = affine->outputs;
    } else {
      check_activation(label(model, i), std::get<ActivationLayer>(layer));
    }
  }
  if (!width) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("the net has no affine layer, of {} layers", model.layers.size()));
  }
}

std::vector<MlpStage> stages_of(const MlpModel& model) {
  Folding folding;
  for (const MlpLayer& layer : model.layers) {
    std::visit([&](const auto& any) { folding.add(any, title(layer)); }, layer);
  }
  return folding.finished();
}

}  // namespace tilewright

#include <fmt/format.h>

#include <limits>

#include "model_place.hpp"
#include "profiles/quoted.hpp"

namespace tilewright {
namespace {

ModelPlace place_of(const std::string& file, std::size_t index, const MlpLayer& layer) {
  const std::string& name =
      std::visit([](const auto& any) -> const std::string& { return any.name; }, layer);
  const std::string number = fmt::format("layer {}", index + 1);
  return {file, name.empty() ? number : fmt::format("{} ({})", number, in_quotes(name))};
}

void check_affine(const AffineLayer& layer, const ModelPlace& place) {
  if (layer.inputs < 1 || layer.outputs < 1) {
    place.fail(fmt::format("has {} inputs and {} outputs; each must be 1 or more", layer.inputs,
                           layer.outputs));
  }
  const auto inputs = static_cast<std::uint64_t>(layer.inputs);
  const auto outputs = static_cast<std::uint64_t>(layer.outputs);
  const bool countable = outputs <= std::numeric_limits<std::uint64_t>::max() / inputs;
  if (!countable || layer.weights.size() != inputs * outputs) {
    place.fail(fmt::format("has {} weights, not {} x {}", layer.weights.size(), inputs, outputs));
  }
  if (!layer.bias.empty() && layer.bias.size() != outputs) {
    place.fail(fmt::format("has {} biases for {} outputs", layer.bias.size(), outputs));
  }
}

void check_activation(const ActivationLayer& layer, const ModelPlace& place) {
  switch (layer.activation) {
    case MlpActivation::kIdentity:
    case MlpActivation::kRelu:
    case MlpActivation::kLeakyRelu:
    case MlpActivation::kSigmoid:
    case MlpActivation::kTanh:
    case MlpActivation::kSoftmax:
    case MlpActivation::kElu:
    case MlpActivation::kSelu:
    case MlpActivation::kSoftplus:
    case MlpActivation::kHardSigmoid:
    case MlpActivation::kHardSwish:
    case MlpActivation::kClip:
    case MlpActivation::kGelu:
    case MlpActivation::kGeluTanh:
    case MlpActivation::kLogSoftmax:
      return;
  }
  place.fail(
      fmt::format("has the activation {}, which is none", static_cast<int>(layer.activation)));
}

}  // namespace

void check_mlp_model_of(const MlpModel& model, const std::string& file) {
  std::int64_t width = 0;  // of what the layers so far give; 0: no affine layer yet
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ModelPlace place = place_of(file, i, model.layers[i]);
    const auto* const affine = std::get_if<AffineLayer>(&model.layers[i]);
    if (affine == nullptr) {
      check_activation(std::get<ActivationLayer>(model.layers[i]), place);
      continue;
    }
    check_affine(*affine, place);
    if (width != 0 && affine->inputs != width) {
      place.fail(
          fmt::format("takes {} inputs, but the layers before it give {}", affine->inputs, width));
    }
    width = affine->outputs;
  }
  if (width == 0) ModelPlace{file, ""}.fail("has no affine layer");
}

void check_mlp_model(const MlpModel& model) {
  check_mlp_model_of(model, "");
}

}  // namespace tilewright

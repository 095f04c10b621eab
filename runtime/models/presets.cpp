#include <fmt/ranges.h>

#include <cmath>
#include <random>

#include "model_place.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

struct Preset {
  const char* name;
  std::vector<std::int64_t> widths;  // columns of the input and of each affine layer's output
  Activation activation = Activation::kRelu;  // after each affine layer except the last
};

// Tables 10.1 to 10.4 of Rovder's thesis (after Sato et al.), and the network of its section 6.4.
std::vector<Preset> presets() {
  return {{"full-mnist", {784, 2500, 2000, 10}},
          {"full-cifar", {3072, 4096, 3072, 10}},
          {"partial-mnist", {640, 150, 10}},
          {"partial-cifar", {256, 128, 10}},
          {"sigmoid-mnist", {784, 100, 100, 10}, Activation::kSigmoid}};
}

// Uniform in [-1, 1), from 24 random bits, the precision of a float. The results of
// std::uniform_real_distribution would depend on the standard library.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  float next() { return static_cast<float>(engine_() >> 40) * 0x1p-23f - 1.0f; }

 private:
  std::mt19937_64 engine_;
};

AffineLayer random_layer(std::int64_t inputs, std::int64_t outputs, Uniform& uniform) {
  AffineLayer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.weights.resize(static_cast<std::size_t>(inputs * outputs));
  layer.bias.resize(static_cast<std::size_t>(outputs));
  const float scale = 1.0f / std::sqrt(static_cast<float>(inputs));
  for (float& weight : layer.weights) weight = uniform.next() * scale;
  for (float& bias : layer.bias) bias = uniform.next() * scale;
  return layer;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

NetworkModel preset_model(const std::string& name, std::uint64_t seed) {
  for (const Preset& preset : presets()) {
    if (name != preset.name) continue;
    NetworkModel model;
    Uniform uniform(seed);
    for (std::size_t i = 1; i < preset.widths.size(); ++i) {
      if (i > 1) model.layers.emplace_back(ActivationLayer{"", preset.activation});
      model.layers.emplace_back(random_layer(preset.widths[i - 1], preset.widths[i], uniform));
    }
    return model;
  }
  ModelPlace{"", fmt::format("preset {}", in_quotes(name))}.fail(
      fmt::format("does not exist; the presets are {}", fmt::join(preset_names(), ", ")));
}

}  // namespace tilewright

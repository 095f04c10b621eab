#include "tuner/bench/networks/net_facts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiles/base/printable.hpp"
#include "runtime/net/mlp_stages.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

LayerFacts make_net_facts(const AffineLayer& layer) {
  return {layer.bias.empty() ? "affine without bias" : "affine",
          layer.name,
          layer.inputs,
          layer.outputs,
          static_cast<std::int64_t>(layer.weights.size() + layer.bias.size()),
          2.0 * static_cast<double>(layer.inputs) * static_cast<double>(layer.outputs)};
}

LayerFacts make_net_facts(const ActivationLayer& layer) {
  return {activation_name(layer.activation), layer.name};
}

// Activations keep the width of what they are applied to, also those before the first affine layer.
void set_widths(NetFacts& facts) {
  for (const LayerFacts& layer : facts.layers) {
    if (facts.inputs == 0) facts.inputs = layer.inputs;
  }
  facts.outputs = facts.inputs;
  for (LayerFacts& layer : facts.layers) {
    if (layer.inputs == 0) layer.inputs = layer.outputs = facts.outputs;
    facts.outputs = layer.outputs;
  }
}

std::string grouped(double number) {
  std::string text = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string row(const std::string& number, const std::string& kind, const std::string& name,
                std::int64_t inputs, std::int64_t outputs, std::int64_t parameters, double flops) {
  return fmt::format("{:<6}{:<21}{:<20}{:>8}{:>8}{:>14}{:>16}{:>14}\n", number, kind, name, inputs,
                     outputs, grouped(static_cast<double>(parameters)), grouped(flops),
                     grouped(sizeof(float) * static_cast<double>(parameters)));
}

}  // namespace

NetFacts make_net_facts(const MlpModel& model) {
  NetFacts facts;
  for (const MlpLayer& layer : model.layers) {
    facts.layers.push_back(std::visit([](const auto& any) { return make_net_facts(any); }, layer));
    facts.parameters += facts.layers.back().parameters;
    facts.flops += facts.layers.back().flops;
  }
  set_widths(facts);
  return facts;
}

std::string widths_text(const NetFacts& facts) {
  std::string text = fmt::format("{}", facts.inputs);
  for (const LayerFacts& layer : facts.layers) {
    if (layer.parameters > 0) text += fmt::format(", {}", layer.outputs);
  }
  return text;
}

std::string to_table(const std::string& name, const NetFacts& facts) {
  std::string text =
      fmt::format("{}: {} layers, widths {}\n\n", name, facts.layers.size(), widths_text(facts));
  text += fmt::format("{:<6}{:<21}{:<20}{:>8}{:>8}{:>14}{:>16}{:>14}\n", "layer", "what", "name",
                      "inputs", "outputs", "parameters", "flops/sample", "bytes");
  for (std::size_t i = 0; i < facts.layers.size(); ++i) {
    const LayerFacts& layer = facts.layers[i];
    text += row(fmt::format("{}", i + 1), layer.kind, printable(layer.name), layer.inputs,
                layer.outputs, layer.parameters, layer.flops);
  }
  text += row("all", "", "", facts.inputs, facts.outputs, facts.parameters, facts.flops);
  text += "flops: 2 inputs outputs of an affine layer; bytes: of the parameters, as float32\n";
  return text;
}

std::string to_json(const std::string& name, const NetFacts& facts) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const LayerFacts& layer : facts.layers) {
    layers.push_back({{"kind", layer.kind},
                      {"name", layer.name},
                      {"inputs", layer.inputs},
                      {"outputs", layer.outputs},
                      {"parameters", layer.parameters},
                      {"flops_per_sample", layer.flops}});
  }
  const nlohmann::ordered_json json{{"model", name},
                                    {"inputs", facts.inputs},
                                    {"outputs", facts.outputs},
                                    {"parameters", facts.parameters},
                                    {"flops_per_sample", facts.flops},
                                    {"bytes", facts.bytes()},
                                    {"layers", layers}};
  return pretty(json);
}

}  // namespace tilewright

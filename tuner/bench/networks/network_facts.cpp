#include "tuner/bench/networks/network_facts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiles/base/printable.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

LayerFacts make_network_facts(const AffineLayer& layer) {
  return {layer.bias.empty() ? "affine without bias" : "affine",
          layer.name,
          layer.inputs,
          layer.outputs,
          static_cast<std::int64_t>(layer.weights.size() + layer.bias.size()),
          2.0 * static_cast<double>(layer.inputs) * static_cast<double>(layer.outputs)};
}

LayerFacts make_network_facts(const ActivationLayer& layer) {
  return {activation_name(layer.activation), layer.name};
}

LayerFacts make_network_facts(const OperationLayer& layer) {
  LayerFacts facts{std::string(describe_operation(layer.operation).name), layer.name};
  for (const NetworkOperand& operand : layer.operands) {
    facts.parameters += static_cast<std::int64_t>(operand.constant.size());
  }
  return facts;
}

// Returns the columns that a layer reads; for an operation, the sum over its operands.
std::int64_t taken_columns(const NetworkModel& model, std::size_t number,
                           const std::vector<std::int64_t>& widths) {
  const NetworkLayer& layer = model.layers[number];
  const auto width = [&](NetworkValue value) {
    return widths[static_cast<std::size_t>(numbered_value(model, value, number))];
  };
  if (const auto* affine = std::get_if<AffineLayer>(&layer)) return width(affine->input);
  if (const auto* activation = std::get_if<ActivationLayer>(&layer)) {
    return width(activation->input);
  }
  std::int64_t columns = 0;
  for (const NetworkOperand& operand : std::get<OperationLayer>(layer).operands) {
    if (operand.constant.empty()) columns += width(operand.value);
  }
  return columns;
}

void set_widths(NetworkFacts& facts, const NetworkModel& model) {
  const std::vector<std::int64_t> widths = layer_widths(model);
  const auto inputs = static_cast<std::size_t>(num_inputs(model));
  for (std::size_t i = 0; i < facts.layers.size(); ++i) {
    facts.layers[i].inputs = taken_columns(model, i, widths);
    facts.layers[i].outputs = widths[inputs + i];
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    facts.input_ports.push_back({model.inputs.empty() ? "" : model.inputs[i].name, widths[i]});
  }
  for (const NetworkOutput& output : numbered_outputs(model)) {
    facts.output_ports.push_back(
        {output.name, widths[static_cast<std::size_t>(output.value)], output.is_transposed});
  }
  facts.inputs = facts.input_ports.front().columns;
  facts.outputs = facts.output_ports.front().columns;
}

std::string group_digits(double number) {
  std::string text = fmt::format("{:.0f}", number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string row(const std::string& number, const std::string& kind, const std::string& name,
                std::int64_t inputs, std::int64_t outputs, std::int64_t parameters, double flops) {
  return fmt::format("{:<6}{:<21}{:<20}{:>8}{:>8}{:>14}{:>16}{:>14}\n", number, kind, name, inputs,
                     outputs, group_digits(static_cast<double>(parameters)), group_digits(flops),
                     group_digits(sizeof(float) * static_cast<double>(parameters)));
}

}  // namespace

NetworkFacts make_network_facts(const NetworkModel& model) {
  NetworkFacts facts;
  for (const NetworkLayer& layer : model.layers) {
    facts.layers.push_back(
        std::visit([](const auto& any) { return make_network_facts(any); }, layer));
    facts.parameters += facts.layers.back().parameters;
    facts.flops += facts.layers.back().flops;
  }
  set_widths(facts, model);
  facts.skipped_outputs = model.skipped_outputs;
  return facts;
}

std::string widths_text(const NetworkFacts& facts) {
  std::string text = fmt::format("{}", facts.inputs);
  for (const LayerFacts& layer : facts.layers) {
    if (layer.flops > 0.0) text += fmt::format(", {}", layer.outputs);
  }
  return text;
}

// Inputs and outputs are only listed if there are several, or if they have names.
std::string ports_text(const NetworkFacts& facts) {
  std::string text;
  const auto add = [&](const char* what, const std::vector<PortFacts>& ports) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports.size() == 1 && ports[i].name.empty()) continue;
      text += fmt::format("{} {}: '{}', rows x {}{}\n", what, i + 1, printable(ports[i].name),
                          ports[i].columns,
                          ports[i].is_transposed ? ", transposed: one row per sample" : "");
    }
  };
  add("input", facts.input_ports);
  add("output", facts.output_ports);
  for (const NetworkSkippedOutput& skipped : facts.skipped_outputs) {
    text += fmt::format("skipped output '{}': {}\n", printable(skipped.name), skipped.reason);
  }
  return text;
}

std::string to_table(const std::string& name, const NetworkFacts& facts) {
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
  text +=
      "flops: 2 x inputs x outputs of each affine layer; bytes: size of the parameters as float32\n";
  text += ports_text(facts);
  return text;
}

std::string to_json(const std::string& name, const NetworkFacts& facts) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (const LayerFacts& layer : facts.layers) {
    layers.push_back({{"kind", layer.kind},
                      {"name", layer.name},
                      {"inputs", layer.inputs},
                      {"outputs", layer.outputs},
                      {"parameters", layer.parameters},
                      {"flops_per_sample", layer.flops}});
  }
  const auto candidate_to_json = [](const std::vector<PortFacts>& ports) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const PortFacts& port : ports) {
      all.push_back({{"name", port.name}, {"columns", port.columns}});
    }
    return all;
  };
  nlohmann::ordered_json outputs = candidate_to_json(facts.output_ports);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i]["transposed"] = facts.output_ports[i].is_transposed;
  }
  nlohmann::ordered_json skipped = nlohmann::ordered_json::array();
  for (const NetworkSkippedOutput& output : facts.skipped_outputs) {
    skipped.push_back({{"name", output.name}, {"reason", output.reason}});
  }
  const nlohmann::ordered_json json{{"model", name},
                                    {"inputs", facts.inputs},
                                    {"outputs", facts.outputs},
                                    {"parameters", facts.parameters},
                                    {"flops_per_sample", facts.flops},
                                    {"bytes", facts.bytes()},
                                    {"layers", layers},
                                    {"input_ports", candidate_to_json(facts.input_ports)},
                                    {"output_ports", outputs},
                                    {"skipped_outputs", skipped}};
  return pretty(json);
}

}  // namespace tilewright

#include "runtime/network/model/divided_model.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/layer_values.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

bool is_row_or_element_function(const NetworkLayer& layer) {
  const auto* activation = std::get_if<ActivationLayer>(&layer);
  if (activation != nullptr) return is_elementwise(activation->activation);
  return std::holds_alternative<OperationLayer>(layer);
}

bool is_sum(const NetworkLayer& layer) {
  const auto* operation = std::get_if<OperationLayer>(&layer);
  return operation != nullptr && (operation->operation == NetworkOperation::kAdd ||
                                  operation->operation == NetworkOperation::kSubtract);
}

class Division {
 public:
  explicit Division(const NetworkModel& model)
      : model_(with_value_numbers(model)),
        inputs_(num_inputs(model)),
        widths_(layer_widths(model)) {
    find_host_layers();
  }

  DividedModel divided() const {
    DividedModel parts;
    if (host_layers_ == 0) return parts;
    std::map<NetworkValue, NetworkValue> on_host;
    for (NetworkValue input = 0; input < inputs_; ++input) {
      parts.host.inputs.push_back({name(input), width(input)});
      on_host.emplace(input, input);
    }
    add_layers(parts.host, true, on_host);
    std::map<NetworkValue, NetworkValue> on_device;
    const std::vector<bool> is_taken = find_values_for_device();
    for (NetworkValue value = 0; std::cmp_less(value, is_taken.size()); ++value) {
      if (!is_taken[value_index(value)]) continue;
      parts.host.outputs.push_back({name(value), on_host.at(value)});
      on_device.emplace(value, static_cast<NetworkValue>(parts.device.inputs.size()));
      parts.device.inputs.push_back({name(value), width(value)});
    }
    add_layers(parts.device, false, on_device);
    parts.device.outputs = model_.outputs;
    for (NetworkOutput& output : parts.device.outputs) output.value = on_device.at(output.value);
    return parts;
  }

 private:
  NetworkValue value(std::size_t layer) const { return inputs_ + static_cast<NetworkValue>(layer); }
  std::int64_t width(NetworkValue value) const { return widths_[value_index(value)]; }
  std::string name(NetworkValue value) const {
    return value < inputs_ ? model_.inputs[value_index(value)].name : "";
  }

  void find_host_layers() {
    is_on_host_.assign(widths_.size(), false);
    for (NetworkValue input = 0; input < inputs_; ++input) is_on_host_[value_index(input)] = true;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      bool can_be = is_row_or_element_function(model_.layers[i]);
      for_each_value(model_.layers[i], [&](NetworkValue taken) {
        can_be = can_be && is_on_host_[value_index(taken)];
      });
      is_on_host_[value_index(value(i))] = can_be;
    }
    std::vector<bool> is_needed(widths_.size(), false);
    for (std::size_t i = model_.layers.size(); i-- > 0;) {
      if (!is_on_host_[value_index(value(i))]) continue;
      const bool stays = is_sum(model_.layers[i]) || is_needed[value_index(value(i))];
      is_on_host_[value_index(value(i))] = stays;
      if (!stays) continue;
      ++host_layers_;
      for_each_value(model_.layers[i],
                     [&](NetworkValue taken) { is_needed[value_index(taken)] = true; });
    }
  }

  // Returns for each value whether the host computes it and the device reads it.
  std::vector<bool> find_values_for_device() const {
    std::vector<bool> is_taken(widths_.size(), false);
    const auto take = [&](NetworkValue taken) {
      is_taken[value_index(taken)] = is_on_host_[value_index(taken)];
    };
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (!is_on_host_[value_index(value(i))]) for_each_value(model_.layers[i], take);
    }
    for (const NetworkOutput& output : model_.outputs) take(output.value);
    return is_taken;
  }

  // The layers of one part; `numbers` has the part's numbers of the values.
  void add_layers(NetworkModel& part, bool of_host,
                  std::map<NetworkValue, NetworkValue>& numbers) const {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (is_on_host_[value_index(value(i))] != of_host) continue;
      part.layers.push_back(model_.layers[i]);
      for_each_value(part.layers.back(), [&](NetworkValue& taken) { taken = numbers.at(taken); });
      numbers.emplace(value(i),
                      static_cast<NetworkValue>(part.inputs.size() + part.layers.size() - 1));
    }
  }

  NetworkModel model_;
  const NetworkValue inputs_;
  const std::vector<std::int64_t> widths_;
  std::vector<bool> is_on_host_;
  std::size_t host_layers_ = 0;
};

}  // namespace

DividedModel divided_model(const NetworkModel& model) {
  return Division(model).divided();
}

}  // namespace tilewright

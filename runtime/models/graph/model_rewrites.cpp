#include "graph/model_rewrites.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/models/network_files.hpp"

#include "graph/column_scaling.hpp"
#include "graph/recognised_activations.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

// Folds scaled and shifted columns into affine layers. Keeps track of the layers that read each
// value while the model changes.
class ColumnFolding {
 public:
  explicit ColumnFolding(NetworkModel& model)
      : model_(model), inputs_(num_inputs(model)), widths_(layer_widths(model)) {
    users_.resize(widths_.size());
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for_each_value(model.layers[i],
                     [&](NetworkValue& value) { users_[value_index(value)].push_back(i); });
    }
    outputs_.resize(widths_.size());
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
      outputs_[value_index(model.outputs[i].value)].push_back(i);
    }
  }

  void run() {
    std::vector<bool> is_done(model_.layers.size(), false);
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      if (is_done[i]) continue;
      std::vector<std::size_t> steps;
      ColumnScaling scaling;
      for (std::optional<std::size_t> at = i; at && add(scaling, *at); at = only_user(value(*at))) {
        steps.push_back(*at);
        is_done[*at] = true;
      }
      if (!steps.empty()) fold(scaling, steps);
    }
  }

 private:
  NetworkValue value(std::size_t layer) const { return inputs_ + static_cast<NetworkValue>(layer); }

  // Returns the layer that reads the value, if it is the only one and the value is not an output.
  std::optional<std::size_t> only_user(NetworkValue value) const {
    const std::vector<std::size_t>& users = users_[value_index(value)];
    if (users.size() != 1 || !outputs_[value_index(value)].empty()) return std::nullopt;
    return users.front();
  }
  AffineLayer* affine(std::optional<std::size_t> layer) {
    return layer ? std::get_if<AffineLayer>(&model_.layers[*layer]) : nullptr;
  }
  NetworkValue taken(std::size_t layer) {
    NetworkValue taken = 0;
    for_each_value(model_.layers[layer], [&](NetworkValue& value) { taken = value; });
    return taken;
  }

  // Appends the layer to the scaling. Returns false if the layer does not scale or shift columns.
  bool add(ColumnScaling& scaling, std::size_t layer) {
    const auto* operation = std::get_if<OperationLayer>(&model_.layers[layer]);
    if (operation == nullptr) return false;
    const NetworkValue from = taken(layer);
    return widths_[value_index(from)] == widths_[value_index(value(layer))] &&
           scaling.add(*operation);
  }

  void fold(const ColumnScaling& scaling, const std::vector<std::size_t>& steps) {
    const NetworkValue from = taken(steps.front());
    const NetworkValue to = value(steps.back());
    std::optional<std::size_t> before;  // the layer that computes `from`
    if (from >= inputs_) before = static_cast<std::size_t>(from - inputs_);
    const auto fold_before = [&] {
      return affine(before) != nullptr && only_user(from) &&
             scale_outputs(*affine(before), scaling);
    };
    const auto fold_after = [&] {
      const auto user = only_user(to);
      return affine(user) != nullptr && scale_inputs(*affine(user), scaling);
    };
    if (scaling.changes_nothing() || fold_before() || fold_after()) replace(to, from, steps);
  }

  // Makes all layers that read `to` read `from` instead, and drops the layers `steps` in between.
  void replace(NetworkValue to, NetworkValue from, const std::vector<std::size_t>& steps) {
    std::vector<std::size_t>& users = users_[value_index(from)];
    users.erase(std::remove(users.begin(), users.end(), steps.front()), users.end());
    for (const std::size_t user : users_[value_index(to)]) {
      for_each_value(model_.layers[user], [&](NetworkValue& value) {
        if (value == to) value = from;
      });
      users.push_back(user);
    }
    users_[value_index(to)].clear();
    for (const std::size_t output : outputs_[value_index(to)]) {
      model_.outputs[output].value = from;
      outputs_[value_index(from)].push_back(output);
    }
    outputs_[value_index(to)].clear();
  }

  NetworkModel& model_;
  const NetworkValue inputs_;
  const std::vector<std::int64_t> widths_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<std::vector<std::size_t>> outputs_;  // the outputs that each value is
};

}  // namespace

NetworkModel select_network_outputs(const NetworkModel& model,
                                    const std::vector<std::size_t>& outputs) {
  NetworkModel selected = with_value_numbers(model);
  const std::vector<std::int64_t> widths = layer_widths(model);
  for (std::size_t i = 0; i < selected.inputs.size(); ++i) selected.inputs[i].columns = widths[i];
  std::vector<NetworkOutput> kept;
  for (const std::size_t output : outputs) kept.push_back(selected.outputs.at(output));
  selected.outputs = std::move(kept);
  selected.skipped_outputs.clear();
  return as_chain(without_unused(std::move(selected)));
}

NetworkModel without_unused(NetworkModel model, std::vector<std::size_t>* kept) {
  const auto inputs = static_cast<std::size_t>(num_inputs(model));
  std::vector<bool> is_needed(inputs + model.layers.size(), false);
  for (const NetworkOutput& output : model.outputs) {
    is_needed[static_cast<std::size_t>(output.value)] = true;
  }
  for (std::size_t i = model.layers.size(); i-- > 0;) {
    if (!is_needed[inputs + i]) continue;
    for_each_value(model.layers[i],
                   [&](NetworkValue& value) { is_needed[value_index(value)] = true; });
  }
  std::vector<NetworkValue> numbers(is_needed.size(), 0);
  NetworkValue next = 0;
  for (std::size_t value = 0; value < numbers.size(); ++value) {
    if (is_needed[value]) numbers[value] = next++;
  }
  const auto renumber = [&](NetworkValue& value) { value = numbers[value_index(value)]; };
  NetworkModel result;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    if (is_needed[i]) result.inputs.push_back(std::move(model.inputs[i]));
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!is_needed[inputs + i]) continue;
    if (kept != nullptr) kept->push_back(i);
    result.layers.push_back(std::move(model.layers[i]));
    for_each_value(result.layers.back(), renumber);
  }
  result.outputs = std::move(model.outputs);
  for (NetworkOutput& output : result.outputs) renumber(output.value);
  result.skipped_outputs = std::move(model.skipped_outputs);
  return result;
}

NetworkModel simplified(NetworkModel model) {
  recognise_activations(model);
  model = without_unused(std::move(model));
  ColumnFolding(model).run();
  return without_unused(std::move(model));
}

NetworkModel as_chain(NetworkModel model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const NetworkValue previous = i == 0 ? 0 : num_inputs(model) + static_cast<NetworkValue>(i) - 1;
    for_each_value(model.layers[i], [&](NetworkValue& value) {
      if (value == previous) value = kPreviousValue;
    });
  }
  return model;
}

}  // namespace tilewright

// Traverses the graph from its inputs and constants to its outputs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "graph/model_rewrites.hpp"
#include "onnx/onnx_evaluator.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

std::string text_of(const ModelError& error) {
  return error.place().empty() ? error.reason()
                               : fmt::format("{}: {}", error.place(), error.reason());
}

// Returns for each value of the model whether it depends on the value `from`.
std::vector<bool> find_dependents(const NetworkModel& model, NetworkValue from) {
  const auto inputs = static_cast<std::size_t>(num_inputs(model));
  std::vector<bool> depends(inputs + model.layers.size(), false);
  depends[static_cast<std::size_t>(from)] = true;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for_each_value(model.layers[i], [&](NetworkValue value) {
      if (depends[value_index(value)]) depends[inputs + i] = true;
    });
  }
  return depends;
}

}  // namespace

// Returns an output whose nodes were evaluated. Fails if it has no value.
NetworkOutput OnnxEvaluator::network_output(const OnnxGraph::Output& output) {
  const std::string& name = output.value;
  if (const auto error = find_error(name)) throw ModelError(error->error);
  const OnnxValue* const found = find(name);
  if (found == nullptr) {
    file_.fail(
        fmt::format("the output {} of the graph is not computed by any node", in_quotes(name)));
  }
  if (found->is_constant()) {
    file_.fail(
        fmt::format("the output {} does not depend on the input of the graph; choose other outputs",
                    in_quotes(name)));
  }
  const TensorExtents& shape = found->extents;
  const auto before = shape.begin() + static_cast<std::ptrdiff_t>(batch_axis(shape).value_or(0));
  const bool is_transposed =
      std::any_of(shape.begin(), before, [](std::int64_t extent) { return extent != 1; });
  return {output.name, *found->computed, is_transposed};
}

bool OnnxEvaluator::is_constant(const std::string& value) {
  const OnnxValue* const found = find(value);
  return found != nullptr && found->is_constant();
}

NetworkModel OnnxEvaluator::read() {
  const std::vector<OnnxGraph::Output> all = graph_.outputs(used_outputs_);
  const std::set<std::string_view> used(used_outputs_.begin(), used_outputs_.end());
  for (const bool is_used : {true, false}) {
    for (const OnnxGraph::Output& output : all) {
      const bool is_this = used.count(output.name) != 0;
      if (output.unusable.empty() && is_this == is_used) evaluate_for(output.value);
    }
  }
  std::vector<NetworkSkippedOutput> skipped;
  std::vector<NetworkOutput> outputs;
  std::vector<std::pair<std::string_view, ModelError>> errors;  // keyed by output
  for (const OnnxGraph::Output& output : all) {
    try {
      if (!output.unusable.empty()) {
        skipped.push_back({output.name, output.unusable, false});
        file_.fail(fmt::format("the output {} {}", in_quotes(output.name), output.unusable));
      }
      outputs.push_back(network_output(output));
    } catch (const ModelError& thrown) {
      const ModelError error = output.hint.empty()
                                   ? thrown
                                   : ModelError(thrown.file(), thrown.place(),
                                                fmt::format("{}; the output {} {}", thrown.reason(),
                                                            in_quotes(output.name), output.hint));
      if (output.unusable.empty()) skipped.push_back({output.name, text_of(error), false});
      errors.emplace_back(output.name, error);
    }
  }
  // A constant is not an output of the network.
  const auto first = std::ranges::find_if(all, [&](const OnnxGraph::Output& output) {
    return output.unusable.empty() && !is_constant(output.value);
  });
  const auto computed = std::ranges::find_if(
      all, [&](const OnnxGraph::Output& output) { return !is_constant(output.value); });
  if (outputs.empty()) {
    if (all.empty()) file_.fail("the graph has no outputs; a network needs one of floats");
    const std::string& reported = !used_outputs_.empty()  ? used_outputs_.front()
                                  : first != all.end()    ? first->name
                                  : computed != all.end() ? computed->name
                                                          : all.front().name;
    const auto found =
        std::ranges::find(errors, reported, [](const auto& each) { return each.first; });
    std::string others;
    for (const NetworkSkippedOutput& output : skipped) {
      if (output.name == reported) continue;
      others += fmt::format("{}{} ({})", others.empty() ? "; the other outputs: " : ", ",
                            in_quotes(output.name), output.reason);
    }
    if (found == errors.end()) {
      file_.fail(fmt::format("the graph has no output {}{}", in_quotes(reported), others));
    }
    const ModelError& error = found->second;
    throw ModelError(error.file(), error.place(), error.reason() + others);
  }
  NetworkModel model = finished(std::move(outputs), skipped);
  for (NetworkSkippedOutput& output : skipped) output.is_first = output.name == first->name;
  model.skipped_outputs = std::move(skipped);
  return model;
}

// Returns the model with the outputs that it can compute, and adds the others to `skipped`: a
// number of columns that the file leaves open may turn out to differ between outputs.
NetworkModel OnnxEvaluator::finished(std::vector<NetworkOutput> outputs,
                                     std::vector<NetworkSkippedOutput>& skipped) {
  constexpr int kMaxFaults = 16;
  NetworkModel model = numbered(std::move(outputs));
  std::vector<int> nodes = std::move(layer_nodes_);
  for (int i = 0;; ++i) {
    std::vector<std::size_t> kept;
    model = without_unused(std::move(model), &kept);
    for (std::size_t layer = 0; layer < kept.size(); ++layer) nodes[layer] = nodes[kept[layer]];
    const auto fault = find_fault(model);
    if (!fault) return model;
    if (fault->value < 0 || i == kMaxFaults) file_.in(fault->place).fail(fault->reason);
    const NetworkValue layer = fault->value - num_inputs(model);
    const ModelPlace place =
        layer < 0 ? file_ : graph_.node_place(nodes[static_cast<std::size_t>(layer)]);
    const ModelError error(place.file, place.place, fault->reason);
    const std::vector<bool> is_wrong = find_dependents(model, fault->value);
    std::vector<NetworkOutput> right;
    for (NetworkOutput& output : model.outputs) {
      if (is_wrong[static_cast<std::size_t>(output.value)]) {
        skipped.push_back({output.name, text_of(error), false});
      } else {
        right.push_back(std::move(output));
      }
    }
    if (right.empty()) throw ModelError(error);
    model.outputs = std::move(right);
  }
}

// Assigns the final numbers of values.
NetworkModel OnnxEvaluator::numbered(std::vector<NetworkOutput> outputs) {
  // Inputs were added when a node first took them; the model has them in the order of the graph.
  std::map<std::string_view, std::size_t> taken;
  for (std::size_t i = 0; i < inputs_.size(); ++i) taken.emplace(inputs_[i].name, i);
  std::vector<NetworkInput> inputs;
  std::vector<NetworkValue> numbers(inputs_.size());
  for (const onnx::ValueInfo& proto : graph_.proto().input) {
    const auto found = taken.find(proto.name);
    if (found == taken.end()) continue;
    numbers[found->second] = static_cast<NetworkValue>(inputs.size());
    inputs.push_back(inputs_[found->second]);
    taken.erase(found);
  }
  const auto count = static_cast<NetworkValue>(inputs.size());
  const auto to_value_number = [&](NetworkValue value) {
    return value <= kFirstInput ? numbers[static_cast<std::size_t>(kFirstInput - value)]
                                : count + value;
  };
  for (NetworkLayer& layer : evaluation_.layers) {
    for_each_value(layer, [&](NetworkValue& value) { value = to_value_number(value); });
  }
  for (NetworkOutput& output : outputs) output.value = to_value_number(output.value);
  return {std::move(evaluation_.layers), std::move(inputs), std::move(outputs), {}};
}

}  // namespace tilewright

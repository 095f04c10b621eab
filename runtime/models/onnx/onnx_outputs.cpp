// Traverses the graph from its inputs and constants to its outputs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "graph/model_rewrites.hpp"
#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

std::string text_of(const ModelError& error) {
  return error.place().empty() ? error.reason()
                               : fmt::format("{}: {}", error.place(), error.reason());
}

// Returns for each value of the model whether it depends on the value `from`.
std::vector<bool> find_dependents(const MlpModel& model, MlpValue from) {
  const auto inputs = static_cast<std::size_t>(num_inputs(model));
  std::vector<bool> depends(inputs + model.layers.size(), false);
  depends[static_cast<std::size_t>(from)] = true;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for_each_value(model.layers[i], [&](MlpValue value) {
      if (depends[value_index(value)]) depends[inputs + i] = true;
    });
  }
  return depends;
}

}  // namespace

// Returns the first extent of the inputs if it is fixed and the same for all of them. Inputs that
// no output needs do not count.
std::int64_t OnnxImporter::common_batch() const {
  if (batch_axis_ != BatchAxis::kFirst) return kUnknown;
  std::set<std::int64_t> extents;
  for (const onnx::ValueInfo* input : graph_.inputs_for(used_outputs_)) {
    const std::vector<onnx::Dimension>* const shape = dimensions(*input);
    const bool is_known = shape != nullptr && !shape->empty();
    extents.insert(is_known ? std::max(shape->front().dim_value, kUnknown) : kUnknown);
  }
  return extents.size() == 1 ? *extents.begin() : kUnknown;
}

const OnnxImporter::NodeError* OnnxImporter::find_error(int index) const {
  const auto found = errors_.find(index);
  return found == errors_.end() ? nullptr : &found->second;
}

// Converts a node, or remembers why it cannot be converted: the first error among those of the
// nodes that it depends on, or its own.
void OnnxImporter::convert_node(int index) {
  const NodeError* first = nullptr;
  for (const std::string& input : graph_.node(index).input) {
    if (graph_.initializer(input) != nullptr) continue;
    const NodeError* const error = find_error(graph_.producer(input));
    if (error != nullptr && (first == nullptr || error->node < first->node)) first = error;
  }
  if (first != nullptr) {
    errors_.emplace(index, NodeError(*first));
    return;
  }
  try {
    if (const ModelError* error = graph_.error(index)) throw ModelError(*error);
    current_node_ = index;
    run({graph_.node(index), graph_.node_place(index)});
    if (errors_.empty()) ++num_converted_;
  } catch (const ModelError& error) {
    errors_.emplace(index, NodeError{index, std::make_shared<ModelError>(error)});
  }
}

void OnnxImporter::convert(const std::string& value) {
  for (const int index : graph_.nodes_for(value, visited_)) convert_node(index);
}

// Returns the value of an output whose nodes were converted. Fails if it has none.
MlpValue OnnxImporter::output_value(const OnnxGraph::Output& output) {
  const std::string& name = output.value;
  const bool is_in_file = graph_.initializer(name) != nullptr;
  const int producer = is_in_file ? -1 : graph_.producer(name);
  if (const NodeError* error = find_error(producer)) throw ModelError(*error->error);
  const onnx::ValueInfo* const input = graph_.input(name);
  if (input != nullptr && !is_in_file && values_.find(name) == values_.end()) {
    values_.emplace(name, begin_input(*input));
  }
  const auto found = values_.find(name);
  if (found == values_.end() && !is_in_file) {
    file_.fail(
        fmt::format("the output {} of the graph is not computed by any node", in_quotes(name)));
  }
  const auto* computed = found == values_.end() ? nullptr : std::get_if<Computed>(&found->second);
  if (computed == nullptr) {
    file_.fail(
        fmt::format("the output {} does not depend on the input of the graph; choose other outputs",
                    in_quotes(name)));
  }
  return computed->value;
}

MlpModel OnnxImporter::read() {
  file_batch_ = common_batch();
  visited_.assign(graph_.proto().node.size(), false);
  const std::vector<OnnxGraph::Output> all = graph_.outputs();
  const std::set<std::string_view> used(used_outputs_.begin(), used_outputs_.end());
  for (const bool is_used : {true, false}) {
    for (const OnnxGraph::Output& output : all) {
      const bool is_this = used.count(output.name) != 0;
      if (output.unusable.empty() && is_this == is_used) convert(output.value);
    }
  }
  std::vector<MlpSkippedOutput> skipped;
  std::vector<MlpOutput> outputs;
  std::optional<ModelError> first_error;
  for (const OnnxGraph::Output& output : all) {
    try {
      if (output.unusable.empty()) {
        outputs.push_back({output.name, output_value(output)});
      } else {
        skipped.push_back({output.name, output.unusable, false});
      }
    } catch (const ModelError& error) {
      if (!first_error) first_error = error;
      skipped.push_back({output.name, text_of(error), false});
    }
  }
  if (outputs.empty()) {
    if (first_error) throw ModelError(*first_error);
    file_.fail(fmt::format("no output of the graph is a float matrix (batch x outputs); it has {}",
                           graph_.text_of_outputs()));
  }
  MlpModel model = finished(std::move(outputs), skipped);
  const auto first = std::ranges::find_if(
      all, [](const OnnxGraph::Output& output) { return output.unusable.empty(); });
  for (MlpSkippedOutput& output : skipped) output.is_first = output.name == first->name;
  model.skipped_outputs = std::move(skipped);
  return model;
}

// Returns the model with the outputs that it can compute, and adds the others to `skipped`: a
// number of columns that the file leaves open may turn out to differ between outputs.
MlpModel OnnxImporter::finished(std::vector<MlpOutput> outputs,
                                std::vector<MlpSkippedOutput>& skipped) {
  constexpr int kMaxFaults = 16;
  MlpModel model = numbered(std::move(outputs));
  std::vector<int> nodes = std::move(layer_nodes_);
  for (int i = 0; i < kMaxFaults; ++i) {
    std::vector<std::size_t> kept;
    model = without_unused(std::move(model), &kept);
    for (std::size_t layer = 0; layer < kept.size(); ++layer) nodes[layer] = nodes[kept[layer]];
    const auto fault = find_fault(model);
    if (!fault || fault->value < 0) break;
    const MlpValue layer = fault->value - num_inputs(model);
    const ModelPlace place =
        layer < 0 ? file_ : graph_.node_place(nodes[static_cast<std::size_t>(layer)]);
    const ModelError error(place.file, place.place, fault->reason);
    const std::vector<bool> is_wrong = find_dependents(model, fault->value);
    std::vector<MlpOutput> right;
    for (MlpOutput& output : model.outputs) {
      if (is_wrong[static_cast<std::size_t>(output.value)]) {
        skipped.push_back({output.name, text_of(error), false});
      } else {
        right.push_back(std::move(output));
      }
    }
    if (right.empty()) throw ModelError(error);
    model.outputs = std::move(right);
  }
  return model;
}

// Assigns the final numbers of values.
MlpModel OnnxImporter::numbered(std::vector<MlpOutput> outputs) {
  // Inputs were added when a node first took them; the model has them in the order of the graph.
  std::map<std::string_view, std::size_t> taken;
  for (std::size_t i = 0; i < inputs_.size(); ++i) taken.emplace(inputs_[i].name, i);
  std::vector<MlpInput> inputs;
  std::vector<MlpValue> numbers(inputs_.size());
  for (const onnx::ValueInfo& proto : graph_.proto().input) {
    const auto found = taken.find(proto.name);
    if (found == taken.end()) continue;
    numbers[found->second] = static_cast<MlpValue>(inputs.size());
    inputs.push_back(inputs_[found->second]);
    taken.erase(found);
  }
  const auto count = static_cast<MlpValue>(inputs.size());
  const auto to_value_number = [&](MlpValue value) {
    return value <= kFirstInput ? numbers[static_cast<std::size_t>(kFirstInput - value)]
                                : count + value;
  };
  for (MlpLayer& layer : layers_) {
    for_each_value(layer, [&](MlpValue& value) { value = to_value_number(value); });
  }
  for (MlpOutput& output : outputs) output.value = to_value_number(output.value);
  return {std::move(layers_), std::move(inputs), std::move(outputs), {}};
}

}  // namespace tilewright

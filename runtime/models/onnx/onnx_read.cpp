#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "named_file.hpp"
#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_evaluator.hpp"
#include "onnx/onnx_model.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

onnx::Model parsed_onnx(const ModelPlace& file, std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<int>::max()) {
    file.fail("is larger than 2 GiB, the limit of ONNX files");
  }
  onnx::Model model = onnx::decode(bytes, file);
  if (!model.graph) file.fail("is not an ONNX file: it has no graph");
  // Most files have the operator sets after the graph. If they are missing, the file is truncated.
  if (model.opset_import.empty()) file.fail("is not an ONNX file: it has no operator set");
  return model;
}

// Makes each value in `names` an output, also if the file has it only between nodes.
void add_outputs(onnx::Graph& graph, const std::vector<std::string>& names) {
  std::set<std::string_view> others(names.begin(), names.end());
  for (const onnx::ValueInfo& output : graph.output) others.erase(output.name);
  std::vector<onnx::ValueInfo> added;
  for (const onnx::Node& node : graph.node) {
    for (const std::string& value : node.output) {
      if (others.erase(value) != 0) added.emplace_back().name = value;
    }
  }
  std::ranges::move(added, std::back_inserter(graph.output));
}

using Shape = std::vector<onnx::Dimension>;

// Do all inputs have known extents?
bool are_fixed(const std::vector<const onnx::ValueInfo*>& inputs) {
  return std::ranges::all_of(inputs, [](const onnx::ValueInfo* input) {
    const Shape* const shape = dimensions(*input);
    return shape != nullptr && std::ranges::all_of(*shape, [](const onnx::Dimension& dimension) {
             return dimension.dim_value >= 1;
           });
  });
}

// Can the input be one sample, a vector or a column?
bool is_vector(const onnx::ValueInfo* input) {
  const Shape* const shape = dimensions(*input);
  return shape == nullptr || shape->size() < 2 || shape->back().dim_value == 1;
}

// The result of evaluating a graph in one way: a model or an error.
struct Reading {
  std::string_view meaning;  // completes "it can be chosen alone, with "
  OnnxEvaluator evaluator;
  std::optional<NetworkModel> model = std::nullopt;
  std::optional<ModelError> error = std::nullopt;
  bool has_used_outputs = false;  // all that are named; without names, the first one of floats

  void read(const std::vector<std::string>& names) {
    try {
      model = evaluator.read();
      has_used_outputs =
          names.empty()
              ? std::ranges::none_of(model->skipped_outputs, &NetworkSkippedOutput::is_first)
              : std::ranges::all_of(names, [&](auto& name) { return has_output(name); });
    } catch (const ModelError& thrown) {
      error = thrown;
    }
  }
  std::size_t num_outputs() const { return model ? model->outputs.size() : 0; }
  bool has_output(const std::string& name) const {
    return std::ranges::find(model->outputs, name, &NetworkOutput::name) != model->outputs.end();
  }
};

// Mentions in the reasons of skipped outputs that the other reading has them. Fails if each reading
// has only a part of the outputs that are used.
void compare(Reading& reading, const Reading& other, const std::vector<std::string>& names,
             const ModelPlace& file) {
  if (!reading.model || !other.model) return;
  for (NetworkSkippedOutput& skipped : reading.model->skipped_outputs) {
    if (!other.has_output(skipped.name)) continue;
    const bool is_used = std::ranges::find(names, skipped.name) != names.end();
    if (is_used && names.size() > 1 && std::ranges::all_of(names, [&](const std::string& name) {
          return reading.has_output(name) || other.has_output(name);
        })) {
      file.fail(fmt::format(
          "the outputs that are chosen cannot be computed together: {} needs {}, and others need "
          "{}; load the network once for each",
          in_quotes(skipped.name), other.meaning, reading.meaning));
    }
    skipped.reason += fmt::format("; it can be chosen alone, with {}", other.meaning);
  }
}

// Reads the graph in one of two ways: with the first dimension of the inputs as the batch, or, if
// the graph fixes all dimensions of its inputs, with each input as one sample. The second way is
// used if only this gives the outputs `names`; without names, the first output, or, where inputs
// are vectors or columns, more outputs. `file` has the path, if the bytes come from one. `files`:
// see read_onnx_model().
NetworkModel read_model(const ModelPlace& file, std::string_view bytes,
                        const std::vector<std::string>& names, std::vector<std::string>& files) {
  onnx::Model model = parsed_onnx(file, bytes);
  add_outputs(*model.graph, names);
  const OnnxGraph graph(*model.graph, file);
  const auto make_reading = [&](OnnxEvaluator::BatchAxis axis, std::string_view meaning) {
    return Reading{meaning, OnnxEvaluator(model, graph, file, bytes.size(), axis, names)};
  };
  const auto result = [&](Reading& reading) {
    if (!reading.model) throw ModelError(*reading.error);
    reading.evaluator.append_files(files);
    return std::move(*reading.model);
  };
  Reading batches = make_reading(OnnxEvaluator::BatchAxis::kFirst,
                                 "the first dimension of the inputs as the batch");
  batches.read(names);
  const std::vector<const onnx::ValueInfo*> inputs = graph.inputs_for(names);
  const bool has_vectors = std::ranges::all_of(inputs, is_vector);
  const std::vector<OnnxGraph::Output> all = graph.outputs(names);
  const auto num_usable = std::ranges::count(all, "", &OnnxGraph::Output::unusable);
  const bool is_complete =
      batches.has_used_outputs &&
      (!names.empty() || !has_vectors || std::cmp_equal(batches.num_outputs(), num_usable));
  if (is_complete || !are_fixed(inputs) || (names.empty() && batches.model && !has_vectors)) {
    return result(batches);
  }
  Reading samples = make_reading(OnnxEvaluator::BatchAxis::kNone,
                                 "each input as one sample, a vector or a column");
  samples.read(names);
  // If neither has an output, the reading that got further describes what is unsupported.
  const bool counts_nodes = std::ranges::any_of(inputs, is_vector);
  const auto score = [&](const Reading& reading) {
    return std::tuple(reading.model.has_value(), reading.has_used_outputs,
                      has_vectors ? reading.num_outputs() : 0,
                      !reading.model && counts_nodes ? reading.evaluator.num_evaluated_nodes() : 0);
  };
  const bool is_samples = score(samples) > score(batches);
  Reading& chosen = is_samples ? samples : batches;
  compare(chosen, is_samples ? batches : samples, names, file);
  return result(chosen);
}

}  // namespace

NetworkModel read_onnx_model(const std::string& path, const std::vector<std::string>& outputs,
                             std::vector<std::string>& files) {
  const ModelPlace file{path, ""};
  const FileContent content = read_file(path);
  if (!content.failure.empty()) file.fail(content.failure);
  return read_model(file, content.bytes, outputs, files);
}

NetworkModel parse_onnx_model(std::string_view bytes, const std::vector<std::string>& outputs) {
  std::vector<std::string> files;
  return read_model({"", ""}, bytes, outputs, files);
}

}  // namespace tilewright

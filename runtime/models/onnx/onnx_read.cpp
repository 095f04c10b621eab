#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "graph/model_rewrites.hpp"
#include "named_file.hpp"
#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_functions.hpp"
#include "onnx/onnx_importer.hpp"
#include "onnx/onnx_model.hpp"

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

int operator_set_version(const onnx::Model& model) {
  for (const onnx::OperatorSet& set : model.opset_import) {
    if (set.domain.empty() || set.domain == "ai.onnx") return static_cast<int>(set.version);
  }
  return std::numeric_limits<int>::max();
}

// Calls `is` with the shape of each input; null: unknown. Initialisers that are inputs, too, are
// constants.
template <class Is>
bool all_inputs(const OnnxGraph& graph, const Is& is) {
  return std::ranges::all_of(graph.proto().input, [&](const onnx::ValueInfo& input) {
    return graph.initializer(input.name) != nullptr || is(dimensions(input));
  });
}

// Do all inputs have known extents?
bool has_fixed_inputs(const OnnxGraph& graph) {
  return all_inputs(graph, [](const std::vector<onnx::Dimension>* shape) {
    return shape != nullptr && std::ranges::all_of(*shape, [](const onnx::Dimension& dimension) {
             return dimension.dim_value >= 1;
           });
  });
}

// Can each input be one sample, a vector or a column?
bool has_vectors_as_inputs(const OnnxGraph& graph) {
  return all_inputs(graph, [](const std::vector<onnx::Dimension>* shape) {
    return shape == nullptr || shape->size() < 2 || shape->back().dim_value == 1;
  });
}

// The result of reading a graph: a model or an error.
struct Reading {
  std::optional<MlpModel> model;
  std::optional<ModelError> error;

  // True if the model has the first output of floats of the graph.
  bool has_first_output() const {
    return model && std::none_of(model->skipped_outputs.begin(), model->skipped_outputs.end(),
                                 [](const MlpSkippedOutput& output) { return output.is_first; });
  }
};

Reading read_graph(OnnxImporter& importer) {
  try {
    return {importer.read(), std::nullopt};
  } catch (const ModelError& error) {
    return {std::nullopt, error};
  }
}

// Reads the graph in one of two ways: with the first dimension of the inputs as the batch, or, if
// the graph fixes all dimensions of its inputs, with each input as one sample. The second way is
// used if the first one gives no model or, where inputs are vectors or columns, not the first
// output. `file` has the path, if the bytes come from one. `files`: see read_onnx_model().
MlpModel read_model(const ModelPlace& file, std::string_view bytes,
                    std::vector<std::string>& files) {
  onnx::Model model = parsed_onnx(file, bytes);
  const std::vector<std::string> places = inline_functions(model, file);
  const OnnxGraph graph(*model.graph, file, places);
  const auto make_importer = [&](OnnxImporter::BatchAxis batch_axis) {
    return OnnxImporter(graph, file, operator_set_version(model), bytes.size(), batch_axis);
  };
  const auto result = [&](Reading& reading, const OnnxImporter& importer) {
    if (!reading.model) throw ModelError(*reading.error);
    importer.append_files(files);
    return std::move(*reading.model);
  };
  OnnxImporter of_batches = make_importer(OnnxImporter::BatchAxis::kFirst);
  Reading batches = read_graph(of_batches);
  const bool has_vectors = has_vectors_as_inputs(graph);
  if (batches.has_first_output() || !has_fixed_inputs(graph) || (batches.model && !has_vectors)) {
    return result(batches, of_batches);
  }
  OnnxImporter of_samples = make_importer(OnnxImporter::BatchAxis::kNone);
  Reading samples = read_graph(of_samples);
  // If neither has the first output, the reading that got further describes what is unsupported.
  const bool is_further =
      has_vectors && of_samples.num_converted_nodes() > of_batches.num_converted_nodes();
  const bool uses_samples =
      samples.has_first_output() ||
      (batches.model.has_value() == samples.model.has_value() ? is_further
                                                              : samples.model.has_value());
  return uses_samples ? result(samples, of_samples) : result(batches, of_batches);
}

}  // namespace

MlpModel read_onnx_model(const std::string& path, std::vector<std::string>& files) {
  const ModelPlace file{path, ""};
  const FileContent content = read_file(path);
  if (!content.failure.empty()) file.fail(content.failure);
  return read_model(file, content.bytes, files);
}

MlpModel parse_onnx_model(std::string_view bytes) {
  std::vector<std::string> files;
  return read_model({"", ""}, bytes, files);
}

}  // namespace tilewright

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "named_file.hpp"
#include "onnx/onnx_codec.hpp"
#include "onnx/onnx_evaluator.hpp"
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

// Returns the first extent of a value that has a shape: 1 without dimensions, kUnknown if it is
// open.
std::int64_t first_extent(const std::vector<onnx::Dimension>& shape) {
  return shape.empty() ? 1 : std::max(shape.front().dim_value, kUnknown);
}

// Does a product for these outputs have weights on its left?
bool has_weights_on_left(const OnnxGraph& graph, const std::vector<OnnxGraph::Output>& outputs) {
  const auto is_weight = [&](const std::string& value) {
    const int source = graph.producer(value);
    return source < 0 ? graph.initializer(value) != nullptr
                      : graph.node(source).op_type == "Constant";
  };
  std::vector<bool> visited(graph.proto().node.size(), false);
  for (const OnnxGraph::Output& output : outputs) {
    for (const int index : graph.nodes_for(output.value, visited)) {
      const onnx::Node& node = graph.node(index);
      const bool is_product = node.op_type == "MatMul" || node.op_type == "Gemm";
      if (is_product && node.input.size() >= 2 && is_weight(node.input[0]) &&
          !is_weight(node.input[1])) {
        return true;
      }
    }
  }
  return false;
}

// Returns the size of the batch, which is the first dimension of the inputs; kUnknown if the file
// leaves it open, and nullopt if there is no batch, because each input is one sample. This is so
// if the file fixes the first extents of the inputs that `names` need and
// - they are 1, where it makes no difference except that operators may use this dimension freely,
// - they differ,
// - the inputs are columns that weights on their left multiply (test column-6-1-matmul-w-x), or
// - no output begins with this extent, as if a Reshape makes a row of a whole input; where all
//   inputs are vectors, no output that is a matrix (test rank-1-input-matmul-x-w). An output may
//   leave the extent open.
std::optional<std::int64_t> find_batch(const OnnxGraph& graph,
                                       const std::vector<std::string>& names) {
  std::set<std::int64_t> extents;
  bool are_vectors = true;
  bool are_columns = true;
  for (const onnx::ValueInfo* input : graph.inputs_for(names)) {
    const std::vector<onnx::Dimension>* const shape = dimensions(*input);
    extents.insert(shape == nullptr ? kUnknown : first_extent(*shape));
    are_vectors = are_vectors && shape != nullptr && shape->size() < 2;
    are_columns =
        are_columns && shape != nullptr && !shape->empty() && shape->back().dim_value == 1;
  }
  if (extents.empty() || extents.contains(kUnknown)) return kUnknown;
  const std::int64_t batch = *extents.begin();
  if (extents.size() > 1 || batch == 1) return std::nullopt;
  const std::vector<OnnxGraph::Output> outputs = graph.used_outputs(names);
  if (are_columns && has_weights_on_left(graph, outputs)) return std::nullopt;
  std::set<std::string_view> used;
  for (const OnnxGraph::Output& output : outputs) used.insert(output.name);
  // The outputs that are used, or all others if none of them has a shape.
  for (const bool is_used : {true, false}) {
    bool has_shape = false;
    for (const onnx::ValueInfo& output : graph.proto().output) {
      const std::vector<onnx::Dimension>* const shape = dimensions(output);
      if (shape == nullptr || used.contains(output.name) != is_used) continue;
      has_shape = true;
      const std::int64_t extent = first_extent(*shape);
      const bool has_samples = !are_vectors || shape->size() > 1;
      if (has_samples && (extent == batch || extent == kUnknown)) return batch;
    }
    if (has_shape) return std::nullopt;
  }
  return are_vectors ? std::nullopt : std::optional(batch);
}

// `file` has the path, if the bytes come from one. `files`: see read_onnx_model().
NetworkModel read_model(const ModelPlace& file, std::string_view bytes,
                        const std::vector<std::string>& names, std::vector<std::string>& files) {
  onnx::Model model = parsed_onnx(file, bytes);
  add_outputs(*model.graph, names);
  const OnnxGraph graph(*model.graph, file);
  OnnxEvaluator evaluator(model, graph, file, bytes.size(), find_batch(graph, names), names);
  NetworkModel result = evaluator.read();
  evaluator.append_files(files);
  return result;
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

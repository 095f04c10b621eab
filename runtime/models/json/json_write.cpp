#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "graph/column_scaling.hpp"
#include "graph/model_rewrites.hpp"
#include "json/json_model.hpp"
#include "matrix/matrix_text.hpp"
#include "model_place.hpp"
#include "profiles/base/write_file.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/model_rules.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_json(const Json& value, const std::string& path) {
  // Invalid UTF-8 in a name is written as replacement characters.
  write_file_atomically(path,
                        value.dump(2, ' ', false, Json::error_handler_t::replace).append("\n"));
}

// Returns NAME.layerI.WHAT, a file name without extension.
std::string matrix_name(const fs::path& path, std::size_t number, const char* what) {
  return fmt::format("{}.layer{}.{}", path.stem().string(), number, what);
}

std::string sibling_path(const fs::path& path, const std::string& name) {
  return (path.parent_path() / name).string();
}

// Writes NAME.layerI.WHAT.npy and its definition file. Returns the name of the definition file.
std::string write_sibling_matrix(const fs::path& path, std::size_t number, const char* what,
                                 const FloatMatrix& matrix) {
  const std::string name = matrix_name(path, number, what);
  write_npy(matrix, sibling_path(path, name + ".npy"));
  const Json definition = {{"rows", matrix.rows},
                           {"cols", matrix.columns},
                           {"data_type", "npy"},
                           {"file", name + ".npy"}};
  write_json(definition, sibling_path(path, name + ".json"));
  return name + ".json";
}

Json layer_to_json(const AffineLayer& layer, const fs::path& path, std::size_t number) {
  Json json = {{"layer", "AffineLayer"}};
  if (!layer.name.empty()) json["name"] = layer.name;
  const FloatMatrix weights{layer.inputs, layer.outputs, layer.weights};
  json["weights"] = write_sibling_matrix(path, number, "weights", transposed(weights));
  if (!layer.bias.empty()) {
    json["biases"] =
        write_sibling_matrix(path, number, "biases", FloatMatrix{layer.outputs, 1, layer.bias});
  }
  return json;
}

Json layer_to_json(const ActivationLayer& layer, const fs::path&, std::size_t) {
  const ActivationDescription& described = describe_activation(layer.activation);
  Json json = {{"layer", std::string(described.json_layer)}};
  if (!layer.name.empty()) json["name"] = layer.name;
  for (const ActivationParameter& parameter : described.parameters) {
    json[std::string(parameter.name)] = layer.*parameter_member(parameter);
  }
  return json;
}

Json layer_to_json(const OperationLayer&, const fs::path& path, std::size_t number) {
  ModelPlace{path.string(), fmt::format("layer {}", number)}.fail(
      "is an operation, which the JSON format does not support; write the model as ONNX");
}

// The JSON format has no operations. Replaces operations that scale and shift columns by affine
// layers.
NetworkModel without_scaling(NetworkModel model) {
  constexpr std::int64_t kMaxColumns = 4096;  // the affine layer has kMaxColumns^2 weights
  // Of all these layers together: a small model may have many operations.
  constexpr std::int64_t kMaxWeights = std::int64_t{1} << 25;
  std::int64_t num_weights = 0;
  const std::vector<std::int64_t> widths = layer_widths(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto* operation = std::get_if<OperationLayer>(&model.layers[i]);
    const std::int64_t columns = widths[static_cast<std::size_t>(num_inputs(model)) + i];
    ColumnScaling scaling;
    if (operation == nullptr || columns > kMaxColumns || !scaling.add(*operation)) continue;
    NetworkValue from = 0;
    for_each_value(model.layers[i], [&](const NetworkValue& value) { from = value; });
    if (widths[static_cast<std::size_t>(numbered_value(model, from, i))] != columns) continue;
    num_weights += columns * columns;
    if (num_weights > kMaxWeights) break;
    AffineLayer layer{operation->name, columns, columns, {}, {}};
    layer.weights.assign(static_cast<std::size_t>(columns * columns), 0.0f);
    for (std::int64_t j = 0; j < columns; ++j) {
      layer.weights[static_cast<std::size_t>(j * columns + j)] = 1.0f;
    }
    layer.input = from;
    if (scale_outputs(layer, scaling)) model.layers[i] = std::move(layer);
  }
  return model;
}

// The JSON format is a list of layers, each of which reads the result of the previous one. Fails
// for other models.
void check_is_list(const NetworkModel& model, const std::string& path) {
  const auto refuse = [&](std::size_t layer) {
    ModelPlace{path, layer_place(model, layer)}.fail(
        "is not part of a sequence of affine layers and activations; the JSON format supports "
        "nothing else; write the model as ONNX");
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const NetworkLayer& layer = model.layers[i];
    const NetworkValue previous = numbered_value(model, kPreviousValue, i);
    if (std::holds_alternative<OperationLayer>(layer)) refuse(i);
    for_each_value(layer, [&](const NetworkValue& value) {
      if (numbered_value(model, value, i) != previous) refuse(i);
    });
  }
  const std::vector<NetworkOutput> outputs = numbered_outputs(model);
  if (num_inputs(model) > 1 || outputs.size() > 1 ||
      outputs.front().value != numbered_value(model, kPreviousValue, model.layers.size())) {
    ModelPlace{path, ""}.fail(
        "has several inputs or outputs; the JSON format supports one of each; write the model as "
        "ONNX");
  }
}

}  // namespace

std::vector<std::string> written_json_files(const NetworkModel& given, const std::string& path) {
  const NetworkModel model = without_scaling(given);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto* affine = std::get_if<AffineLayer>(&model.layers[i]);
    if (affine == nullptr) continue;
    for (const char* what : {"weights", "biases"}) {
      if (affine->bias.empty() && std::string_view(what) == "biases") continue;
      const std::string name = matrix_name(path, i + 1, what);
      for (const char* extension : {".npy", ".json"})
        files.push_back(sibling_path(path, name + extension));
    }
  }
  files.push_back(path);
  return files;
}

void write_json_model(const NetworkModel& given, const std::string& path) {
  const NetworkModel model = without_scaling(given);
  check_is_list(model, path);
  Json layers = Json::array();
  for (const NetworkLayer& layer : model.layers) {
    layers.push_back(std::visit(
        [&](const auto& any) { return layer_to_json(any, path, layers.size() + 1); }, layer));
  }
  write_json({{"layers", layers}, {"size", layers.size()}}, path);
}

}  // namespace tilewright

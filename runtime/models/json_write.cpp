#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "json_model.hpp"
#include "matrix_text.hpp"
#include "profiles/base/write_file.hpp"
#include "runtime/net/activation_layer.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void write_json(const Json& value, const std::string& path) {
  // A name that is no UTF-8 is written with replacement characters rather than not at all.
  write_file_atomically(path,
                        value.dump(2, ' ', false, Json::error_handler_t::replace).append("\n"));
}

// NAME.layerI.WHAT without the extension.
std::string matrix_name(const fs::path& path, std::size_t number, const char* what) {
  return fmt::format("{}.layer{}.{}", path.stem().string(), number, what);
}

std::string sibling_path(const fs::path& path, const std::string& name) {
  return (path.parent_path() / name).string();
}

// Writes NAME.layerI.WHAT.npy and its definition, and returns the definition's name.
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
  const ActivationDescription& described = describe_activation(to_activation(layer.activation));
  Json json = {{"layer", std::string(described.json_layer)}};
  if (!layer.name.empty()) json["name"] = layer.name;
  for (const ActivationParameter& parameter : described.parameters) {
    json[std::string(parameter.name)] = layer.*parameter_member(parameter);
  }
  return json;
}

}  // namespace

std::vector<std::string> written_json_files(const MlpModel& model, const std::string& path) {
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

void write_json_model(const MlpModel& model, const std::string& path) {
  Json layers = Json::array();
  for (const MlpLayer& layer : model.layers) {
    layers.push_back(std::visit(
        [&](const auto& any) { return layer_to_json(any, path, layers.size() + 1); }, layer));
  }
  write_json({{"layers", layers}, {"size", layers.size()}}, path);
}

}  // namespace tilewright

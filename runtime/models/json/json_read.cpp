#include <algorithm>
#include <map>
#include <utility>

#include "json/json_model.hpp"
#include "json/json_object.hpp"
#include "matrix/matrix_text.hpp"
#include "named_file.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/activation_layer.hpp"

namespace tilewright {
namespace {

// Returns the path of the file that a key of an object in the file `naming` refers to.
std::string named_file(const std::string& naming, const JsonObject& object, const char* key) {
  const std::string named = object.text(key);
  if (auto path = named_file_path(naming, named)) return std::move(*path);
  object.place().fail(fmt::format(
      "key '{}' is {}; the file must be in the folder of the file that refers to it, or below", key,
      tilewright::in_quotes(named)));
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : int{c}; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&small](char x, char y) { return small(x) == small(y); });
}

class JsonModelReader {
 public:
  JsonModelReader(const std::string& path, std::vector<std::string>& files)
      : path_(path), files_(files) {}

  MlpModel read() {
    const ModelPlace file{path_, ""};
    const nlohmann::json value = parsed_json(path_, file);
    const JsonObject object(value, file);
    object.expect_no_keys_but({"layers", "size"});
    const nlohmann::json& layers = object.at("layers");
    if (!layers.is_array()) file.fail("key 'layers' must be a list");
    if (object.has("size") && object.count("size") != static_cast<std::int64_t>(layers.size())) {
      file.fail(fmt::format("key 'size' is {}, but there are {} layers", object.count("size"),
                            layers.size()));
    }
    MlpModel model;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      model.layers.push_back(layer(layers[i], file.in(fmt::format("layer {}", i + 1))));
    }
    return model;
  }

 private:
  MlpLayer layer(const nlohmann::json& value, const ModelPlace& number) {
    const std::string kind = JsonObject(value, number).text("layer");
    const JsonObject object(value,
                            {number.file, fmt::format("{} ({})", number.place, printable(kind))});
    if (same_but_for_case(kind, "AffineLayer")) return affine(object);
    for (const ActivationDescription& known : kActivations) {
      if (same_but_for_case(kind, known.json_layer)) return activation(object, known);
    }
    std::string names = "AffineLayer";
    for (const auto& known : kActivations) names += fmt::format(", {}", known.json_layer);
    number.fail(
        fmt::format("key 'layer' is {}, not one of {}", tilewright::in_quotes(kind), names));
  }

  static MlpLayer activation(const JsonObject& object, const ActivationDescription& known) {
    ActivationLayer layer;
    layer.activation = static_cast<MlpActivation>(known.activation);
    std::vector<std::string_view> keys = {"layer", "name"};
    for (const ActivationParameter& parameter : known.parameters) keys.push_back(parameter.name);
    object.expect_no_keys_but(keys);
    for (const ActivationParameter& parameter : known.parameters) {
      const std::string key(parameter.name);
      layer.*parameter_member(parameter) =
          object.has(key.c_str()) ? object.number(key.c_str()) : parameter.json_default;
    }
    if (object.has("name")) layer.name = object.text("name");
    return layer;
  }

  MlpLayer affine(const JsonObject& object) {
    object.expect_no_keys_but({"layer", "name", "weights", "biases"});
    AffineLayer layer;
    if (object.has("name")) layer.name = object.text("name");
    FloatMatrix weights = matrix(object, "weights");
    layer.inputs = weights.columns;
    layer.outputs = weights.rows;
    layer.weights = std::move(transposed(weights).values);
    if (!object.has("biases")) return layer;
    FloatMatrix biases = matrix(object, "biases");
    if ((biases.rows != 1 && biases.columns != 1) ||
        biases.values.size() != static_cast<std::uint64_t>(layer.outputs)) {
      object.place().fail(
          fmt::format("biases are {} x {}, but weights of {} x {} (outputs x inputs) need {} x 1",
                      biases.rows, biases.columns, weights.rows, weights.columns, weights.rows));
    }
    layer.bias = std::move(biases.values);
    return layer;
  }

  // Reads the matrix whose definition file the key refers to.
  FloatMatrix matrix(const JsonObject& layer, const char* key) {
    const std::string definition = named_file(path_, layer, key);
    const ModelPlace place = layer.place().in(fmt::format("{} '{}'", key, printable(definition)));
    files_.push_back(definition);
    const nlohmann::json value = parsed_json(definition, place);
    const JsonObject object(value, place);
    object.expect_no_keys_but({"rows", "cols", "data_type", "file"});
    const std::int64_t rows = object.count("rows");
    const std::int64_t columns = object.count("cols");
    FloatMatrix matrix =
        numbers(named_file(definition, object, "file"), object.text("data_type"), place);
    const bool vectors = (rows == 1 || columns == 1) && (matrix.rows == 1 || matrix.columns == 1);
    const bool same = matrix.rows == rows && matrix.columns == columns;
    const bool turned = vectors && matrix.rows == columns && matrix.columns == rows;
    if (!same && !turned) {
      place.fail(fmt::format("is {} x {}, but its file has {} x {}", rows, columns, matrix.rows,
                             matrix.columns));
    }
    matrix.rows = rows;  // a vector may be a row or a column
    matrix.columns = columns;
    return matrix;
  }

  FloatMatrix numbers(const std::string& file, const std::string& type, const ModelPlace& place) {
    if (type != "csv" && type != "npy") {
      place.fail(fmt::format("key 'data_type' is {}, not csv or npy", tilewright::in_quotes(type)));
    }
    if (++uses_[file] > kMaxLayersOfOneMatrix) {
      place.fail(
          fmt::format("'{}' is used more than {} times", printable(file), kMaxLayersOfOneMatrix));
    }
    files_.push_back(file);
    try {
      return type == "csv" ? read_csv(file) : read_npy(file);
    } catch (const MatrixFileError& error) {
      place.fail(error.what());
    }
  }

  const std::string& path_;
  std::vector<std::string>& files_;  // receives the paths of further files that are read
  std::map<std::string, int> uses_;  // number of uses, keyed by the path of a file with numbers
};

}  // namespace

MlpModel read_json_model(const std::string& path, std::vector<std::string>& files) {
  return JsonModelReader(path, files).read();
}

}  // namespace tilewright

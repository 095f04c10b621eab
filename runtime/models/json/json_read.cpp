#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "json/json_model.hpp"
#include "json/json_object.hpp"
#include "matrix/matrix_text.hpp"
#include "named_file.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/activation_layer.hpp"

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

  NetworkModel read() { return model(parsed_json(path_, {path_, ""})); }

  NetworkModel model(const nlohmann::json& value) {
    const ModelPlace file{path_, ""};
    const JsonObject object(value, file);
    object.expect_no_keys_but({"layers", "size"});
    const nlohmann::json& layers = object.at("layers");
    if (!layers.is_array()) file.fail("key 'layers' must be a list");
    if (object.has("size") && object.count("size") != static_cast<std::int64_t>(layers.size())) {
      file.fail(fmt::format("key 'size' is {}, but there are {} layers", object.count("size"),
                            layers.size()));
    }
    NetworkModel model;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      model.layers.push_back(layer(layers[i], file.in(fmt::format("layer {}", i + 1))));
    }
    return model;
  }

 private:
  NetworkLayer layer(const nlohmann::json& value, const ModelPlace& number) {
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

  static NetworkLayer activation(const JsonObject& object, const ActivationDescription& known) {
    ActivationLayer layer;
    layer.activation = known.activation;
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

  NetworkLayer affine(const JsonObject& object) {
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

  // Reads the matrix of a key: its definition, or the name of a file with the definition.
  FloatMatrix matrix(const JsonObject& layer, const char* key) {
    if (layer.at(key).is_object()) {
      return defined_matrix({layer.at(key), layer.place().in(fmt::format("key '{}'", key))}, path_);
    }
    const std::string definition = file_of(path_, layer, key);
    const ModelPlace place = layer.place().in(fmt::format("{} '{}'", key, printable(definition)));
    files_.push_back(definition);
    const nlohmann::json value = parsed_json(definition, place);
    return defined_matrix({value, place}, definition);
  }

  // Returns the path of the file that a key of an object in the file `naming` refers to.
  std::string file_of(const std::string& naming, const JsonObject& object, const char* key) const {
    if (!path_.empty()) return named_file(naming, object, key);
    object.place().fail(fmt::format(
        "key '{}' is {}, a file; a network in memory must have its matrices in its text, with "
        "data_type values",
        key, tilewright::in_quotes(object.text(key))));
  }

  // `naming`: the file that contains the definition.
  FloatMatrix defined_matrix(const JsonObject& object, const std::string& naming) {
    const ModelPlace& place = object.place();
    object.expect_no_keys_but({"rows", "cols", "data_type", "file", "values"});
    const std::int64_t rows = object.count("rows");
    const std::int64_t columns = object.count("cols");
    const std::string type = object.text("data_type");
    const char* const other = type == "values" ? "file" : "values";
    if (object.has(other)) {
      place.fail(fmt::format("has the key '{}', which data_type {} does not use", other, type));
    }
    if (type == "values") return {rows, columns, listed_values(object, rows, columns)};
    FloatMatrix matrix = numbers(file_of(naming, object, "file"), type, place);
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

  static std::vector<float> listed_values(const JsonObject& object, std::int64_t rows,
                                          std::int64_t columns) {
    const nlohmann::json& list = object.at("values");
    if (!list.is_array()) object.place().fail("key 'values' must be a list of numbers");
    const std::uint64_t count = list.size();
    const auto width = static_cast<std::uint64_t>(columns);
    const bool is_whole = width == 0 ? count == 0 : count % width == 0;
    if (!is_whole || (width != 0 && std::cmp_not_equal(count / width, rows))) {
      object.place().fail(
          fmt::format("is {} x {}, but key 'values' has {} numbers", rows, columns, count));
    }
    std::vector<float> values;
    values.reserve(list.size());
    for (const nlohmann::json& value : list) {
      if (!value.is_number()) {
        object.place().fail(
            fmt::format("key 'values': element {} is not a number", values.size() + 1));
      }
      values.push_back(value.get<float>());
      if (!std::isfinite(values.back())) {
        object.place().fail(
            fmt::format("key 'values': element {} is out of range for a float", values.size()));
      }
    }
    return values;
  }

  FloatMatrix numbers(const std::string& file, const std::string& type, const ModelPlace& place) {
    if (type != "csv" && type != "npy") {
      place.fail(fmt::format("key 'data_type' is {}, not csv, npy or values",
                             tilewright::in_quotes(type)));
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

bool is_json_text(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

NetworkModel parse_json_model(std::string_view text) {
  const std::string no_path;
  std::vector<std::string> files;
  return JsonModelReader(no_path, files).model(parsed_json_text(text, {"", ""}));
}

NetworkModel read_json_model(const std::string& path, std::vector<std::string>& files) {
  return JsonModelReader(path, files).read();
}

}  // namespace tilewright

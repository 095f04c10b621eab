#include "tilewright/mlp_files.hpp"

#include <fmt/format.h>

#include "json_model.hpp"
#include "model_place.hpp"
#include "named_file.hpp"
#include "net_rewrites.hpp"
#include "onnx_model.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

enum class Format { kJson, kOnnx };

Format model_format(const std::string& path) {
  const std::string extension = file_extension(path);
  if (extension == ".json") return Format::kJson;
  if (extension == ".onnx") return Format::kOnnx;
  ModelPlace{path, ""}.fail(fmt::format(
      "has the extension {}; the supported extensions are .onnx and .json", in_quotes(extension)));
}

std::string sentence(const std::string& file, const std::string& place, const std::string& reason) {
  const std::string origin = file.empty() ? "model" : fmt::format("'{}'", printable(file));
  return place.empty() ? fmt::format("{}: {}", origin, reason)
                       : fmt::format("{}: {}: {}", origin, place, reason);
}

}  // namespace

ModelError::ModelError(const std::string& file, const std::string& place, const std::string& reason)
    : std::runtime_error(sentence(file, place, reason)),
      file_(file),
      place_(place),
      reason_(reason) {}

MlpModel read_mlp_model(const std::string& path, std::vector<std::string>* files,
                        MlpReading reading) {
  std::vector<std::string> read = {path};
  MlpModel model;
  if (model_format(path) == Format::kJson) {
    model = read_json_model(path, read);
  } else {
    model = read_onnx_model(path, read);
    if (reading == MlpReading::kForSpeed) model = simplified(std::move(model));
    model = as_chain(std::move(model));
  }
  check_mlp_model_from(model, path);
  if (files != nullptr) files->insert(files->end(), read.begin(), read.end());
  return model;
}

void write_mlp_model(const MlpModel& model, const std::string& path) {
  const Format format = model_format(path);
  check_mlp_model(model);
  format == Format::kJson ? write_json_model(model, path) : write_onnx_model(model, path);
}

std::vector<std::string> written_mlp_files(const MlpModel& model, const std::string& path) {
  if (model_format(path) == Format::kOnnx) return {path};
  return written_json_files(model, path);
}

}  // namespace tilewright

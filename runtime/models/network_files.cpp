#include "runtime/models/network_files.hpp"

#include <fmt/format.h>

#include <string_view>

#include "graph/model_rewrites.hpp"
#include "json/json_model.hpp"
#include "model_place.hpp"
#include "named_file.hpp"
#include "onnx/onnx_model.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/model_rules.hpp"

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

NetworkModel as_read(NetworkModel model, NetworkReading reading) {
  if (reading == NetworkReading::kForSpeed) model = simplified(std::move(model));
  return as_chain(std::move(model));
}

}  // namespace

ModelError::ModelError(const std::string& file, const std::string& place, const std::string& reason)
    : std::runtime_error(sentence(file, place, reason)),
      file_(file),
      place_(place),
      reason_(reason) {}

NetworkModel read_network_model(const std::string& path, std::vector<std::string>* files,
                                NetworkReading reading, const std::vector<std::string>& outputs) {
  std::vector<std::string> read = {path};
  const bool is_json = model_format(path) == Format::kJson;
  NetworkModel model = is_json ? read_json_model(path, read)
                               : as_read(read_onnx_model(path, outputs, read), reading);
  if (is_json) check_network_model_from(model, path);
  if (files != nullptr) files->insert(files->end(), read.begin(), read.end());
  return model;
}

NetworkModel read_network_model(const void* data, std::size_t size, NetworkReading reading,
                                const std::vector<std::string>& outputs) {
  if (data == nullptr && size > 0) ModelPlace{"", ""}.fail("has no data: the pointer is null");
  const std::string_view bytes(static_cast<const char*>(data), size);
  try {
    if (!is_json_text(bytes)) return as_read(parse_onnx_model(bytes, outputs), reading);
    NetworkModel model = parse_json_model(bytes);
    check_network_model(model);
    return model;
  } catch (const ModelError& error) {
    throw ModelError("", ModelPlace{"", "in memory"}.in(error.place()).place, error.reason());
  }
}

void check_network_model_from(const NetworkModel& model, const std::string& file) {
  if (const auto fault = find_fault(model)) ModelPlace{file, fault->place}.fail(fault->reason);
}

void check_network_model(const NetworkModel& model) {
  check_network_model_from(model, "");
}

void write_network_model(const NetworkModel& model, const std::string& path) {
  const Format format = model_format(path);
  check_network_model(model);
  format == Format::kJson ? write_json_model(model, path) : write_onnx_model(model, path);
}

std::vector<std::string> written_network_files(const NetworkModel& model, const std::string& path) {
  if (model_format(path) == Format::kOnnx) return {path};
  return written_json_files(model, path);
}

}  // namespace tilewright

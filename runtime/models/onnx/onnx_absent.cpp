#include "model_place.hpp"
#include "onnx/onnx_model.hpp"

namespace tilewright {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw OnnxMissing(
      path, "",
      "ONNX is not built in; install protobuf and ONNX (Debian: libprotobuf-dev, "
      "libonnx-dev) and build with -DTILEWRIGHT_ONNX=ON, or convert the model to JSON");
}

}  // namespace

bool onnx_is_built_in() {
  return false;
}

MlpModel parse_onnx_model(std::string_view) {
  fail("");
}

MlpModel read_onnx_model(const std::string& path, std::vector<std::string>&) {
  fail(path);
}

void write_onnx_model(const MlpModel&, const std::string& path) {
  fail(path);
}

}  // namespace tilewright

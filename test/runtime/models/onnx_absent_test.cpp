#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

TEST_CASE("without ONNX the error says how to get it") {
  CHECK_FALSE(onnx_is_built_in());
  const auto how = Catch::Matchers::Contains("ONNX is not built in") &&
                   Catch::Matchers::Contains("libonnx-dev") &&
                   Catch::Matchers::Contains("TILEWRIGHT_ONNX=ON");
  CHECK_THAT(refusal<OnnxMissing>([] { read_mlp_model("net.onnx"); }), how);
  CHECK_THAT(refusal<OnnxMissing>([] { write_mlp_model(sample_model(), "net.onnx"); }), how);
}

}  // namespace
}  // namespace tilewright

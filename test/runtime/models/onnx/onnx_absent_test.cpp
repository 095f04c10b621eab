#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

TEST_CASE("without ONNX the error says how to enable it") {
  CHECK_FALSE(onnx_is_built_in());
  const std::string reading = refusal<OnnxMissing>([] { read_mlp_model("net.onnx"); });
  CHECK_THAT(reading, Catch::Matchers::ContainsSubstring("ONNX is not built in"));
  CHECK_THAT(reading, Catch::Matchers::ContainsSubstring("libonnx-dev"));
  CHECK_THAT(reading, Catch::Matchers::ContainsSubstring("TILEWRIGHT_ONNX=ON"));
  CHECK(refusal<OnnxMissing>([] { write_mlp_model(sample_model(), "net.onnx"); }) == reading);
}

}  // namespace
}  // namespace tilewright

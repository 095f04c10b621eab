#include "codelets/text/epilogue_text.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("activations as text") {
  CHECK(activation_text(Activation::kIdentity, "x", 4) == "x");
  CHECK(activation_text(Activation::kRelu, "x", 1) == "fmax(x, 0.0f)");
  CHECK(activation_text(Activation::kLeakyRelu, "x", 1) == "x < 0.0f ? slope * x : x");
  CHECK(activation_text(Activation::kLeakyRelu, "x", 8) == "select(x, slope * x, x < 0.0f)");
  CHECK(activation_text(Activation::kSigmoid, "x", 4) == "1.0f / (1.0f + exp(-x))");
  CHECK(activation_text(Activation::kTanh, "x", 2) == "tanh(x)");
  CHECK(activation_text(Activation::kElu, "x", 4) ==
        "fmax(x, 0.0f) + slope * expm1(fmin(x, 0.0f))");
  CHECK(activation_text(Activation::kSelu, "x", 4) ==
        "1.050701f * fmax(x, 0.0f) + 1.7580993f * expm1(fmin(x, 0.0f))");
  CHECK(activation_text(Activation::kClip, "x", 2) == "fmin(fmax(x, low), high)");
}

TEST_CASE("arguments that bias and activation add") {
  CHECK(epilogue_arguments(Dimension::kNone, Activation::kRelu).empty());
  CHECK(epilogue_arguments(Dimension::kNone, Activation::kClip) ==
        ", const float low, const float high");
  CHECK(epilogue_arguments(Dimension::kNone, Activation::kHardSigmoid) ==
        ", const float slope, const float shift");
  CHECK(epilogue_arguments(Dimension::kM, Activation::kLeakyRelu) ==
        ",\n    __global const float *restrict bias, const ulong offset_bias, const float slope");
}

}  // namespace
}  // namespace tilewright

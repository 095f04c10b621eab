// Activations: their attributes, and nodes that together compute one.
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

const double kElu = std::exp(-2.0) - 1.0;
const double kGelu = 0.5 * (1.0 + std::erf(std::sqrt(2.0)));
const double kSwish = 1.0 / (1.0 + std::exp(-2.0));

TEST_CASE("PRelu with one slope is a leaky ReLU, and with a slope per column it selects by sign") {
  check({gives("g = Gemm(x,w,b); p = PRelu(g,two); y = Gemm(p,w,b)", {{-6, 1}}, {-5, -6}, 3),
         gives("s[2] = 0.5 -2; g = Gemm(x,w,b); p = PRelu(g,s); y = Gemm(p,w,b)", {{-6, 1}},
               {19, 26}, 5)});
}

TEST_CASE("bounds and attributes of activations") {
  const auto activation = [](const std::string& node, const std::vector<double>& y,
                             std::size_t layers = 2) {
    // g = (2, -2), (36, 48)
    return gives("low[] = 0; six[] = 6; much[] = inf; g = Gemm(x,w,b); y = " + node,
                 {{-6, 1, 1, 10}}, y, layers);
  };
  const double scale = 1.0507009873554805;
  check({activation("Clip(g,low,six)", {2, 0, 6, 6}), activation("Clip(g,,six)", {2, -2, 6, 6}),
         activation("Clip(g,low,much)", {2, 0, 36, 48}),
         activation("Clip(g) max=2.0", {2, -2, 2, 2}),
         activation("HardSigmoid(g) beta=0.25", {0.65, 0, 1, 1}),
         activation("Elu(g)", {2, kElu, 36, 48}),
         activation("Selu(g)",
                    {2 * scale, 1.6732632423543772 * scale * kElu, 36 * scale, 48 * scale}),
         activation("Selu(g) alpha=2.0", {2 * scale, 2 * scale * kElu, 36 * scale, 48 * scale}, 3),
         activation("Celu(g) alpha=2.0", {2, 2 * (std::exp(-1.0) - 1), 36, 48}, 0),
         // If min is greater than max, the result is max.
         activation("Clip(g,two,half)", {0.5, 0.5, 0.5, 0.5}),
         refused("g = Gemm(x,w,b); y = Gelu(g) approximate='sine'", "(Gelu", "'sine'")});
}

TEST_CASE("FusedGemm applies the activations that onnxruntime merges into it") {
  for (const char* text : {"Elu alpha=0.75", "HardSigmoid", "HardSigmoid alpha=0.125 beta=0.25",
                           "HardSigmoid beta=0.75", "LeakyRelu alpha=0.125", "Relu", "Selu",
                           "Selu alpha=1.5 gamma=2.0", "Sigmoid", "Softplus", "Softsign", "Tanh",
                           "ThresholdedRelu", "ThresholdedRelu alpha=2.5"}) {
    INFO(text);
    const std::vector<std::string> parts = split(text, ' ');
    std::string apart = "g = Gemm(x,w,b); y = " + parts[0] + "(g)";
    std::string fused = "y = com.microsoft.FusedGemm(x,w,b) activation='" + parts[0] + "'";
    for (std::size_t i = 1; i < parts.size(); ++i) {
      apart += " " + parts[i];
      fused += " activation_" + parts[i];
    }
    const std::vector<std::vector<double>> x = {{-2.0, 0.5, -1.0, -1.0, 0.25, -0.5, -8.0, 1.0}};
    CHECK(host_forward_all(graph(fused).read(), x, 4) ==
          host_forward_all(graph(apart).read(), x, 4));
  }
}

TEST_CASE("FusedGemm with an empty activation has none, and its product no name") {
  const std::string node = "y = com.microsoft.FusedGemm:fused(x,w,b) activation=";
  check({gives(node + "''", {{-6, 1}}, {2, -2}, 1), gives(node + "'Relu'", {{-6, 1}}, {2, 0}, 2),
         refused(node + "'Clip'", "(FusedGemm 'fused')", "'Clip'")});
  CHECK(std::get<AffineLayer>(graph(node + "'Relu'").read().layers[0]).name.empty());
}

TEST_CASE("activations that several nodes compute are recognised by their values") {
  // x (1 + erf(x / sqrt(2))) / 2, with the factor 1/2 applied to x first. 1.42 is not close enough.
  const auto gelu = [](const char* root) {
    return std::string("one[] = 1; root[] = ") + root + "; g = Gemm(x,w,b); h = Mul(half,g); " +
           "d = Div(g,root); e = Erf(d); a = Add(one,e); y = Mul(a,h)";
  };
  check({gives(gelu("1.41421356"), {{-6, 1}}, {1 + std::erf(std::sqrt(2)), -2 + 2 * kGelu}, 2),
         accepted(gelu("1.42"), 6),
         gives("g = Gemm(x,w,b); s = Sigmoid(g); y = Mul(g,s)", {{-6, 1}},
               {2 * kSwish, -2 + 2 * kSwish}, 3)});
}

}  // namespace
}  // namespace tilewright

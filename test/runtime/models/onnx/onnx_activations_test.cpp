// Activations: their attributes, and nodes that together compute one.
#include <limits>
#include <utility>

#include "catch.hpp"
#include "onnx/sample_net.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE(
    "PRelu with one slope is a leaky ReLU, and with a slope per column it selects by the sign") {
  const auto with_slopes = [](const char* slopes) {
    return net([&](OnnxSample& s) {
      s.raw("slopes", {2}, {0.5f, -2});
      s.node("Gemm", {"x", "w", "b"}, "g");
      s.node("PRelu", {"g", slopes}, "p");
      s.node("Gemm", {"p", "w", "b"}, "y");
    });
  };
  CHECK(with_slopes("two").read().layers[1] ==
        NetworkLayer(ActivationLayer{"", Activation::kLeakyRelu, 2.0f}));
  const std::vector<NetworkLayer> layers = with_slopes("slopes").read().layers;
  REQUIRE(layers.size() == 5);
  CHECK(layers[3] ==
        NetworkLayer(OperationLayer{"", NetworkOperation::kWhere, {{2, {}}, {}, {1, {}}}, {}}));
}

TEST_CASE("bounds and attributes of activations") {
  const auto layer = [](const auto& node) {
    return net([&](OnnxSample& s) {
             s.raw("zero", {}, {0});
             s.raw("six", {}, {6});
             s.raw("much", {}, {HUGE_VALF});
             s.node("Gemm", {"x", "w", "b"}, "g");
             node(s);
           })
        .read()
        .layers.at(1);
  };
  const auto clip = [](float low, float high) {
    return NetworkLayer(ActivationLayer{"", Activation::kClip, 0.01f, 0.5f, low, high});
  };
  const float most = std::numeric_limits<float>::max();
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "zero", "six"}, "y"); }) == clip(0, 6));
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "", "six"}, "y"); }) == clip(-most, 6));
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "zero", "much"}, "y"); }) == clip(0, most));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("Clip", {"g"}, "y"), "max", 2.0f); }) ==
        clip(-most, 2));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("HardSigmoid", {"g"}, "y"), "beta", 0.25f); }) ==
        NetworkLayer(ActivationLayer{"", Activation::kHardSigmoid, 0.2f, 0.25f}));
  CHECK(layer([](auto& s) { s.node("Elu", {"g"}, "y"); }) ==
        NetworkLayer(ActivationLayer{"", Activation::kElu, 1.0f}));
  CHECK(layer([](auto& s) { s.node("Selu", {"g"}, "y"); }) ==
        NetworkLayer(activation_layer(Activation::kSelu)));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("Selu", {"g"}, "y"), "alpha", 2.0f); }) ==
        NetworkLayer(ActivationLayer{"", Activation::kElu, 2.0f}));
  // If min is greater than max, the result is max.
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "two", "half"}, "y"); }) == clip(0.5f, 0.5f));
  const OnnxSample other = net([](OnnxSample& s) {
    s.node("Gemm", {"x", "w", "b"}, "g");
    auto& node = s.node("Gelu", {"g"}, "y");
    node.attribute.emplace_back().name = "approximate";
    node.attribute[0].s = "sine";
  });
  CHECK_THAT(other.said(), ContainsSubstring("its attribute approximate is 'sine'"));
}

TEST_CASE("FusedGemm applies the activations that onnxruntime merges into it") {
  using Attributes = std::vector<std::pair<std::string, float>>;
  const auto [activation, attributes] = GENERATE(
      table<const char*, Attributes>({{"Elu", {{"alpha", 0.75f}}},
                                      {"HardSigmoid", {}},
                                      {"HardSigmoid", {{"alpha", 0.125f}, {"beta", 0.25f}}},
                                      {"HardSigmoid", {{"beta", 0.75f}}},
                                      {"LeakyRelu", {{"alpha", 0.125f}}},
                                      {"Relu", {}},
                                      {"Selu", {}},
                                      {"Selu", {{"alpha", 1.5f}, {"gamma", 2.0f}}},
                                      {"Sigmoid", {}},
                                      {"Softplus", {}},
                                      {"Softsign", {}},
                                      {"Tanh", {}},
                                      {"ThresholdedRelu", {}},
                                      {"ThresholdedRelu", {{"alpha", 2.5f}}}}));
  const std::string name = activation;
  const Attributes given = attributes;
  INFO(name << ", " << given.size() << " attributes");
  const OnnxSample apart = net([&](OnnxSample& s) {
    s.node("Gemm", {"x", "w", "b"}, "g");
    auto& node = s.node(name, {"g"}, "y");
    for (const auto& [key, value] : given) OnnxSample::set(node, key, value);
  });
  const OnnxSample fused = net([&](OnnxSample& s) {
    auto& node = s.node("FusedGemm", {"x", "w", "b"}, "y");
    node.domain = "com.microsoft";
    auto& attribute = node.attribute.emplace_back();
    attribute.name = "activation";
    attribute.s = name;
    for (const auto& [key, value] : given) OnnxSample::set(node, "activation_" + key, value);
  });
  const std::vector<std::vector<double>> x = {{-2.0, 0.5, -1.0, -1.0, 0.25, -0.5, -8.0, 1.0}};
  CHECK(host_forward_all(fused.read(), x, 4) == host_forward_all(apart.read(), x, 4));
}

TEST_CASE("FusedGemm with an empty activation has none, and its product no name") {
  const auto fused = [](const std::string& activation) {
    return net([&](OnnxSample& s) {
      auto& node = s.node("FusedGemm", {"x", "w", "b"}, "y", "fused");
      node.domain = "com.microsoft";
      auto& attribute = node.attribute.emplace_back();
      attribute.name = "activation";
      attribute.type = onnx::Attribute::kStringValue;
      attribute.s = activation;
    });
  };
  CHECK(fused("").read().layers.size() == 1);
  CHECK(fused("Relu").read().layers.size() == 2);
}

TEST_CASE("FusedGemm with another activation is refused") {
  const OnnxSample clip = net([](OnnxSample& s) {
    auto& node = s.node("FusedGemm", {"x", "w", "b"}, "y");
    node.domain = "com.microsoft";
    auto& attribute = node.attribute.emplace_back();
    attribute.name = "activation";
    attribute.s = "Clip";
  });
  CHECK_THAT(clip.said(),
             ContainsSubstring("applies the activation 'Clip', which is not supported"));
}

TEST_CASE(
    "activations that several nodes compute are recognised by their values, in any order of the "
    "nodes") {
  const auto read = [](const auto& nodes) {
    return net([&](OnnxSample& s) {
      s.raw("root", {}, {1.41421356f});
      s.raw("one", {}, {1});
      s.node("Gemm", {"x", "w", "b"}, "g");
      nodes(s);
    });
  };
  // x (1 + erf(x / sqrt(2))) / 2, with the factor 1/2 applied to x first.
  const OnnxSample gelu = read([](OnnxSample& s) {
    s.node("Mul", {"half", "g"}, "h");
    s.node("Div", {"g", "root"}, "d");
    s.node("Erf", {"d"}, "e");
    s.node("Add", {"one", "e"}, "a");
    s.node("Mul", {"a", "h"}, "y", "last");
  });
  const NetworkModel model = gelu.read();
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[1] == NetworkLayer(ActivationLayer{"last", Activation::kGelu}));
  // A constant that is close to sqrt(2), but not close enough.
  OnnxSample near = gelu;
  near.graph().initializer[6].raw_data = kept(float_bytes({1.42f}));
  CHECK(near.read().layers.size() == 6);
  const OnnxSample swish = read([](OnnxSample& s) {
    s.node("Sigmoid", {"g"}, "s");
    s.node("Mul", {"g", "s"}, "y");
  });
  CHECK(swish.read().layers[2] ==
        NetworkLayer(OperationLayer{"", NetworkOperation::kMultiply, {{1, {}}, {}}, {}}));
}

}  // namespace
}  // namespace tilewright

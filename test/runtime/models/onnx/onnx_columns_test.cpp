// Nodes that scale and shift columns become part of an affine layer, and nodes that together
// compute an activation become that activation. (Files of PyTorch's exporters:
// pytorch_networks_test.cpp.)
#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"
#include "runtime/network/host_mlp.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// A network from "x" (batch x 2) through `nodes` to "y".
template <class Nodes>
OnnxSample net(const Nodes& nodes) {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("b", {2}, {5, 6});
  sample.raw("half", {}, {0.5f});
  sample.raw("two", {1}, {2});
  sample.raw("v", {2}, {10, 100});
  sample.raw("u", {1, 2}, {1, -1});
  nodes(sample);
  sample.output("y", {0, 2});
  return sample;
}

using Layers = std::vector<MlpLayer>;

TEST_CASE("a small file may select single columns of a wide input often") {
  OnnxSample sample;
  sample.input("x", {0, 10000});
  std::vector<std::string> selected;
  for (std::int64_t i = 0; i < 40; ++i) {
    const std::string name = "column" + std::to_string(i);
    sample.integers(name, {250 * i});
    OnnxSample::set(sample.node("Gather", {"x", name}, "x_" + name), "axis", std::int64_t{1});
    selected.push_back("x_" + name);
  }
  OnnxSample::set(sample.node("Concat", selected, "y"), "axis", std::int64_t{1});
  sample.output("y", {0, 40});
  const MlpModel model = sample.read();
  const auto& last = std::get<OperationLayer>(model.layers.at(39));
  CHECK(last.columns == std::vector<std::int64_t>{9750});
}

TEST_CASE("scaling and shifting after an affine layer is merged into it") {
  const auto after = [](const auto& nodes) {
    return net([&](OnnxSample& sample) {
             sample.node("Gemm", {"x", "w", "b"}, "g");
             nodes(sample);
           })
        .read()
        .layers;
  };
  CHECK(after([](auto& s) {
          s.node("Mul", {"g", "v"}, "y");
        }) == Layers{AffineLayer{"", 2, 2, {10, 200, 30, 400}, {50, 600}}});
  CHECK(after([](auto& s) {
          s.node("Mul", {"half", "g"}, "y");
        }) == Layers{AffineLayer{"", 2, 2, {0.5f, 1, 1.5f, 2}, {2.5f, 3}}});
  CHECK(after([](auto& s) {
          s.node("Sub", {"g", "u"}, "y");
        }) == Layers{AffineLayer{"", 2, 2, {1, 2, 3, 4}, {4, 7}}});
  CHECK(after([](auto& s) {
          s.node("Sub", {"u", "g"}, "y");
        }) == Layers{AffineLayer{"", 2, 2, {-1, -2, -3, -4}, {-4, -7}}});
  CHECK(after([](auto& s) {
          s.node("Div", {"g", "two"}, "d");
          s.node("Add", {"v", "d"}, "y");
        }) == Layers{AffineLayer{"", 2, 2, {0.5f, 1, 1.5f, 2}, {12.5f, 103}}});
}

TEST_CASE(
    "scaling before an affine layer, and after an activation, is merged into the next layer") {
  const MlpModel before = net([](OnnxSample& s) {
                            s.node("Sub", {"x", "u"}, "d");
                            s.raw("std", {2}, {2, 4});
                            s.node("Div", {"d", "std"}, "n");
                            s.node("Gemm", {"n", "w", "b"}, "y");
                          }).read();
  CHECK(before.layers == Layers{AffineLayer{"", 2, 2, {0.5f, 1, 0.75f, 1}, {5.25f, 6}}});
  const MlpModel between = net([](OnnxSample& s) {
                             s.node("MatMul", {"x", "w"}, "m");
                             s.node("Relu", {"m"}, "r");
                             s.node("Mul", {"r", "two"}, "t");
                             s.node("Add", {"t", "u"}, "a");
                             s.node("MatMul", {"a", "w"}, "y");
                           }).read();
  CHECK(between.layers == Layers{AffineLayer{"", 2, 2, {1, 2, 3, 4}, {}},
                                 activation_layer(MlpActivation::kRelu),
                                 AffineLayer{"", 2, 2, {2, 4, 6, 8}, {-2, -2}}});
}

TEST_CASE("scaling that no layer can absorb stays an operation") {
  const auto model = [](const char* last, const char* by) {
    return net([&](OnnxSample& s) {
             s.node("Gemm", {"x", "w", "b"}, "g");
             s.node("Tanh", {"g"}, "t");
             s.node("Mul", {"t", "v"}, "m");
             s.node(last, {"m", by}, "y");
           })
        .read();
  };
  const auto operation = [](MlpOperation op, const std::vector<double>& constant) {
    return MlpLayer(OperationLayer{"", op, {{}, {kPreviousValue, constant}}, {}});
  };
  CHECK(model("Add", "u").layers[2] == operation(MlpOperation::kMultiply, {10, 100}));
  CHECK(model("Add", "u").layers[3] == operation(MlpOperation::kAdd, {1, -1}));
  // Two operations that cancel leave no layer.
  CHECK(model("Div", "v").layers.size() == 2);
  const OnnxSample nowhere = net([](OnnxSample& s) {
    s.node("Mul", {"x", "v"}, "m");
    s.node("Relu", {"m"}, "y");
  });
  CHECK(nowhere.read().layers == Layers{operation(MlpOperation::kMultiply, {10, 100}),
                                        activation_layer(MlpActivation::kRelu)});
}

TEST_CASE("shifts that would cancel in the next layer are not folded into it") {
  const auto standardised = [](float mean, float deviation) {
    return net([&](OnnxSample& s) {
             s.raw("mean", {2}, {mean, 0});
             s.raw("deviation", {1}, {deviation});
             s.node("Sub", {"x", "mean"}, "c");
             s.node("Div", {"c", "deviation"}, "n");
             s.node("Gemm", {"n", "w", "b"}, "y");
           })
        .read()
        .layers;
  };
  CHECK(standardised(32, 2) == Layers{AffineLayer{"", 2, 2, {0.5f, 1, 1.5f, 2}, {-11, -26}}});
  const Layers apart = standardised(101325, 30);
  REQUIRE(apart.size() == 3);
  CHECK(apart[2] == MlpLayer(AffineLayer{"", 2, 2, {1, 2, 3, 4}, {5, 6}}));
}

// The operations of a network that reads `nodes` from h, the result of a MatMul, and gives y.
template <class Nodes>
std::size_t operations_after_product(const Nodes& nodes) {
  const MlpModel model = net([&](OnnxSample& s) {
                           s.node("MatMul", {"x", "w"}, "h");
                           nodes(s);
                         }).read();
  return static_cast<std::size_t>(std::count_if(
      model.layers.begin(), model.layers.end(),
      [](const MlpLayer& layer) { return std::holds_alternative<OperationLayer>(layer); }));
}

TEST_CASE("operations that are almost an activation stay what they are") {
  const auto constant = [](OnnxSample& s, float value) {
    s.raw("c", {}, {value});
    return std::string("c");
  };
  for (const float guard : {1e-12f, 1e-7f}) {
    INFO(guard);
    // TensorFlow's l2_normalize.
    CHECK(operations_after_product([&](auto& s) {
            s.node("Max", {"h", constant(s, guard)}, "y");
          }) == 1);
    // Guards of logarithms and divisions.
    for (const char* function : {"Sigmoid", "Relu", "Abs"}) {
      CHECK(operations_after_product([&](auto& s) {
              s.node(function, {"h"}, "f");
              s.node("Add", {"f", constant(s, guard)}, "y");
            }) >= 1);
    }
  }
  // A ceiling above the grid, a threshold between its points, a small scale, steps.
  CHECK(operations_after_product([&](auto& s) {
          s.node("Relu", {"h"}, "r");
          s.node("Min", {"r", constant(s, 255.0f)}, "y");
        }) == 1);
  CHECK(operations_after_product([&](auto& s) {
          OnnxSample::set(s.node("ThresholdedRelu", {"h"}, "y"), "alpha", 0.1f);
        }) == 2);
  CHECK(operations_after_product([&](auto& s) {
          s.node("Tanh", {"h"}, "t");
          s.node("Mul", {"t", constant(s, 1e-9f)}, "m");
          s.node("Tanh", {"m"}, "y");
        }) == 1);
  CHECK(operations_after_product([&](auto& s) {
          constant(s, 8.0f);
          s.node("Tanh", {"h"}, "t");
          s.node("Mul", {"t", "c"}, "m");
          s.node("Round", {"m"}, "r");
          s.node("Div", {"r", "c"}, "y");
        }) == 3);
  // Relu itself, as Max with 0.
  CHECK(operations_after_product([&](auto& s) {
          s.node("Max", {"h", constant(s, 0.0f)}, "y");
        }) == 0);
}

// `columns` inputs are standardised, (x - mean) / deviation, and multiplied by `weights`.
std::size_t layers_of_standardised(float mean, float deviation, const std::vector<float>& weights) {
  const auto columns = static_cast<std::int64_t>(weights.size());
  OnnxSample sample;
  sample.input("x", {0, columns});
  sample.raw("mean", {}, {mean});
  sample.raw("deviation", {}, {deviation});
  sample.raw("w", {columns, 1}, weights);
  sample.node("Sub", {"x", "mean"}, "c");
  sample.node("Div", {"c", "deviation"}, "n");
  sample.node("MatMul", {"n", "w"}, "y");
  sample.output("y", {0, 1});
  return sample.read().layers.size();
}

TEST_CASE("whether a shift is folded depends on the weights") {
  // The sum of all shifts decides: weights of both signs cancel each other.
  CHECK(layers_of_standardised(50, 1, {1}) == 1);
  CHECK(layers_of_standardised(100, 1, {1}) == 3);
  const std::vector<float> ones(256, 1.0f);
  std::vector<float> signs = ones;
  for (std::size_t i = 0; i < signs.size(); i += 2) signs[i] = -1.0f;
  CHECK(layers_of_standardised(0.4f, 1, ones) == 1);
  CHECK(layers_of_standardised(4, 1, ones) == 3);
  CHECK(layers_of_standardised(16, 1, signs) == 1);
}

TEST_CASE("a scale is not folded if weights would leave the range of half precision") {
  CHECK(layers_of_standardised(0, 255, {0.1f, -0.2f}) == 1);
  CHECK(layers_of_standardised(0, 1e5f, {0.1f, -0.2f}) == 3);
  CHECK(layers_of_standardised(0, 1e-6f, {0.1f, -0.2f}) == 3);
}

TEST_CASE("constants that do not match the rows, or are not finite, are refused") {
  const auto said = [](const std::vector<std::int64_t>& extents, const std::vector<float>& values,
                       const char* operation = "Mul") {
    return net([&](OnnxSample& s) {
             s.raw("c", extents, values);
             s.node("Gemm", {"x", "w", "b"}, "g");
             s.node(operation, {"g", "c"}, "y");
           })
        .said();
  };
  CHECK(said({1, 2}, {1, 2}).empty());
  CHECK(said({1, 1, 1}, {1}).empty());
  CHECK_THAT(said({3}, {1, 2, 3}),
             ContainsSubstring("node 2 of 2 (Mul): combines initialiser 'c', which is 3, "
                               "with rows of 2 elements"));
  CHECK_THAT(said({2, 1}, {1, 2}), ContainsSubstring("which is 2 x 1, with rows"));
  CHECK(said({1, 1, 2}, {1, 2}).empty());
  CHECK_THAT(said({0}, {}), ContainsSubstring("which is 0, with rows"));
  CHECK_THAT(said({2}, {1, 0}, "Div"), ContainsSubstring("by a number that is not finite"));
  CHECK_THAT(said({1}, {HUGE_VALF}, "Add"), ContainsSubstring("by a number that is not finite"));
  const OnnxSample divided = net([](OnnxSample& s) {
    s.node("Gemm", {"x", "w", "b"}, "g");
    s.node("Div", {"two", "g"}, "y");
  });
  CHECK(divided.read().layers.size() == 2);
  // A small file that repeats one constant along a dimension whose size is only a claim.
  OnnxSample wide;
  wide.input("x", {0, 2, std::int64_t{1} << 40});
  wide.raw("c", {2, 1}, {1, 2});
  wide.node("Mul", {"x", "c"}, "y");
  wide.output("y", {0, 2});
  CHECK_THAT(wide.said(), ContainsSubstring("which is 2 x 1, with rows of 2199023255552 elements"));
}

TEST_CASE("a batch normalisation is folded in inference form, and refused in training mode") {
  const auto normalised = [](const char* attribute, std::int64_t value) {
    return net([&](OnnxSample& s) {
      s.raw("variance", {2}, {3, 15});
      s.node("MatMul", {"x", "w"}, "m");
      auto& node = s.node("BatchNormalization", {"m", "v", "b", "u", "variance"}, "y");
      OnnxSample::set(node, "epsilon", 1.0f);
      OnnxSample::set(node, attribute, value);
    });
  };
  // (x - u) / sqrt(variance + 1) v + b: times 5 and 25
  CHECK(normalised("training_mode", 0).read().layers ==
        Layers{AffineLayer{"", 2, 2, {5, 50, 15, 100}, {0, 31}}});
  CHECK_THAT(normalised("training_mode", 1).said(),
             ContainsSubstring("(BatchNormalization): is in training"));
}

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
        MlpLayer(ActivationLayer{"", MlpActivation::kLeakyRelu, 2.0f}));
  const std::vector<MlpLayer> layers = with_slopes("slopes").read().layers;
  REQUIRE(layers.size() == 5);
  CHECK(layers[3] ==
        MlpLayer(OperationLayer{"", MlpOperation::kWhere, {{2, {}}, {}, {1, {}}}, {}}));
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
    return MlpLayer(ActivationLayer{"", MlpActivation::kClip, 0.01f, 0.5f, low, high});
  };
  const float most = std::numeric_limits<float>::max();
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "zero", "six"}, "y"); }) == clip(0, 6));
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "", "six"}, "y"); }) == clip(-most, 6));
  CHECK(layer([](auto& s) { s.node("Clip", {"g", "zero", "much"}, "y"); }) == clip(0, most));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("Clip", {"g"}, "y"), "max", 2.0f); }) ==
        clip(-most, 2));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("HardSigmoid", {"g"}, "y"), "beta", 0.25f); }) ==
        MlpLayer(ActivationLayer{"", MlpActivation::kHardSigmoid, 0.2f, 0.25f}));
  CHECK(layer([](auto& s) { s.node("Elu", {"g"}, "y"); }) ==
        MlpLayer(ActivationLayer{"", MlpActivation::kElu, 1.0f}));
  CHECK(layer([](auto& s) { s.node("Selu", {"g"}, "y"); }) ==
        MlpLayer(activation_layer(MlpActivation::kSelu)));
  CHECK(layer([](auto& s) { OnnxSample::set(s.node("Selu", {"g"}, "y"), "alpha", 2.0f); }) ==
        MlpLayer(ActivationLayer{"", MlpActivation::kElu, 2.0f}));
  const OnnxSample crossed = net([](OnnxSample& s) {
    s.node("Gemm", {"x", "w", "b"}, "g");
    s.node("Clip", {"g", "two", "half"}, "y");
  });
  CHECK_THAT(crossed.said(), ContainsSubstring("has a min, 2, that is greater than its max, 0.5"));
  const OnnxSample other = net([](OnnxSample& s) {
    s.node("Gemm", {"x", "w", "b"}, "g");
    auto& node = s.node("Gelu", {"g"}, "y");
    node.attribute.emplace_back().name = "approximate";
    node.attribute[0].s = "sine";
  });
  CHECK_THAT(other.said(), ContainsSubstring("its attribute approximate is 'sine'"));
}

TEST_CASE("FusedGemm applies the activations that onnxruntime merges into it") {
  const auto set_text = [](onnx::Node& node, const char* name, const char* value) {
    auto& attribute = node.attribute.emplace_back();
    attribute.name = name;
    attribute.s = value;
  };
  for (const char* activation :
       {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "Elu", "Softplus", "Softsign", "ThresholdedRelu"}) {
    INFO(activation);
    const bool has_alpha = activation == std::string("ThresholdedRelu");
    const OnnxSample apart = net([&](OnnxSample& s) {
      s.node("Gemm", {"x", "w", "b"}, "g");
      auto& node = s.node(activation, {"g"}, "y");
      if (has_alpha) OnnxSample::set(node, "alpha", 2.5f);
    });
    const OnnxSample fused = net([&](OnnxSample& s) {
      auto& node = s.node("FusedGemm", {"x", "w", "b"}, "y");
      node.domain = "com.microsoft";
      set_text(node, "activation", activation);
      if (has_alpha) OnnxSample::set(node, "activation_alpha", 2.5f);
    });
    const std::vector<std::vector<double>> x = {{-2.0, 0.5, -1.0, -1.0, 0.25, -0.5}};
    CHECK(host_forward_all(fused.read(), x, 3) == host_forward_all(apart.read(), x, 3));
  }
}

TEST_CASE("Shrink sets elements near 0 to 0, and moves the others towards 0") {
  const auto result = [](float lambd, float bias) {
    const OnnxSample sample = net([&](OnnxSample& s) {
      auto& node = s.node("Shrink", {"x"}, "y");
      if (lambd != 0.5f) OnnxSample::set(node, "lambd", lambd);
      if (bias != 0.0f) OnnxSample::set(node, "bias", bias);
    });
    return host_forward_all(sample.read(), {{-2.0, -1.0, -0.5, 0.0, 0.75, 3.0}}, 3).front();
  };
  using Values = std::vector<double>;
  CHECK(result(0.5f, 0.0f) == Values{-2.0, -1.0, 0.0, 0.0, 0.75, 3.0});
  CHECK(result(0.5f, 0.5f) == Values{-1.5, -0.5, 0.0, 0.0, 0.25, 2.5});
  CHECK(result(1.0f, -1.0f) == Values{-3.0, 0.0, 0.0, 0.0, 0.0, 4.0});
}

TEST_CASE("only dimensions of one element are added and removed") {
  const auto said = [](const char* operation, std::int64_t axis,
                       const std::vector<std::int64_t>& from = {0, 1, 2}) {
    OnnxSample sample;
    sample.input("x", from);
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.integers("axis", {axis});
    sample.node(operation, {"x", "axis"}, "s");
    sample.node("MatMul", {"s", "w"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK(said("Squeeze", 1).empty());
  CHECK(said("Squeeze", -2).empty());
  CHECK_THAT(said("Squeeze", 2),
             ContainsSubstring("removes axis 2, which may have more than 1 element"));
  CHECK_THAT(said("Squeeze", 0), ContainsSubstring("removes axis 0"));
  CHECK_THAT(said("Squeeze", 3), ContainsSubstring("has axis 3, but only 3 dimensions"));
  CHECK(said("Unsqueeze", 1).empty());
  CHECK_THAT(said("Unsqueeze", 0, {0}), ContainsSubstring("whose last dimension is the batch"));
}

TEST_CASE(
    "activations that several nodes compute are recognised by their values, in any order of the nodes") {
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
  const MlpModel model = gelu.read();
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[1] == MlpLayer(ActivationLayer{"last", MlpActivation::kGelu}));
  // A constant that is close to sqrt(2), but not close enough.
  OnnxSample near = gelu;
  near.graph().initializer[6].raw_data = kept(float_bytes({1.42f}));
  CHECK(near.read().layers.size() == 6);
  const OnnxSample swish = read([](OnnxSample& s) {
    s.node("Sigmoid", {"g"}, "s");
    s.node("Mul", {"g", "s"}, "y");
  });
  CHECK(swish.read().layers[2] ==
        MlpLayer(OperationLayer{"", MlpOperation::kMultiply, {{1, {}}, {}}, {}}));
}

}  // namespace
}  // namespace tilewright

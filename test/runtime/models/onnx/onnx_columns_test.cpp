// Nodes that scale and shift columns become part of an affine layer, and nodes that together
// compute an activation become that activation. (Files of PyTorch's exporters:
// pytorch_networks_test.cpp.)
#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "onnx/sample_net.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

using Layers = std::vector<NetworkLayer>;

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
  const NetworkModel model = sample.read();
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
  const NetworkModel before = net([](OnnxSample& s) {
                                s.node("Sub", {"x", "u"}, "d");
                                s.raw("std", {2}, {2, 4});
                                s.node("Div", {"d", "std"}, "n");
                                s.node("Gemm", {"n", "w", "b"}, "y");
                              }).read();
  CHECK(before.layers == Layers{AffineLayer{"", 2, 2, {0.5f, 1, 0.75f, 1}, {5.25f, 6}}});
  const NetworkModel between = net([](OnnxSample& s) {
                                 s.node("MatMul", {"x", "w"}, "m");
                                 s.node("Relu", {"m"}, "r");
                                 s.node("Mul", {"r", "two"}, "t");
                                 s.node("Add", {"t", "u"}, "a");
                                 s.node("MatMul", {"a", "w"}, "y");
                               }).read();
  CHECK(between.layers == Layers{AffineLayer{"", 2, 2, {1, 2, 3, 4}, {}},
                                 activation_layer(Activation::kRelu),
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
  const auto operation = [](NetworkOperation op, const std::vector<double>& constant) {
    return NetworkLayer(OperationLayer{"", op, {{}, {kPreviousValue, constant}}, {}});
  };
  CHECK(model("Add", "u").layers[2] == operation(NetworkOperation::kMultiply, {10, 100}));
  CHECK(model("Add", "u").layers[3] == operation(NetworkOperation::kAdd, {1, -1}));
  // Two operations that cancel leave no layer.
  CHECK(model("Div", "v").layers.size() == 2);
  const OnnxSample nowhere = net([](OnnxSample& s) {
    s.node("Mul", {"x", "v"}, "m");
    s.node("Relu", {"m"}, "y");
  });
  CHECK(nowhere.read().layers == Layers{operation(NetworkOperation::kMultiply, {10, 100}),
                                        activation_layer(Activation::kRelu)});
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
  CHECK(apart[2] == NetworkLayer(AffineLayer{"", 2, 2, {1, 2, 3, 4}, {5, 6}}));
}

// The operations of a network that reads `nodes` from h, the result of a MatMul, and gives y.
template <class Nodes>
std::size_t operations_after_product(const Nodes& nodes) {
  const NetworkModel model = net([&](OnnxSample& s) {
                               s.node("MatMul", {"x", "w"}, "h");
                               nodes(s);
                             }).read();
  return static_cast<std::size_t>(std::count_if(
      model.layers.begin(), model.layers.end(),
      [](const NetworkLayer& layer) { return std::holds_alternative<OperationLayer>(layer); }));
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
  CHECK_THAT(
      said({3}, {1, 2, 3}),
      ContainsSubstring("node 2 of 2 (Mul, output 'y'): combines initialiser 'c', which is 3, "
                        "with a value of batch x 2"));
  CHECK_THAT(said({2, 1}, {1, 2}), ContainsSubstring("which is 2 x 1, with a value"));
  CHECK(said({1, 1, 2}, {1, 2}).empty());
  CHECK_THAT(said({0}, {}), ContainsSubstring("a constant without elements"));
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
  CHECK_THAT(wide.said(), ContainsSubstring("batch x 2 x 1099511627776, which has too many"));
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
             ContainsSubstring("(BatchNormalization, output 'y'): is in training"));
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

}  // namespace
}  // namespace tilewright

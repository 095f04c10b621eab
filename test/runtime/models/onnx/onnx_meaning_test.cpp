// Nodes whose meaning is easily missed: what they compute, or that they are refused.
#include <cmath>

#include "catch.hpp"
#include "onnx/sample_net.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("errors name what cannot be run, not a first attempt") {
  // W x, which only a sample that is a column allows, and then an unsupported node.
  OnnxSample column;
  column.input("x", {2, 1});
  column.raw("w", {2, 2}, {1, 2, 3, 4});
  column.node("MatMul", {"w", "x"}, "h");
  column.node("LSTM", {"h"}, "y");
  column.output("y", {2, 1});
  CHECK_THAT(column.said(), ContainsSubstring("operation 'LSTM' is not supported"));
  // A product of computed values after a layer of a vector.
  OnnxSample vector;
  vector.input("x", {2});
  vector.input("h", {1, 2});
  vector.raw("w", {2, 2}, {1, 2, 3, 4});
  vector.node("MatMul", {"x", "w"}, "f", "layer");
  vector.node("MatMul", {"h", "f"}, "y", "product");
  vector.output("y", {1});
  CHECK_THAT(vector.said(), ContainsSubstring("(MatMul 'product'): multiplies two computed"));
}

TEST_CASE("messages about extents do not contradict themselves") {
  OnnxSample grid;
  grid.input("x", {0, 8, 8});
  grid.raw("c", {64}, std::vector<float>(64, 1.0f));
  grid.node("Add", {"x", "c"}, "y");
  grid.output("y", {0, 8, 8});
  CHECK_THAT(grid.said(), ContainsSubstring("which is 64, with a value of batch x 8 x 8"));
  const OnnxSample stack = net(2, [](OnnxSample& s) {
    s.raw("e", {3, 1, 2, 2}, std::vector<float>(12, 1.0f));
    s.node("MatMul", {"x", "e"}, "y");
  });
  CHECK_THAT(stack.said(),
             ContainsSubstring("3 x 1 x 2 x 2") && ContainsSubstring("a MatMul for each"));
  const OnnxSample column = net(2, [](OnnxSample& s) {
    s.raw("b", {2, 1}, {1, 2});
    s.node("Gemm", {"x", "w", "b"}, "y");
  });
  CHECK_THAT(column.said(), ContainsSubstring("which is 2 x 1") && ContainsSubstring("2 or 1 x 2"));
}

TEST_CASE("a reduction without axes may apply only its function") {
  const auto layers = [](const char* operation) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.node("MatMul", {"x", "w"}, "h");
      OnnxSample::set(s.node(operation, {"h"}, "y"), "noop_with_empty_axes", std::int64_t{1});
    });
    return sample.read().layers.size();
  };
  CHECK(layers("ReduceSum") == 1);
  CHECK(layers("ReduceMax") == 1);
  CHECK(layers("ReduceSumSquare") == 3);  // the square, and sums of one element each
  CHECK(layers("ReduceL1") == 3);
}

TEST_CASE("missing values are replaced by constants") {
  const auto result = [](const OnnxSample& sample, const std::vector<double>& x) {
    return host_forward_all(sample.read(), {x}, 2).front();
  };
  const auto imputer = [](float replaced, const std::vector<float>& values) {
    return net(2, [&](OnnxSample& s) {
      onnx::Node& node = s.node("Imputer", {"x"}, "y");
      node.domain = "ai.onnx.ml";
      OnnxSample::set(node, "replaced_value_float", replaced);
      auto& attribute = node.attribute.emplace_back();
      attribute.name = "imputed_value_floats";
      attribute.floats = values;
    });
  };
  const std::vector<double> x = {NAN, 2, -1, NAN};
  CHECK(result(imputer(NAN, {5, 6}), x) == std::vector<double>{5, 2, -1, 6});
  CHECK(result(imputer(NAN, {7}), x) == std::vector<double>{7, 2, -1, 7});
  CHECK(result(imputer(-1, {5, 6}), {-1, 2, 0, -1}) == std::vector<double>{5, 2, 0, 6});
  const OnnxSample by_hand = net(2, [](OnnxSample& s) {
    s.raw("v", {2}, {5, 6});
    s.node("IsNaN", {"x"}, "is missing");
    s.node("Where", {"is missing", "v", "x"}, "y");
  });
  CHECK(result(by_hand, x) == std::vector<double>{5, 2, -1, 6});
  CHECK_THAT(imputer(NAN, {1, 2, 3}).said(), ContainsSubstring("(Imputer"));
  CHECK_THAT(imputer(NAN, {}).said(), ContainsSubstring("imputed_value_floats"));
}

TEST_CASE("the norm MAX is the largest element") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.node("Normalizer", {"x"}, "y").domain = "ai.onnx.ml";
  sample.output("y", {0, 2});
  const NetworkModel model = sample.read();
  REQUIRE(model.layers.size() == 3);
  CHECK(model.layers[0] == NetworkLayer(OperationLayer{"", NetworkOperation::kLargest, {{}}, {1}}));
}

TEST_CASE("weights may have leading dimensions of one element") {
  for (const bool is_folded : {false, true}) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("w3", {1, 2, 2}, {1, 2, 3, 4});
      s.raw("one", {1}, {1});
      s.integers("axis", {0});
      s.node("Mul", {"w3", "one"}, "folded");
      s.node("MatMul", {"x", is_folded ? "folded" : "w3"}, "h");  // 1 x batch x 2
      s.node("Squeeze", {"h", "axis"}, "y");
    });
    CHECK(only_affine(sample.read()).weights == std::vector<float>{1, 2, 3, 4});
  }
}

TEST_CASE("many nodes may use the same constant row") {
  const std::int64_t columns = 64;
  OnnxSample sample;
  sample.input("x", {0, columns});
  sample.raw("c", {columns}, std::vector<float>(64, 0.5f));
  sample.node("Tanh", {"x"}, "h0");
  for (int i = 0; i < 100; ++i) {
    sample.node("Mul", {"h" + std::to_string(i), "c"}, "m" + std::to_string(i));
    sample.node("Tanh", {"m" + std::to_string(i)}, "h" + std::to_string(i + 1));
  }
  sample.output("h100", {0, columns});
  CHECK(sample.read().layers.size() == 201);
}

TEST_CASE("a part without elements may be unused") {
  const auto part = [](const char* used) {
    return net(2, [&](OnnxSample& s) {
      s.integers("sizes", {0, 2});
      onnx::Node& split = s.node("Split", {"x", "sizes"}, "none");
      split.output.push_back("all");
      OnnxSample::set(split, "axis", std::int64_t{1});
      s.node("MatMul", {used, "w"}, "y");
    });
  };
  CHECK(part("all").said().empty());
  CHECK_FALSE(part("none").said().empty());
}

TEST_CASE("a perm that is no permutation is refused") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    onnx::Attribute& perm = s.node("Transpose", {"w"}, "t").attribute.emplace_back();
    perm.name = "perm";
    perm.ints = {1, 7};
    s.node("MatMul", {"x", "t"}, "y");
  });
  CHECK_THAT(sample.said(), ContainsSubstring("its perm is 1, 7, which is not a permutation"));
}

TEST_CASE("a perm of two dimensions is refused for constants that have others") {
  for (const auto& extents : std::vector<std::vector<std::int64_t>>{{}, {2}, {1, 2, 2}}) {
    CAPTURE(extents.size());
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("c", extents, std::vector<float>(extents.empty() ? 1 : extents.size() == 1 ? 2 : 4));
      onnx::Attribute& perm = s.node("Transpose", {"c"}, "t").attribute.emplace_back();
      perm.name = "perm";
      perm.ints = {1, 0};
      s.node("Add", {"x", "t"}, "y");
    });
    CHECK_THAT(sample.said(), ContainsSubstring("(Transpose, output 't'): its perm is 1, 0"));
  }
}

TEST_CASE("weights in another file justify constants, as those in the file do") {
  const TemporaryFolder folder;
  OnnxSample sample;
  sample.input("x", {0, 256});
  onnx::Tensor& weights = sample.tensor("w", {256, 256}, onnx::kFloat);
  weights.data_location = onnx::Tensor::kExternal;
  auto& location = weights.external_data.emplace_back();
  location.key = "location";
  location.value = "net.data";
  written(folder, "net.data", std::string(256 * 256 * 4, '\0'));
  sample.raw("half", {}, {0.5f});
  sample.node("Mul", {"w", "half"}, "m");
  sample.node("MatMul", {"x", "m"}, "y");
  sample.output("y", {0, 256});
  const NetworkModel model = read_network_model(written(folder, "net.onnx", sample.bytes()));
  CHECK(model.layers.size() == 1);
}

TEST_CASE("a batch size of 1 counts only if all inputs have it") {
  const auto sample = [](std::int64_t batch, bool other_first) {
    OnnxSample s;
    s.input("x", {batch, 4});
    s.input("s", {1, 4});
    s.integers("zero", {0});
    if (other_first) s.node("Neg", {"s"}, "n");
    OnnxSample::set(s.node("Gather", {"x", "zero"}, "g"), "axis", std::int64_t{0});
    if (!other_first) s.node("Neg", {"s"}, "n");
    s.node("Add", {"g", "n"}, "y");
    s.output("y", {1, 4});
    return s;
  };
  for (const bool other_first : {false, true}) {
    INFO(other_first);
    CHECK(sample(1, other_first).said().empty());
    CHECK_FALSE(sample(0, other_first).said().empty());
  }
}

TEST_CASE("an operator computes the same of a constant and of a computed value") {
  const std::vector<double> v = {-1.75, 0.5, 2.25};
  for (const char* op : {"Abs",
                         "Celu",
                         "Elu",
                         "Erf",
                         "Exp",
                         "Gelu",
                         "HardSwish",
                         "HardSigmoid",
                         "LeakyRelu",
                         "LogSoftmax",
                         "Mish",
                         "Neg",
                         "Relu",
                         "Selu",
                         "Sigmoid",
                         "Softmax",
                         "Softplus",
                         "Softsign",
                         "Swish",
                         "Tanh",
                         "ReduceL1",
                         "ReduceL2",
                         "ReduceLogSumExp",
                         "ReduceMax",
                         "ReduceMean",
                         "ReduceProd",
                         "ReduceSum",
                         "ArgMax",
                         "Round",
                         "Sign",
                         "ReduceMin",
                         "ThresholdedRelu"}) {
    INFO(op);
    const auto result = [&](bool is_constant) {
      OnnxSample s;
      s.model.opset_import[0].version = 20;
      s.input("x", {0, 3});
      s.raw("v", {1, 3}, {v.begin(), v.end()});
      s.raw("zero", {}, {0});
      s.node("Mul", {"x", "zero"}, "zeros");
      onnx::Node& node = s.node(op, {is_constant ? "v" : "x"}, "r");
      const std::string name = op;
      if (name.starts_with("Reduce")) {
        s.integers("axis", {1});
        node.input.emplace_back("axis");
      } else if (name == "ArgMax") {
        OnnxSample::set(node, "axis", std::int64_t{1});
      }
      OnnxSample::set(s.node("Cast", {"r"}, "f"), "to", std::int64_t{1});
      s.node("Add", {"zeros", "f"}, "y");
      s.output("y", {0, 3});
      return host_forward_all(s.read(), {v}, 1).front();
    };
    const std::vector<double> folded = result(true);
    const std::vector<double> computed = result(false);
    REQUIRE(folded.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(folded[i] == Approx(computed[i]).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace tilewright

// Products of constant weights with matrices of fixed extents, and with vectors.
#include <cmath>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Values = std::vector<double>;

Values result(const OnnxSample& sample, const Values& x) {
  return host_forward_all(sample.read(), {x}, 1).front();
}

TEST_CASE("FusedMatMul with transA multiplies the transpose of a matrix of fixed extents") {
  const auto product = [](const std::vector<std::int64_t>& extents, std::int64_t rows) {
    OnnxSample sample;
    sample.input("x", extents);
    sample.raw("w", {3, 2}, {1, 2, 3, 4, 5, 6});
    auto& node = sample.node("FusedMatMul", {"x", "w"}, "y");
    node.domain = "com.microsoft";
    OnnxSample::set(node, "transA", std::int64_t{1});
    sample.output("y", {rows, 2});
    return sample;
  };
  CHECK(result(product({3, 2}, 2), {1, 2, 3, 4, 5, 6}) == Values{35, 44, 44, 56});
  CHECK(result(product({3, 1}, 1), {1, 3, 5}) == Values{35, 44});
}

TEST_CASE("a product of two vectors has no dimensions, and that of a vector and columns has one") {
  OnnxSample scalar;
  scalar.input("x", {2});
  scalar.raw("w", {2}, {3, 5});
  scalar.integers("zero", {0});
  scalar.node("MatMul", {"w", "x"}, "s");
  scalar.node("Unsqueeze", {"s", "zero"}, "v");
  OnnxSample::set(scalar.node("Concat", {"v", "x"}, "y"), "axis", std::int64_t{0});
  scalar.output("y", {3});
  CHECK(result(scalar, {10, 100}) == Values{530, 10, 100});
  OnnxSample columns;
  columns.input("x", {2, 1});
  columns.raw("w", {2}, {3, 5});
  columns.raw("v", {1}, {7});
  columns.node("MatMul", {"w", "x"}, "s");
  OnnxSample::set(columns.node("Concat", {"s", "v"}, "y"), "axis", std::int64_t{0});
  columns.output("y", {2});
  CHECK(result(columns, {10, 100}) == Values{530, 7});
}

TEST_CASE("a product of a vector and a matrix is a vector") {
  // The operators use its only dimension: one too many would make them do nothing.
  for (const std::int64_t stacked : {0, 1}) {
    OnnxSample sample;
    sample.input("x", {2});
    const std::vector<float> weights = {1, 2, 3, 4, 5, 6};
    if (stacked == 0) {
      sample.raw("w", {2, 3}, weights);
    } else {
      sample.raw("w", {1, 2, 3}, weights);
    }
    sample.integers("start", {1});
    sample.integers("end", {3});
    sample.integers("axis", {stacked});
    sample.node("MatMul", {"x", "w"}, "h");
    sample.node("Slice", {"h", "start", "end", "axis"}, "y");
    sample.output("y", {2});
    CAPTURE(stacked);
    CHECK(result(sample, {1, 10}) == Values{52, 63});
  }
}

TEST_CASE("a Gemm of two constants is computed, and a computed value is added to it") {
  const auto sample = [](bool is_fused, float alpha, float beta) {
    OnnxSample s;
    s.input("x", {0, 2});
    s.raw("a", {3, 1}, {1, 2, 3});
    s.raw("b", {2, 3}, {1, 2, 3, 4, 5, 6});
    onnx::Node& node = s.node(is_fused ? "FusedGemm" : "Gemm", {"a", "b", "x"}, "y");
    if (is_fused) node.domain = "com.microsoft";
    for (const char* side : {"transA", "transB"}) OnnxSample::set(node, side, std::int64_t{1});
    OnnxSample::set(node, "alpha", alpha);
    OnnxSample::set(node, "beta", beta);
    s.output("y", {0, 2});
    return s;
  };
  // a^T b^T = (14, 32)
  CHECK(result(sample(false, 1, 1), {10, 100}) == Values{24, 132});
  CHECK(result(sample(false, 0.5f, -2), {10, 100}) == Values{-13, -184});
  OnnxSample fused = sample(true, 1, -1);
  auto& activation = fused.graph().node[0].attribute.emplace_back();
  activation.name = "activation";
  activation.s = "Relu";
  CHECK(result(fused, {10, 100}) == Values{4, 0});
  // Rows for which the samples cannot be the addend.
  OnnxSample rows = sample(false, 1, 1);
  rows.graph().initializer[0].dims = {1, 3};
  rows.graph().initializer[1].dims = {2, 3};
  CHECK_THAT(rows.said(), Catch::Matchers::ContainsSubstring("node 1 of 1 (Gemm"));
}

TEST_CASE("an Einsum of a batch and weights is a product") {
  const auto sample = [](const std::string& equation) {
    OnnxSample s;
    s.input("x", {0, 2});
    s.raw("w", {2, 2}, {1, 2, 3, 4});
    auto& attribute = s.node("Einsum", {"x", "w"}, "y").attribute.emplace_back();
    attribute.name = "equation";
    attribute.s = equation;
    s.output("y", {0, 2});
    return s;
  };
  CHECK(result(sample("bi,oi->bo"), {10, 100}) == Values{210, 430});
  CHECK(result(sample("n k, k m -> n m"), {10, 100}) == Values{310, 420});
  // Without an arrow, the letters that occur once, in alphabetical order.
  CHECK(result(sample("ij,jk"), {10, 100}) == Values{310, 420});
  CHECK(result(sample("b i, o i"), {10, 100}) == Values{210, 430});
  CHECK(result(sample("BI,IO"), {10, 100}) == Values{310, 420});
  CHECK_THAT(sample("ni,bi").said(), Catch::Matchers::ContainsSubstring("'ni,bi->bn'"));
  // numpy and onnxruntime sort "bO" differently.
  for (const char* const other :
       {"bi,oi->ob", "bi,bo->bo", "ii,oi->io", "bi,ib->bb", "bi->b", "bi,oi->", "bi,bi", "ii,oi",
        "bi,oo", "bi,Oi", "bi,oi,", "bi", "...i,oi->...o", "", "bi,oo->bo"}) {
    CHECK_THAT(sample(other).said(), Catch::Matchers::ContainsSubstring("(Einsum") &&
                                         Catch::Matchers::ContainsSubstring("equation"));
  }
}

// Two convolutions, as MATLAB writes two fully connected layers.
OnnxSample convolutions() {
  OnnxSample sample;
  sample.input("x", {0, 2, 1, 2});
  sample.raw("k1", {2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  sample.raw("b1", {2}, {10, 20});
  sample.raw("k2", {3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  sample.node("Conv", {"x", "k1", "b1"}, "h", "full");
  sample.node("Conv", {"h", "k2"}, "c", "point");
  OnnxSample::set(sample.node("Flatten", {"c"}, "y"), "axis", std::int64_t{1});
  sample.output("y", {0, 3});
  return sample;
}

TEST_CASE("a convolution whose kernel covers its whole input is an affine layer") {
  OnnxSample sample = convolutions();
  const auto set = [&](const char* name, const std::vector<std::int64_t>& values) {
    auto& attribute = sample.graph().node[0].attribute.emplace_back();
    attribute.name = name;
    attribute.ints = values;
  };
  set("pads", {0, 0, 0, 0});
  set("dilations", {1, 1});
  set("strides", {4, 4});
  // h = (1 + 20 + 300 + 4000 + 10, 5 + 60 + 700 + 8000 + 20)
  CHECK(result(sample, {1, 10, 100, 1000}) ==
        Values{4331.0 + 2 * 8785, 3 * 4331.0 + 4 * 8785, 5 * 4331.0 + 6 * 8785});
  CHECK(sample.read().layers.size() == 2);
  // Other widths, and a value of one position with more channels.
  OnnxSample channels;
  channels.input("x", {0, 3, 1});
  channels.raw("k", {1, 3, 1}, {1, 2, 3});
  channels.node("Conv", {"x", "k"}, "y");
  channels.output("y", {0, 1, 1});
  CHECK(result(channels, {1, 10, 100}) == Values{321});
}

TEST_CASE("a convolution that moves its kernel is refused") {
  const auto said = [](const auto& change) {
    OnnxSample sample = convolutions();
    change(sample);
    return sample.said();
  };
  const auto with = [&](const char* name, const std::vector<std::int64_t>& values) {
    return said([&](OnnxSample& s) {
      auto& attribute = s.graph().node[0].attribute.emplace_back();
      attribute.name = name;
      attribute.ints = values;
    });
  };
  const auto is_refused = Catch::Matchers::ContainsSubstring("(Conv 'full'): is a convolution");
  CHECK_THAT(with("pads", {0, 1, 0, 1}), is_refused);
  CHECK_THAT(with("dilations", {1, 2}), is_refused);
  CHECK_THAT(said([](auto& s) { OnnxSample::set(s.graph().node[0], "group", std::int64_t{2}); }),
             is_refused);
  CHECK_THAT(said([](auto& s) { s.graph().initializer[0].dims = {4, 2, 1, 1}; }), is_refused);
  CHECK_THAT(said([](auto& s) { s.graph().initializer[0].dims = {2, 4}; }), is_refused);
  CHECK_THAT(said([](auto& s) {
               s.graph().input[0].type.tensor_type->shape->dim[3] = {0, "width"};
             }),
             is_refused);
  CHECK_THAT(said([](auto& s) {
               auto& attribute = s.graph().node[0].attribute.emplace_back();
               attribute.name = "auto_pad";
               attribute.s = "SAME_UPPER";
             }),
             is_refused);
}

TEST_CASE("a vector of weights is not transposed") {
  for (const char* const op : {"Gemm", "FusedMatMul"}) {
    OnnxSample sample;
    sample.input("x", {0, 1});
    sample.raw("w", {2}, {3, 5});
    onnx::Node& node = sample.node(op, {"x", "w"}, "y");
    if (node.op_type != "Gemm") node.domain = "com.microsoft";
    OnnxSample::set(node, "transB", std::int64_t{1});
    sample.output("y", {0, 2});
    CHECK_THAT(sample.said(), Catch::Matchers::ContainsSubstring("'w', are 2, which is not"));
  }
}

TEST_CASE("a Gemm of constants only is a constant") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.raw("a", {2, 2}, {1, 2, 3, 4});
  sample.raw("c", {2}, {10, 20});
  onnx::Node& node = sample.node("Gemm", {"a", "a", "c"}, "w");
  OnnxSample::set(node, "alpha", 2.0f);
  OnnxSample::set(node, "beta", 0.5f);
  OnnxSample::set(node, "transB", std::int64_t{1});
  sample.node("MatMul", {"x", "w"}, "y");
  sample.output("y", {0, 2});
  // 2 a a^T + (5, 10) = {15, 32}, {27, 60}
  CHECK(result(sample, {1, 100}) == Values{2715, 6032});
}

TEST_CASE("weights that are also inputs of the graph do not hide that an input is a column") {
  for (const bool is_listed : {false, true}) {
    INFO(is_listed);
    OnnxSample sample;
    sample.input("x", {2, 1});
    if (is_listed) sample.input("w", {2, 2});
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.node("MatMul", {"w", "x"}, "y");
    sample.node("Relu", {"x"}, "r");
    sample.output("y", {2, 1});
    sample.output("r", {2, 1});
    const NetworkModel model = sample.read();
    REQUIRE(model.outputs.size() == 2);
    CHECK(model.outputs[0].name == "y");
    CHECK(host_forward_all(model, {{10, -1}}, 1) == std::vector<Values>{{8, 26}, {10, 0}});
  }
}

TEST_CASE("a stack of matrices is multiplied by all samples, member by member") {
  // Two members, first with the same input; their mean.
  const auto sample = [](const std::vector<std::int64_t>& input) {
    OnnxSample s;
    s.input("x", input);
    s.raw("w", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    s.raw("b", {2, 1, 2}, {0, 10, 0, -10});
    s.raw("v", {2, 2, 1}, {1, 2, 3, 4});
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Add", {"h", "b"}, "a");
    s.node("Relu", {"a"}, "r");
    s.node("MatMul", {"r", "v"}, "m");
    onnx::Node& mean = s.node("ReduceMean", {"m"}, "y");
    auto& axes = mean.attribute.emplace_back();
    axes.name = "axes";
    axes.ints = {0};
    OnnxSample::set(mean, "keepdims", std::int64_t{0});
    s.output("y", {0, 1});
    return s;
  };
  // Members: (1, 10) W0 = (31, 42) + (0, 10), times (1, 2): 135; (75, 86) - (0, 10): 529.
  CHECK(result(sample({0, 2}), {1, 10}) == Values{(135.0 + 529.0) / 2});
  CHECK(result(sample({0, 2}), {-1, 0}) == Values{(0.0 + 16.0 + 0.0) / 2});
  CHECK_THAT(sample({0, 3}).said(), Catch::Matchers::ContainsSubstring("node 1 of 5 (MatMul") &&
                                        Catch::Matchers::ContainsSubstring("2 x 2 x 2"));
}

// Rows of a table of 3 x 2, by the indices `x`.
OnnxSample table_sample(onnx::DataType type, const std::vector<std::int64_t>& extents, bool clips) {
  OnnxSample s;
  OnnxSample::describe(s.graph().input.emplace_back(), "x", extents, type);
  s.raw("table", {3, 2}, {1, 2, 3, 4, 5, 6});
  s.integers("low", {0});
  s.integers("high", {2});
  std::string index = "x";
  if (type == onnx::kFloat) OnnxSample::set(s.node("Cast", {"x"}, "i"), "to", std::int64_t{7});
  if (type == onnx::kFloat) index = "i";
  if (clips) s.node("Clip", {index, "low", "high"}, "c");
  s.node("Gather", {"table", clips ? "c" : index}, "rows");
  OnnxSample::set(s.node("Flatten", {"rows"}, "y"), "axis", std::int64_t{1});
  s.output("y", {0, 2});
  return s;
}

TEST_CASE("a stack of more matrices than there can be is refused") {
  OnnxSample s;
  s.input("x", {0, 4});
  s.raw("e", {std::int64_t{1} << 62, 4, 1}, {1});
  s.node("MatMul", {"x", "e"}, "y");
  s.output("y", {0, 1});
  CHECK_THAT(s.said(), Catch::Matchers::ContainsSubstring("(MatMul") &&
                           Catch::Matchers::ContainsSubstring("4611686018427387904 x 4 x 1"));
}

TEST_CASE("rows of a table are looked up by computed indices") {
  for (const onnx::DataType type : {onnx::kInt64, onnx::kInt32, onnx::kFloat}) {
    CAPTURE(type);
    CHECK(result(table_sample(type, {0}, false), {1}) == Values{3, 4});
    CHECK(result(table_sample(type, {0, 1}, false), {0}) == Values{1, 2});
    CHECK(result(table_sample(type, {0, 2}, false), {2, -1}) == Values{5, 6, 5, 6});
    CHECK(result(table_sample(type, {0, 2}, true), {7, -4}) == Values{5, 6, 1, 2});
  }
  // Casts to integers cut the fraction.
  CHECK(result(table_sample(onnx::kFloat, {0, 2}, false), {1.9, -0.9}) == Values{3, 4, 1, 2});
  OnnxSample columns = table_sample(onnx::kInt64, {0}, false);
  OnnxSample::set(columns.graph().node[0], "axis", std::int64_t{1});
  CHECK_THAT(columns.said(), Catch::Matchers::ContainsSubstring("(Gather") &&
                                 Catch::Matchers::ContainsSubstring("another axis"));
}

TEST_CASE("a table with elements that are not finite is refused") {
  for (const float wrong : {INFINITY, NAN}) {
    OnnxSample sample = table_sample(onnx::kInt64, {0}, false);
    onnx::Tensor& table = sample.graph().initializer[0];
    table.raw_data = kept(float_bytes({1, 2, 3, 4, wrong, 6}));
    CHECK_THAT(sample.said(), Catch::Matchers::ContainsSubstring("(Gather") &&
                                  Catch::Matchers::ContainsSubstring("'" + table.name + "'") &&
                                  Catch::Matchers::ContainsSubstring("not finite"));
  }
}

TEST_CASE("ArgMax and ArgMin give the index of the first or last largest element") {
  const auto index = [](const char* op, const Values& x, bool is_last, bool keeps) {
    OnnxSample s;
    s.input("x", {0, 4});
    onnx::Node& node = s.node(op, {"x"}, "y");
    OnnxSample::set(node, "axis", std::int64_t{-1});
    OnnxSample::set(node, "select_last_index", std::int64_t{is_last});
    OnnxSample::set(node, "keepdims", std::int64_t{keeps});
    s.output("y", {0}, onnx::kInt64);
    return result(s, x);
  };
  for (const bool keeps : {false, true}) {
    CHECK(index("ArgMax", {1, 3, 3, -2}, false, keeps) == Values{1});
    CHECK(index("ArgMax", {1, 3, 3, -2}, true, keeps) == Values{2});
    CHECK(index("ArgMin", {1, 0, 3, 0}, false, keeps) == Values{1});
    CHECK(index("ArgMin", {1, 0, 3, 0}, true, keeps) == Values{3});
    CHECK(index("ArgMax", {5, 3, 3, -2}, false, keeps) == Values{0});
  }
}

// A linear model of scikit-learn.
OnnxSample linear_sample(const std::string& op, const std::vector<float>& weights,
                         const std::vector<float>& intercepts, const std::string& function) {
  OnnxSample s;
  s.input("x", {0, 2});
  onnx::Node& node = s.node(op, {"x"}, op == "LinearRegressor" ? "y" : "label", "linear");
  node.domain = "ai.onnx.ml";
  if (op == "LinearClassifier") node.output.emplace_back("y");
  node.attribute.resize(3);
  node.attribute[0].name = "coefficients";
  node.attribute[0].floats = weights;
  node.attribute[1].name = "intercepts";
  node.attribute[1].floats = intercepts;
  node.attribute[2].name = "post_transform";
  node.attribute[2].s = function;
  s.output("y", {0, 2});
  return s;
}

TEST_CASE("linear models of scikit-learn are affine layers") {
  OnnxSample regressor = linear_sample("LinearRegressor", {1, 2, 3, 4}, {10, 20}, "NONE");
  OnnxSample::set(regressor.graph().node[0], "targets", std::int64_t{2});
  CHECK(regressor.read().layers.size() == 1);
  CHECK(result(regressor, {1, 100}) == Values{211, 423});
  CHECK(result(linear_sample("LinearRegressor", {1, 2}, {10}, "NONE"), {1, 100}) == Values{211});
  CHECK_THAT(linear_sample("LinearRegressor", {1, 2}, {10}, "PROBIT").said(),
             Catch::Matchers::ContainsSubstring("'linear'") &&
                 Catch::Matchers::ContainsSubstring("'PROBIT'"));
  CHECK_FALSE(linear_sample("LinearRegressor", {}, {10}, "NONE").said().empty());
  for (const std::vector<float>& intercepts : {std::vector<float>{0, 1, 2}, {0, 1}}) {
    CHECK_THAT(linear_sample("LinearRegressor", {1, 2}, intercepts, "NONE").said(),
               Catch::Matchers::ContainsSubstring("'linear'") &&
                   Catch::Matchers::ContainsSubstring("intercepts"));
  }
  CHECK(result(linear_sample("LinearRegressor", {1, 2}, {}, "NONE"), {1, 100}) == Values{201});
  OnnxSample constant = linear_sample("LinearRegressor", {1, 2}, {10}, "SOFTMAX");
  constant.raw("c", {1, 2}, {1, 2});
  constant.graph().node[0].input[0] = "c";
  constant.graph().node[0].output[0] = "s";
  constant.node("Add", {"x", "s"}, "y");
  CHECK_THAT(constant.said(), Catch::Matchers::ContainsSubstring("'linear'") &&
                                  Catch::Matchers::ContainsSubstring("softmax"));
}

TEST_CASE("a linear classifier gives its scores, and labels if they are chosen") {
  OnnxSample classifier =
      linear_sample("LinearClassifier", {1, 0, 0, 1, -1, -1}, {0, 0, 5}, "LOGISTIC");
  const auto labels = [&](const Values& x) {
    OnnxSample only = classifier;
    only.graph().output.clear();
    only.output("label", {0}, onnx::kInt64);
    return result(only, x);
  };
  CHECK(classifier.read().layers.size() == 2);
  CHECK(result(classifier, {0, 0}) == Values{0.5, 0.5, 1 / (1 + std::exp(-5.0))});
  CHECK(labels({7, 1}) == Values{0});
  onnx::Attribute& names = classifier.graph().node[0].attribute.emplace_back();
  names.name = "classlabels_ints";
  names.ints = {4, -2, 9};
  CHECK(labels({7, 1}) == Values{4});
  CHECK(labels({1, 8}) == Values{-2});
  CHECK(labels({0, 0}) == Values{9});
  CHECK_FALSE(linear_sample("LinearClassifier", {1, 2}, {0}, "NONE").said().empty());
  // The probabilities of the first two classes are both rounded to 1.
  classifier = linear_sample("LinearClassifier", {40, 0, 50, 0, -1, 0}, {0, 0, 0}, "LOGISTIC");
  CHECK(labels({1, 0}) == Values{1});
  OnnxSample::describe(classifier.graph().input[0], "x", {0, 3, 2});
  CHECK_THAT(classifier.said(), Catch::Matchers::ContainsSubstring("'linear'") &&
                                    Catch::Matchers::ContainsSubstring("batch x 3 x 2"));
}

}  // namespace
}  // namespace tilewright

// Products of constant weights with matrices of fixed extents, and with vectors.
#include "catch.hpp"
#include "onnx/onnx_sample.hpp"
#include "runtime/network/model/host_mlp.hpp"

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
    const MlpModel model = sample.read();
    REQUIRE(model.outputs.size() == 2);
    CHECK(model.outputs[0].name == "y");
    CHECK(host_forward_all(model, {{10, -1}}, 1) == std::vector<Values>{{8, 26}, {10, 0}});
  }
}

}  // namespace
}  // namespace tilewright

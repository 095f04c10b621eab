// Types of elements: integers, casts, and quantised weights.
#include "catch.hpp"
#include "onnx/sample_net.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("integers that are cast to floats are divided as floats") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::kInt32);
    for (const int value : {100, 50, 25, 75}) whole.int32_data.push_back(value);
    s.raw("hundred", {}, {100});
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("Div", {"floats", "hundred"}, "scaled");
    s.node("MatMul", {"x", "scaled"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{1.0f, 0.5f, 0.25f, 0.75f});
  const OnnxSample cast = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::kInt32);
    for (const int value : {1, 2, 3, 4}) whole.int32_data.push_back(value);
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("MatMul", {"x", "floats"}, "y");
  });
  CHECK(only_affine(cast.read()).weights == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("weights that are quantised and back are computed when the file is read") {
  const auto weights = [](onnx::DataType type, const std::vector<std::int64_t>& extents,
                          const std::vector<float>& scales, const std::vector<int>& zeros) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("v", {2, 2}, {1.25f, -1.75f, 100, -100});
      s.raw("scale", extents, scales);
      s.tensor("zero", extents, type).int32_data.assign(zeros.begin(), zeros.end());
      s.node("QuantizeLinear", {"v", "scale", "zero"}, "q");
      s.node("DequantizeLinear", {"q", "scale", "zero"}, "d");
      s.node("MatMul", {"x", "d"}, "y");
    });
    return only_affine(sample.read()).weights;
  };
  // Halves are rounded to even numbers, and large numbers to the limits of the type.
  CHECK(weights(onnx::kInt8, {}, {0.5f}, {0}) == std::vector<float>{1, -2, 63.5f, -64});
  CHECK(weights(onnx::kUint8, {}, {0.5f}, {10}) == std::vector<float>{1, -2, 100, -5});
  CHECK(weights(onnx::kInt8, {2}, {0.5f, 1}, {0, 1}) == std::vector<float>{1, -2, 63.5f, -100});
  const OnnxSample computed = net(2, [](OnnxSample& s) {
    s.raw("scale", {}, {0.5f});
    s.node("QuantizeLinear", {"x", "scale"}, "q");
    s.node("DequantizeLinear", {"q", "scale"}, "y");
  });
  CHECK_THAT(computed.said(), ContainsSubstring("node 1 of 2 (QuantizeLinear") &&
                                  ContainsSubstring("of a computed value"));
}

TEST_CASE("scales of blocks are refused") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.raw("scale", {1, 2}, {1, 10});
    onnx::Node& node = s.node("DequantizeLinear", {"w", "scale"}, "d");
    OnnxSample::set(node, "axis", std::int64_t{0});
    OnnxSample::set(node, "block_size", std::int64_t{2});
    s.node("MatMul", {"x", "d"}, "y");
  });
  CHECK_THAT(sample.said(), ContainsSubstring("has scales of blocks (block_size)"));
}

TEST_CASE("inputs of integers are computed as floats only where that is the same") {
  const auto divided = [](bool casts_first) {
    OnnxSample sample;
    OnnxSample::describe(sample.graph().input.emplace_back(), "x", {0, 2}, onnx::kInt64);
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.raw("two", {}, {2});
    sample.integers("whole", {2});
    if (casts_first) {
      OnnxSample::set(sample.node("Cast", {"x"}, "f"), "to", std::int64_t{1});
      sample.node("Div", {"f", "two"}, "d");
    } else {
      sample.node("Add", {"x", "whole"}, "a");
      sample.node("Div", {"a", "whole"}, "q");
      OnnxSample::set(sample.node("Cast", {"q"}, "d"), "to", std::int64_t{1});
    }
    sample.node("MatMul", {"d", "w"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK(divided(true).empty());
  CHECK_THAT(divided(false), ContainsSubstring("(Div, output 'q'): reads integers"));
}

TEST_CASE("computed integers that may wrap around are refused") {
  const auto said = [](const char* operation, onnx::DataType type) {
    OnnxSample sample;
    OnnxSample::describe(sample.graph().input.emplace_back(), "x", {0, 2}, type);
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.node(operation, {"x", "x"}, "a");
    OnnxSample::set(sample.node("Cast", {"a"}, "d"), "to", std::int64_t{1});
    sample.node("MatMul", {"d", "w"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK_THAT(said("Sub", onnx::kUint8),
             ContainsSubstring("(Sub, output 'a'): computes with small"));
  CHECK_THAT(said("Mul", onnx::kInt8), ContainsSubstring("cast its inputs to FLOAT"));
  CHECK(said("Max", onnx::kUint8).empty());
  CHECK(said("Sub", onnx::kInt64).empty());
}

TEST_CASE("the mean of constant integers is an integer") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.integers("numbers", {1, 2});
    s.node("ReduceMean", {"numbers"}, "m");
    OnnxSample::set(s.node("Cast", {"m"}, "c"), "to", std::int64_t{1});
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Mul", {"h", "c"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("CastLike gives a constant the type of a computed value") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.integers("two", {2});
    s.node("CastLike", {"two", "x"}, "c");
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Mul", {"h", "c"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("CastLike casts as Cast does to the type of its second input") {
  const auto cast = [](onnx::DataType type) {
    return net(2, [&](OnnxSample& s) {
      auto& like = s.tensor("like", {1}, type);
      if (type == onnx::kFloat) {
        like.float_data = {1.0f};
      } else if (type == onnx::kInt64) {
        like.int64_data = {1};
      } else {
        like.int32_data = {1};
      }
      s.node("CastLike", {"x", "like"}, "c");
      s.node("MatMul", {"c", "w"}, "y");
    });
  };
  CHECK(only_affine(cast(onnx::kFloat).read()).weights == std::vector<float>{1, 2, 3, 4});
  CHECK_THAT(cast(onnx::kInt8).said(), ContainsSubstring("casts FLOAT to INT8"));
  const std::vector<std::vector<double>> x = {{-0.5, 0.0}};
  CHECK(host_forward_all(cast(onnx::kBool).read(), x, 1).front() == std::vector<double>{1, 2});
  OnnxSample integers = net(2, [](OnnxSample& s) {
    s.raw("like", {1}, {1.0f});
    s.node("CastLike", {"x", "like"}, "c");
    s.node("Sqrt", {"c"}, "y");
  });
  CHECK(integers.said().empty());
  OnnxSample::describe(integers.graph().input[0], "x", {0, 2}, onnx::kInt64);
  CHECK(integers.said().empty());
}

TEST_CASE("CastLike casts to the type of a computed value") {
  const auto cast = [](const std::string& like) {
    OnnxSample sample;
    sample.input("x", {0, 2});
    OnnxSample::describe(sample.graph().input.emplace_back(), "i", {0, 2}, onnx::kInt16);
    sample.raw("two", {}, {2.5f});
    sample.node("Greater", {"x", "two"}, "bool");
    sample.node("Not", {"bool"}, "not");
    sample.node("Where", {"bool", "i", "i"}, "where");
    OnnxSample::set(sample.node("Cast", {"i"}, "floats"), "to", std::int64_t{1});
    sample.node("CastLike", {"x", like}, "c");
    sample.node("CastLike", {"two", like}, "t");
    OnnxSample::set(sample.node("Cast", {"c"}, "f"), "to", std::int64_t{1});
    OnnxSample::set(sample.node("Cast", {"t"}, "g"), "to", std::int64_t{1});
    sample.node("Add", {"x", "g"}, "z");
    sample.node("Identity", {"f"}, "y");
    sample.output("y", {0, 2});
    sample.output("z", {0, 2});
    return sample;
  };
  const std::vector<std::vector<double>> x = {{-0.5, 3.0}, {1.0, 2.0}};
  for (const char* const like : {"bool", "not"}) {
    CAPTURE(like);
    const NetworkModel model = cast(like).read();
    const NetworkModel z = choose_network_outputs(model, {"z"});
    CHECK(host_forward_all(choose_network_outputs(model, {"y"}), {x[0]}, 1).front() ==
          std::vector<double>{1, 1});
    CHECK(host_forward_all(z, {x[0]}, 1).front() == std::vector<double>{0.5, 4.0});
  }
  for (const char* const like : {"i", "where"}) {
    CAPTURE(like);
    const NetworkModel model = cast(like).read();
    REQUIRE(model.skipped_outputs.size() == 1);
    CHECK_THAT(model.skipped_outputs[0].reason, ContainsSubstring("casts FLOAT to INT16"));
    CHECK(host_forward_all(choose_network_outputs(model, {"z"}), {x[0]}, 1).front() ==
          std::vector<double>{1.5, 5.0});
  }
  CHECK(host_forward_all(choose_network_outputs(cast("floats").read(), {"y"}), {x[0]}, 1).front() ==
        x[0]);
}

TEST_CASE("casts of integers and Booleans to larger integers change nothing") {
  const auto cast = [](onnx::DataType from, onnx::DataType to) {
    OnnxSample sample;
    OnnxSample::describe(sample.graph().input.emplace_back(), "x", {0, 2}, from);
    OnnxSample::set(sample.node("Cast", {"x"}, "c"), "to", static_cast<std::int64_t>(to));
    OnnxSample::set(sample.node("Cast", {"c"}, "y"), "to", std::int64_t{1});
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK(cast(onnx::kInt32, onnx::kInt64).empty());
  CHECK(cast(onnx::kBool, onnx::kInt64).empty());
  CHECK(cast(onnx::kUint8, onnx::kInt16).empty());
  CHECK_THAT(cast(onnx::kInt64, onnx::kInt32), ContainsSubstring("casts INT64 to INT32"));
  CHECK_THAT(cast(onnx::kInt32, onnx::kUint64), ContainsSubstring("casts INT32 to UINT64"));
  CHECK_THAT(cast(onnx::kUint8, onnx::kInt8), ContainsSubstring("casts UINT8 to INT8"));
}

}  // namespace
}  // namespace tilewright

// What nodes compute with extents: the number of samples, which a model does not know, extents that
// the file leaves open, and extents of 0 or beyond 64 bits.
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "catch.hpp"
#include "onnx/sample_net.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// x, reshaped to (`factor` times the batch size) x -1, and multiplied by w.
std::string said_of_reshape(const char* operation, std::int64_t operand, std::int64_t columns) {
  return net(columns,
             [&](OnnxSample& s) {
               s.integers("zero", {0});
               s.integers("operand", {operand});
               s.integers("rest", {-1});
               s.node("Shape", {"x"}, "shape");
               s.node("Gather", {"shape", "zero"}, "batch");
               s.node(operation, {"batch", "operand"}, "rows");
               OnnxSample::set(s.node("Concat", {"rows", "rest"}, "extents"), "axis",
                               std::int64_t{0});
               s.node("Reshape", {"x", "extents"}, "r");
               s.node("MatMul", {"r", "w"}, "y");
             })
      .said();
}

TEST_CASE("a multiple of the batch size is not the batch size") {
  CHECK(said_of_reshape("Mul", 1, 2).empty());
  CHECK(said_of_reshape("Div", 1, 2).empty());
  CHECK(said_of_reshape("Add", 0, 2).empty());
  CHECK(said_of_reshape("Max", 1, 2).empty());
  const char* const unknown = "computes with the number of samples";
  CHECK_THAT(said_of_reshape("Mul", 2, 4), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Div", 2, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Sub", 1, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Max", 2, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Min", 2, 2), ContainsSubstring(unknown));
}

TEST_CASE("a reduction of the batch size alone is the batch size") {
  const auto reduced = [](const char* reduction) {
    return net(2, [&](OnnxSample& s) {
      s.integers("zero", {0});
      s.integers("rest", {-1});
      s.node("Shape", {"x"}, "shape");
      s.node("Gather", {"shape", "zero"}, "batch");
      s.node(reduction, {"batch"}, "rows");
      OnnxSample::set(s.node("Concat", {"rows", "rest"}, "extents"), "axis", std::int64_t{0});
      s.node("Reshape", {"x", "extents"}, "r");
      s.node("MatMul", {"r", "w"}, "y");
    });
  };
  for (const char* const reduction :
       {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd"}) {
    CAPTURE(reduction);
    CHECK(reduced(reduction).said().empty());
    OnnxSample computed = reduced(reduction);
    computed.graph().node.pop_back();
    OnnxSample::set(computed.node("Cast", {"rows"}, "number"), "to", std::int64_t{1});
    computed.node("Min", {"r", "number"}, "y");
    CHECK_THAT(computed.said(), ContainsSubstring("computes with the number of samples"));
  }
}

TEST_CASE("values are not computed with the batch size") {
  for (const char* operation : {"Min", "Greater", "Pow", "Mul", "Concat"}) {
    INFO(operation);
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.integers("zero", {0});
      s.node("MatMul", {"x", "w"}, "h");
      s.node("Shape", {"x"}, "shape");
      s.node("Gather", {"shape", "zero"}, "batch");
      OnnxSample::set(s.node("Cast", {"batch"}, "rows"), "to", std::int64_t{1});
      auto& node = s.node(operation, {"h", "rows"}, "y");
      if (operation == std::string("Concat")) OnnxSample::set(node, "axis", std::int64_t{1});
    });
    CHECK_FALSE(sample.said().empty());
  }
}

TEST_CASE("samples are not repeated") {
  const auto expanded = [](std::int64_t rows) {
    return net(2,
               [&](OnnxSample& s) {
                 s.integers("to", {rows, 2});
                 s.node("MatMul", {"x", "w"}, "h");
                 s.node("Expand", {"h", "to"}, "y");
               })
        .said();
  };
  CHECK(expanded(1).empty());
  CHECK_THAT(expanded(4), ContainsSubstring("(Expand, output 'y'): moves or selects samples"));
}

TEST_CASE("extents of 0 and sizes beyond 64 bits are errors of the model") {
  constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.integers("starts", {0, 0});
                    s.integers("ends", {0, std::numeric_limits<std::int32_t>::max()});
                    s.integers("axes", {1, 0});
                    s.node("Slice", {"x", "starts", "ends", "axes"}, "y");
                  })
                  .said()
                  .empty());
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.raw("none", {2, 0}, {});
                    s.integers("first", {0});
                    s.node("Gather", {"none", "first"}, "g");
                    s.node("Concat", {"x", "g"}, "y");
                  })
                  .said()
                  .empty());
  CHECK_THAT(net(4,
                 [](OnnxSample& s) {
                   s.integers("sizes", {kMaxInt64 - 1, kMaxInt64 - 1, 4, 4});
                   OnnxSample::set(s.node("Split", {"x", "sizes"}, "y"), "axis", std::int64_t{1});
                 })
                 .said(),
             ContainsSubstring("splits 4 elements into"));
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.integers("starts", {0});
                    s.integers("ends", {4});
                    s.integers("axes", {1});
                    s.integers("steps", {kMaxInt64});
                    s.node("Slice", {"x", "starts", "ends", "axes", "steps"}, "s");
                    s.node("MatMul", {"s", "w"}, "y");
                  })
                  .said()
                  .empty());
}

TEST_CASE("arithmetic with an extent that the file leaves open is refused") {
  const auto said = [](const char* operation, std::int64_t operand) {
    OnnxSample sample;
    auto& x = sample.graph().input.emplace_back();
    OnnxSample::describe(x, "x", {0, 0});
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.integers("second", {1});
    sample.integers("operand", {operand});
    sample.integers("batch", {-1});
    sample.node("Shape", {"x"}, "shape");
    sample.node("Gather", {"shape", "second"}, "width");
    sample.node(operation, {"width", "operand"}, "half");
    OnnxSample::set(sample.node("Concat", {"batch", "half"}, "extents"), "axis", std::int64_t{0});
    sample.node("MatMul", {"x", "w"}, "h");
    sample.node("Reshape", {"h", "extents"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK_THAT(said("Div", 2), ContainsSubstring("an extent of an input that the file leaves open"));
  CHECK_THAT(said("Add", -1), ContainsSubstring("an extent of an input that the file leaves open"));
}

TEST_CASE("a sample without a batch is reduced to one number") {
  OnnxSample sample;
  sample.input("x", {2, 1});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.node("MatMul", {"w", "x"}, "h");
  OnnxSample::set(sample.node("ReduceSum", {"h"}, "y"), "keepdims", std::int64_t{0});
  sample.output("y", {});
  const MlpModel model = sample.read();
  REQUIRE(model.layers.size() == 2);
  CHECK(std::get<OperationLayer>(model.layers[1]).columns == std::vector<std::int64_t>{1});
}

TEST_CASE("an input is read as one sample if only this gives the first output") {
  OnnxSample sample;
  sample.input("x", {2, 1});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.node("MatMul", {"w", "x"}, "y");
  sample.node("Relu", {"x"}, "z");
  sample.output("y", {2, 1});
  sample.output("z", {2, 1});
  const MlpModel model = sample.read();
  CHECK(model.skipped_outputs.empty());
  REQUIRE(model.outputs.size() == 2);
  REQUIRE(model.inputs.size() == 1);
  CHECK(model.inputs[0].columns == 2);
}

}  // namespace
}  // namespace tilewright

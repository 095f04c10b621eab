// What nodes compute with extents: the number of samples, which a model does not know, extents that
// the file leaves open, and extents of 0 or beyond 64 bits.
#include <cmath>
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
  const NetworkModel model = sample.read();
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
  const NetworkModel model = sample.read();
  CHECK(model.skipped_outputs.empty());
  REQUIRE(model.outputs.size() == 2);
  REQUIRE(model.inputs.size() == 1);
  CHECK(model.inputs[0].columns == 2);
}

// x + Cast(`operation` of two INT64 constants, to FLOAT).
std::string said_of_integers(const char* operation, std::int64_t a, std::int64_t b,
                             onnx::DataType type = onnx::kInt64) {
  return net(2,
             [&](OnnxSample& s) {
               s.integers("a", {a});
               s.integers("b", {b});
               OnnxSample::set(s.node("Cast", {"a"}, "p"), "to", static_cast<std::int64_t>(type));
               OnnxSample::set(s.node("Cast", {"b"}, "q"), "to", static_cast<std::int64_t>(type));
               s.node(operation, {"p", "q"}, "r");
               OnnxSample::set(s.node("Cast", {"r"}, "f"), "to", std::int64_t{1});
               s.node("Add", {"x", "f"}, "y");
             })
      .said();
}

TEST_CASE("values have at most 64 dimensions") {
  for (const std::int64_t dimensions : {64, 65}) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(dimensions), 1);
      shape.front() = -1;
      shape.back() = 2;
      s.integers("shape", shape);
      s.integers("flat", {-1, 2});
      s.node("Reshape", {"x", "shape"}, "r");
      s.node("Reshape", {"r", "flat"}, "y");
    });
    CAPTURE(dimensions);
    if (dimensions == 64) {
      CHECK(sample.said().empty());
    } else {
      CHECK_THAT(sample.said(),
                 ContainsSubstring("(Reshape, output 'r')") && ContainsSubstring("65 dimensions"));
    }
  }
}

TEST_CASE("the message about a shape with very many extents is cut") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    std::vector<std::int64_t> extents(5000, 1);
    extents.front() = 2;
    s.raw("r", extents, {1, 2});
    s.node("MatMul", {"x", "r"}, "y");
  });
  CHECK_THAT(sample.said(),
             ContainsSubstring("which is not a matrix") && ContainsSubstring(" ..."));
  CHECK(sample.said().size() < 3000);
}

TEST_CASE("integers that overflow when constants are computed are refused") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  CHECK_THAT(said_of_integers("Add", kMax, 1 << 20),
             ContainsSubstring("(Add, output 'r'): computes 9.2") &&
                 ContainsSubstring("beyond the range of INT64 up to 2^53"));
  CHECK_FALSE(said_of_integers("Add", kMax, 1).empty());  // rounded to kMax
  CHECK_FALSE(said_of_integers("Add", std::int64_t{1} << 53, 1).empty());
  CHECK_FALSE(said_of_integers("Sub", kMin, 1).empty());
  CHECK_FALSE(said_of_integers("Mul", kMax, kMax).empty());
  CHECK_FALSE(said_of_integers("Div", kMin, -1).empty());
  CHECK_FALSE(said_of_integers("Sub", 0, kMin).empty());
  CHECK_THAT(said_of_integers("Div", 1, 0), ContainsSubstring("divides integers by 0"));
  CHECK_THAT(said_of_integers("Div", 0, 0), ContainsSubstring("divides integers by 0"));
  CHECK_THAT(said_of_integers("Mul", 1 << 20, 1 << 20, onnx::kInt32),
             ContainsSubstring("beyond the range of INT32;"));
  CHECK_THAT(said_of_integers("Sub", 1, 2, onnx::kUint8),
             ContainsSubstring("computes -1, which is beyond the range of UINT8"));
  CHECK_THAT(said_of_integers("Add", kMax, 0, onnx::kInt32), ContainsSubstring("casts 9.2"));
  // What selects one of its operands does not compute.
  CHECK(said_of_integers("Min", kMax, 5).empty());
  CHECK(said_of_integers("Max", kMax, 5).empty());
  CHECK(said_of_integers("Mul", 1 << 20, 1 << 20).empty());
  CHECK(said_of_integers("Add", kMax, 0).empty());
}

TEST_CASE("a NaN of a file is neither the batch size nor another extent") {
  const auto with_nan = [](bool is_shape) {
    return net(2, [&](OnnxSample& s) {
      // A NaN with all bits, as a placeholder has some of them.
      auto& nan = s.tensor("nan", {1}, onnx::kFloat);
      nan.raw_data = std::string_view("\xff\xff\xff\x7f", 4);
      s.raw("one", {1}, {1});
      s.integers("rest", {-1});
      s.node("Add", {"nan", "one"}, "n");
      OnnxSample::set(s.node("Cast", {"n"}, "whole"), "to", std::int64_t{7});
      OnnxSample::set(s.node("Concat", {"whole", "rest"}, "shape"), "axis", std::int64_t{0});
      if (is_shape) {
        s.node("Reshape", {"x", "shape"}, "y");
      } else {
        s.node("Max", {"x", "n"}, "y");
      }
    });
  };
  CHECK_THAT(with_nan(true).said(),
             ContainsSubstring("(Cast, output 'whole'): casts nan to INT64"));
  CHECK(with_nan(false).said().empty());
}

TEST_CASE("extents beside an extent of 0 need no memory") {
  for (const std::string operation : {"Concat", "Slice", "Split"}) {
    CAPTURE(operation);
    constexpr std::int64_t kMany = std::int64_t{1} << 36;
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("none", {kMany, 0}, {});
      s.integers("begin", {0});
      s.integers("end", {kMany});
      onnx::Node& node = s.node(operation, {"none"}, "n");
      if (operation == "Concat") node.input = {"none", "none"};
      if (operation == "Slice") node.input = {"none", "begin", "end"};
      if (operation != "Slice") {
        OnnxSample::set(node, "axis", std::int64_t{operation == "Concat"});
      }
      s.node("Shape", {"n"}, "shape");
      OnnxSample::set(s.node("Cast", {"shape"}, "f"), "to", std::int64_t{1});
      s.node("Add", {"x", "f"}, "y");
    });
    const NetworkModel model = sample.read();
    REQUIRE(model.layers.size() == 1);
    CHECK(std::get<OperationLayer>(model.layers[0]).operands[1].constant ==
          std::vector<double>{std::ldexp(1.0, 36), 0.0});
  }
}

TEST_CASE("extents beside an extent of 0 are limited") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const char* operation : {"Transpose", "Flatten", "Identity", "ReduceSum"}) {
    CAPTURE(operation);
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("none", {0, kMax, kMax}, {});
      s.node(operation, {"none"}, "n");
      s.node("Add", {"x", "n"}, "y");
    });
    CHECK_FALSE(sample.said().empty());
  }
}

}  // namespace
}  // namespace tilewright

// Files with several outputs: which of them a model has, and how the inputs are read.
#include "catch.hpp"
#include "onnx/graph_rows.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

NetworkModel read_for(const OnnxSample& sample, const std::vector<std::string>& outputs) {
  const std::string bytes = sample.bytes();
  return choose_network_outputs(
      read_network_model(bytes.data(), bytes.size(), NetworkReading::kForSpeed, outputs), outputs);
}

// x is a column. "rows" needs the first dimension to be the batch, "column" the column to be a
// sample, and "both" neither.
OnnxSample column_sample(const std::vector<std::string>& outputs) {
  OnnxSample sample;
  sample.input("x", {2, 1});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("row", {1, 3}, {1, 2, 3});
  sample.integers("shape", {2, 3});
  sample.node("MatMul", {"w", "x"}, "column");
  sample.node("MatMul", {"x", "row"}, "h");
  OnnxSample::set(sample.node("Softmax", {"h"}, "rows"), "axis", std::int64_t{1});
  sample.node("Relu", {"x"}, "both");
  for (const std::string& output : outputs) sample.output(output, {2, 1});
  return sample;
}

TEST_CASE("all outputs decide whether the first dimension is the batch") {
  const NetworkModel columns = column_sample({"both", "column"}).read();
  CHECK(output_names(columns) == std::vector<std::string>{"both", "column"});
  CHECK(columns.inputs.front().columns == 2);
  const NetworkModel rows = column_sample({"both"}).read();
  CHECK(rows.inputs.front().columns == 1);
}

TEST_CASE("outputs that are chosen decide whether the first dimension is the batch") {
  OnnxSample sample = column_sample({"both", "rows", "column"});
  sample.graph().node[2].op_type = "LogSoftmax";
  OnnxSample::set(sample.node("ReduceSum", {"x"}, "sum"), "keepdims", std::int64_t{0});
  sample.output("sum", {});
  CHECK(read_for(sample, {"sum"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"column"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"column", "both"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"rows"}).inputs.front().columns == 1);
}

TEST_CASE("weights on the left of columns make each input one sample") {
  OnnxSample sample;
  sample.input("x", {32, 1});
  sample.raw("w", {2, 32}, std::vector<float>(64, 1.0f));
  sample.raw("row", {1, 3}, {1, 2, 3});
  sample.node("MatMul", {"w", "x"}, "column");
  sample.node("MatMul", {"x", "row"}, "rows");  // as a sample, it has more than 16 rows
  sample.output("rows", {32, 3});
  sample.output("column", {2, 1});
  CHECK_THAT(refusal<ModelError>([&] {
               read_for(sample, {"rows", "column"});
             }),
             ContainsSubstring("'rows'") && ContainsSubstring("32 rows of each sample"));
  CHECK(read_for(sample, {"column"}).inputs.front().columns == 32);
  CHECK(read_for(sample, {"rows"}).inputs.front().columns == 1);
}

TEST_CASE("the extents of a file decide whether the first dimension is the batch") {
  // Reshapes x to `row`, and multiplies it by weights with as many rows.
  const auto columns = [](const std::vector<std::int64_t>& x, std::vector<std::int64_t> row,
                          const std::vector<std::int64_t>& y) {
    OnnxSample sample;
    sample.input("x", x);
    sample.integers("row", row);
    sample.raw("w", {row.back(), 2}, std::vector<float>(row.back() * 2, 1.0f));
    sample.node("Reshape", {"x", "row"}, "r");
    sample.node("MatMul", {"r", "w"}, "hidden");
    sample.node("Relu", {"hidden"}, "y");
    sample.output("y", y);
    CHECK(read_for(sample, {"hidden"}).inputs.front().columns ==
          sample.read().inputs.front().columns);
    return sample.read().inputs.front().columns;
  };
  CHECK(columns({6, 4}, {6, 4}, {6, 2}) == 4);
  CHECK(columns({6, 4}, {6, 4}, {0, 2}) == 4);
  CHECK(columns({6, 1}, {6, 1}, {6, 2}) == 1);
  CHECK(columns({1, 4}, {1, 4}, {1, 2}) == 4);
  CHECK(columns({0, 4}, {-1, 4}, {0, 2}) == 4);
  // A history of 6 rows is one sample.
  CHECK(columns({6, 4}, {1, 24}, {1, 2}) == 24);
  CHECK(columns({6, 4}, {24}, {2}) == 24);
  CHECK(columns({24}, {24}, {2}) == 24);
}

TEST_CASE("vectors beside a matrix, or that are made columns, have one element per sample") {
  for (const bool has_matrix : {false, true}) {
    OnnxSample sample;
    sample.input("x",
                 has_matrix ? std::vector<std::int64_t>{32, 1} : std::vector<std::int64_t>{32});
    sample.input("time", {32});
    sample.integers("columns", {1});
    sample.raw("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    sample.node("Unsqueeze", {"x", "columns"}, "x column");
    sample.node("Unsqueeze", {"time", "columns"}, "time column");
    OnnxSample::set(sample.node("Concat", {has_matrix ? "x" : "x column", "time column"}, "both"),
                    "axis", std::int64_t{1});
    sample.node("MatMul", {"both", "w"}, "y");
    sample.output("y", {32, 3});
    INFO(has_matrix);
    CHECK(host_forward_all(sample.read(), {{1, 2}, {10, 20}}, 2).front() ==
          std::vector<double>{41, 52, 63, 82, 104, 126});
  }
}

// onnxruntime gives the input exactly its 4 elements, so they are columns of one sample.
TEST_CASE("a vector whose output is a vector of an open extent is one sample") {
  for (const bool is_product : {true, false}) {
    INFO(is_product);
    OnnxSample sample;
    sample.input("x", {4});
    if (is_product) {
      sample.raw("w", {4, 2}, {1, 0, 0, 1, 1, 1, 2, 0});
    } else {
      sample.raw("w", {4}, {1, 2, 3, 4});
    }
    sample.node(is_product ? "MatMul" : "Mul", {"x", "w"}, "y");
    sample.output("y", {0});
    CHECK(host_forward_all(sample.read(), {{1, 2, 3, 4}}, 1).front() ==
          (is_product ? std::vector<double>{12, 5} : std::vector<double>{1, 4, 9, 16}));
  }
  // The rows of a matrix are samples, and so are elements with a row of the output each.
  OnnxSample rows;
  rows.input("x", {4, 2});
  rows.raw("w", {2, 1}, {1, 10});
  rows.node("MatMul", {"x", "w"}, "y");
  rows.output("y", {0, 1});
  CHECK(host_forward_all(rows.read(), {{1, 2, 3, 4}}, 2).front() == std::vector<double>{21, 43});
  OnnxSample elements;
  elements.input("x", {4});
  elements.integers("columns", {1});
  elements.raw("w", {1, 2}, {1, 10});
  elements.node("Unsqueeze", {"x", "columns"}, "column");
  elements.node("MatMul", {"column", "w"}, "y");
  elements.output("y", {0, 2});
  CHECK(host_forward_all(elements.read(), {{1, 2}}, 2).front() ==
        std::vector<double>{1, 10, 2, 20});
}

// A network in front of whose first computed output, "y", an exporter put constants.
OnnxSample constants_first() {
  OnnxSample sample;
  sample.raw("version", {1}, {3});
  sample.output("version", {1});
  sample.raw("two", {1}, {2});
  sample.node("Mul", {"version", "two"}, "size");
  sample.output("size", {1});
  sample.input("x", {0, 2});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.node("MatMul", {"x", "w"}, "h", "first");
  sample.node("Relu", {"h"}, "y", "second");
  sample.output("y", {0, 2});
  return sample;
}

TEST_CASE("a constant is never the first output") {
  OnnxSample sample = constants_first();
  CHECK(output_names(read_for(sample, {})) == std::vector<std::string>{"y"});
  CHECK(sample.read().skipped_outputs.size() == 2);
  CHECK_THAT(refusal<ModelError>([&] { read_for(sample, {"size"}); }),
             ContainsSubstring("'size' does not depend on the input"));
  // The first output that depends on the input cannot be computed.
  sample.graph().node.back().op_type = "LSTM";
  sample.node("Tanh", {"h"}, "z");
  sample.output("z", {0, 2});
  CHECK_THAT(refusal<ModelError>([&] { read_for(sample, {}); }),
             ContainsSubstring("the first output, 'y'") && ContainsSubstring("(LSTM 'second'"));
  sample.graph().output.pop_back();
  // All outputs are listed with their reasons.
  CHECK_THAT(sample.said(),
             ContainsSubstring("(LSTM 'second'") && ContainsSubstring("; the other outputs: ") &&
                 ContainsSubstring("'size' (") &&
                 ContainsSubstring("does not depend on the input") && !ContainsSubstring("'y' ("));
  CHECK_THAT(refusal<ModelError>([&] { read_for(sample, {"none"}); }),
             ContainsSubstring("no output 'none'") && ContainsSubstring("'size' (") &&
                 ContainsSubstring("'y' (") && ContainsSubstring("(LSTM 'second'"));
}

TEST_CASE("any value of a graph can be chosen as an output") {
  const OnnxSample sample = constants_first();
  const NetworkModel hidden = read_for(sample, {"h"});
  CHECK(output_names(hidden) == std::vector<std::string>{"h"});
  CHECK(hidden.layers.size() == 1);
  CHECK(output_names(read_for(sample, {"y", "h"})) == std::vector<std::string>{"y", "h"});
  CHECK_THAT(refusal<ModelError>([&] { read_for(sample, {"g"}); }),
             ContainsSubstring("no output 'g'"));
}

TEST_CASE("an output of integers is computed if it is chosen, or if there is no other") {
  const auto sample = [](bool is_cast, const std::string& op) {
    OnnxSample s = constants_first();
    OnnxSample::set(s.node(op, {"h"}, is_cast ? "index" : "label"), "axis", std::int64_t{1});
    if (is_cast) OnnxSample::set(s.node("Cast", {"index"}, "label"), "to", std::int64_t{7});
    s.output("label", {0}, onnx::kInt64);
    return s;
  };
  for (const bool is_cast : {false, true}) {
    OnnxSample with_floats = sample(is_cast, "ArgMax");
    CHECK(output_names(read_for(with_floats, {})) == std::vector<std::string>{"y"});
    OnnxSample alone = sample(is_cast, "ArgMax");
    alone.graph().output.erase(alone.graph().output.begin() + 2);
    OnnxSample only = alone;
    only.graph().output.erase(only.graph().output.begin(), only.graph().output.begin() + 2);
    for (const OnnxSample& each : {with_floats, alone, only}) {
      CHECK(output_names(read_for(each, {"label"})) == std::vector<std::string>{"label"});
      CHECK(output_names(read_for(each, {"h"})) == std::vector<std::string>{"h"});
    }
    CHECK(output_names(read_for(alone, {})) == std::vector<std::string>{"label"});
    CHECK(output_names(read_for(only, {})) == std::vector<std::string>{"label"});
    // What cannot be computed: the message names the value before it.
    if (!is_cast) continue;
    OnnxSample wrong = sample(true, "ArgMax");
    wrong.graph().node.back().attribute[0].i = 3;  // INT8
    CHECK_THAT(refusal<ModelError>([&] { read_for(wrong, {"label"}); }),
               ContainsSubstring("'label'") && ContainsSubstring("INT8") &&
                   ContainsSubstring("'h', the value before it"));
  }
}

// "y", the transpose of "x": the extents of x (0: the batch), and the order of its dimensions.
OnnxSample transposed_sample(const std::vector<std::int64_t>& extents,
                             const std::vector<std::int64_t>& order,
                             const std::vector<std::int64_t>& y = {}) {
  OnnxSample sample;
  sample.input("x", extents);
  onnx::Attribute& perm = sample.node("Transpose", {"x"}, "y").attribute.emplace_back();
  perm.name = "perm";
  perm.ints = order;
  sample.output("y", y);
  return sample;
}

TEST_CASE("an output whose batch is not its first dimension has a row per sample and is marked") {
  const std::vector<double> row = {1, 2, 3, 4, 5, 6};
  const auto check = [&](const OnnxSample& sample, std::size_t batch, bool is_marked,
                         const std::vector<double>& expected) {
    const NetworkModel model = sample.read();
    CHECK(model.outputs.front().is_transposed == is_marked);
    CHECK(host_forward_all(model, {{1, 2, 3, 4, 5, 6}}, batch).front() == expected);
  };
  check(transposed_sample({0, 3}, {1, 0}), 2, true, row);
  check(transposed_sample({0, 3, 2}, {1, 0, 2}), 1, true, row);
  check(transposed_sample({0, 3, 2}, {2, 1, 0}), 1, true, {1, 3, 5, 2, 4, 6});
  check(transposed_sample({0, 1, 3}, {1, 2, 0}), 2, true, row);
  // These have the samples in the order of the file.
  check(transposed_sample({0, 1}, {1, 0}), 6, false, row);
  check(transposed_sample({0, 1, 3}, {1, 0, 2}), 2, false, row);
  check(transposed_sample({0, 3, 2}, {0, 2, 1}), 1, false, {1, 3, 5, 2, 4, 6});
  // The file fixes the batch, 3 rows of 3 columns, or has one sample of 3 rows, which is
  // transposed.
  check(transposed_sample({3, 3}, {1, 0}, {3, 3}), 2, true, row);
  check(transposed_sample({3, 2}, {1, 0}, {2, 3}), 1, false, {1, 3, 5, 2, 4, 6});
}

TEST_CASE("the mark of a transposed output survives rewrites and the choice of outputs") {
  OnnxSample sample = transposed_sample({0, 2}, {1, 0});
  sample.graph().node[0].input = {"r"};
  sample.graph().node[0].output = {"t"};
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("v", {2}, {5, 6});
  sample.raw("v column", {2, 1}, {5, 6});
  sample.node("Mul", {"x", "v"}, "m");  // is folded into the product
  sample.node("MatMul", {"m", "w"}, "h");
  sample.node("Sigmoid", {"h"}, "s");  // the activation SiLU, without a node of its own
  sample.node("Mul", {"h", "s"}, "r");
  sample.node("Add", {"t", "v column"}, "y");
  sample.node("Transpose", {"y"}, "z");
  sample.node("Neg", {"h"}, "n");
  for (const char* name : {"z", "n"}) sample.output(name, {0, 2});
  for (const std::vector<std::string>& names :
       std::vector<std::vector<std::string>>{{}, {"z", "t", "y"}, {"t"}, {"y"}, {"n", "y"}}) {
    for (const NetworkOutput& output : read_for(sample, names).outputs) {
      INFO(output.name);
      CHECK(output.is_transposed == (output.name == "y" || output.name == "t"));
    }
  }
  CHECK(output_names(sample.read()) == std::vector<std::string>{"y", "z", "n"});
  CHECK(host_forward_all(read_for(sample, {"y"}), {{1, 0}}, 1) ==
        host_forward_all(read_for(sample, {"z"}), {{1, 0}}, 1));
}

TEST_CASE("an input that no output needs does not count for the batch") {
  const auto sample = [](bool is_used) {
    OnnxSample s;
    s.input("x", {1, 4});
    s.input("unused", {0, 7});
    s.integers("zero", {0});
    OnnxSample::set(s.node("Gather", {"x", "zero"}, "y"), "axis", std::int64_t{0});
    s.node("Neg", {"unused"}, "n");
    s.output("y", {4});
    if (is_used) s.output("n", {0, 7});
    return s;
  };
  CHECK(sample(false).said().empty());
  CHECK(output_names(sample(true).read()) == std::vector<std::string>{"n"});
  CHECK(output_names(read_for(sample(true), {"y"})) == std::vector<std::string>{"y"});
  // Nor for whether the file fixes the extents of its inputs.
  OnnxSample column = column_sample({"column"});
  column.input("unused", {0, 3});
  CHECK(column.said().empty());
}

TEST_CASE("a fault concerns only the outputs that need its node") {
  const auto with = [](const auto& fault) {
    OnnxSample sample = gemm_sample();
    fault(sample);
    sample.output("z", {0, 2});
    return sample;
  };
  const OnnxSample twice = with([](OnnxSample& s) {
    s.node("Relu", {"y"}, "z");
    s.node("Tanh", {"y"}, "z");
  });
  const OnnxSample recursive = with([](OnnxSample& s) {
    s.node("F", {"y"}, "z").domain = "local";
    auto& function = s.model.functions.emplace_back();
    function.domain = "local";
    function.name = "F";
    function.input.push_back("a");
    function.output.push_back("b");
    onnx::Node& node = function.node.emplace_back();
    node.op_type = "F";
    node.domain = "local";
    node.input.push_back("a");
    node.output.push_back("b");
  });
  const OnnxSample wide = with([](OnnxSample& s) {
    s.graph().input[0].type.tensor_type->shape->dim[1] = {0, "columns"};
    s.raw("w3", {3, 2}, {1, 2, 3, 4, 5, 6});
    s.node("MatMul", {"x", "w3"}, "z", "wide");
  });
  const OnnxSample unknown = with([](OnnxSample& s) {
    OnnxSample::describe(s.graph().input.emplace_back(), "open", {0, 0});
    s.node("Relu", {"open"}, "z");
  });
  for (const OnnxSample& sample : {twice, recursive, wide, unknown}) {
    const NetworkModel model = sample.read();
    CHECK(output_names(model) == std::vector<std::string>{"y"});
    REQUIRE(model.skipped_outputs.size() == 1);
    CHECK_FALSE(model.skipped_outputs[0].is_first);
  }
  CHECK_THAT(wide.read().skipped_outputs[0].reason,
             ContainsSubstring("(MatMul 'wide'): has 3 inputs"));
  CHECK_THAT(unknown.read().skipped_outputs[0].reason, ContainsSubstring("'open'"));
  for (const OnnxSample& sample : {twice, recursive, unknown}) {
    CHECK_FALSE(refusal<ModelError>([&] { read_for(sample, {"z"}); }).empty());
  }
  // Outputs that are chosen come first.
  CHECK(read_for(wide, {"z"}).inputs.front().columns == 3);
}

TEST_CASE("the error of an output is that of the first node that it needs") {
  OnnxSample sample = gemm_sample();
  sample.node("LSTM", {"y"}, "memory", "first");
  sample.node("GRU", {"y"}, "gate", "second");
  sample.node("Add", {"gate", "memory"}, "sum");
  sample.node("Neg", {"sum"}, "z");
  sample.node("Neg", {"gate"}, "v");
  sample.output("z", {0, 2});
  sample.output("v", {0, 2});
  const std::vector<NetworkSkippedOutput> skipped = sample.read().skipped_outputs;
  REQUIRE(skipped.size() == 2);
  CHECK_THAT(skipped[0].reason, ContainsSubstring("(LSTM 'first')"));
  CHECK_THAT(skipped[1].reason, ContainsSubstring("(GRU 'second')"));
}

// A computed value of the type BOOL, and what CastLike makes of x and of the constant 2.
}  // namespace
}  // namespace tilewright

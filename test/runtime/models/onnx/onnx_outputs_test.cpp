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
OnnxSample column_sample(const std::vector<std::string>& outputs, const char* softmax = "Softmax") {
  OnnxSample sample = graph(std::string("x[2,1] => ; row[1,3] = 1 2 3; column = MatMul(w,x); ") +
                            "h = MatMul(x,row); rows = " + softmax + "(h) axis=1; both = Relu(x)");
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
  OnnxSample sample = column_sample({"both", "rows", "column"}, "LogSoftmax");
  OnnxSample::set(sample.node("ReduceSum", {"x"}, "sum"), "keepdims", std::int64_t{0});
  sample.output("sum", {});
  CHECK(read_for(sample, {"sum"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"column"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"column", "both"}).inputs.front().columns == 2);
  CHECK(read_for(sample, {"rows"}).inputs.front().columns == 1);
}

TEST_CASE("weights on the left of columns make each input one sample") {
  // As a sample, "rows" has more than 16 rows.
  const OnnxSample sample = graph(
      "x[32,1] => rows[32,3], column[2,1]; c[2,32] = 1*64; row[1,3] = 1 2 3; "
      "column = MatMul(c,x); rows = MatMul(x,row)");
  CHECK_THAT(refusal<ModelError>([&] {
               read_for(sample, {"rows", "column"});
             }),
             ContainsSubstring("'rows'") && ContainsSubstring("32 rows of each sample"));
  CHECK(read_for(sample, {"column"}).inputs.front().columns == 32);
  CHECK(read_for(sample, {"rows"}).inputs.front().columns == 1);
}

TEST_CASE("the extents of a file decide whether the first dimension is the batch") {
  // Reshapes x to `row`, and multiplies it by weights with as many rows.
  const auto columns = [](const std::string& x, const std::string& row, const std::string& y) {
    const std::vector<std::string> extents = split(row, ',');
    const OnnxSample sample =
        graph("x[" + x + "] => y[" + y + "]; row:INT64[" + std::to_string(extents.size()) + "] = " +
              row.substr(0, row.find(',')) + " " + (extents.size() > 1 ? extents.back() : "") +
              "; c[" + extents.back() + ",2] = 1*" + std::to_string(2 * std::stoi(extents.back())) +
              "; r = Reshape(x,row); hidden = MatMul(r,c); y = Relu(hidden)");
    CHECK(read_for(sample, {"hidden"}).inputs.front().columns ==
          sample.read().inputs.front().columns);
    return sample.read().inputs.front().columns;
  };
  CHECK(columns("6,4", "6,4", "6,2") == 4);
  CHECK(columns("6,4", "6,4", "N,2") == 4);
  CHECK(columns("6,1", "6,1", "6,2") == 1);
  CHECK(columns("1,4", "1,4", "1,2") == 4);
  CHECK(columns("N,4", "-1,4", "N,2") == 4);
  // A history of 6 rows is one sample.
  CHECK(columns("6,4", "1,24", "1,2") == 24);
  CHECK(columns("6,4", "24", "2") == 24);
  CHECK(columns("24", "24", "2") == 24);
}

TEST_CASE("vectors beside a matrix, or that are made columns, have one element per sample") {
  const std::string nodes =
      ", time[32] => y[32,3]; c[2,3] = 1 2 3 4 5 6; t = Unsqueeze(time,one); y = MatMul(both,c); ";
  check({gives("x[32,1]" + nodes + "both = Concat(x,t) axis=1", {{1, 2}, {10, 20}},
               {41, 52, 63, 82, 104, 126}),
         gives("x[32]" + nodes + "column = Unsqueeze(x,one); both = Concat(column,t) axis=1",
               {{1, 2}, {10, 20}}, {41, 52, 63, 82, 104, 126})});
}

// onnxruntime gives the input exactly its 4 elements, so they are columns of one sample.
TEST_CASE("a vector whose output is a vector of an open extent is one sample") {
  check({gives("x[4] => y[N]; c[4,2] = 1 0 0 1 1 1 2 0; y = MatMul(x,c)", {{1, 2, 3, 4}}, {12, 5}),
         gives("x[4] => y[N]; c[4] = 1 2 3 4; y = Mul(x,c)", {{1, 2, 3, 4}}, {1, 4, 9, 16}),
         // The rows of a matrix are samples, and so are elements with a row of the output each.
         gives("x[4,2] => y[N,1]; c[2,1] = 1 10; y = MatMul(x,c)", {{1, 2, 3, 4}}, {21, 43}),
         gives("x[4] => y[N,2]; c[1,2] = 1 10; column = Unsqueeze(x,one); y = MatMul(column,c)",
               {{1, 2}}, {1, 10, 2, 20})});
}

// A network in front of whose first computed output, "y", an exporter put constants.
OnnxSample constants_first(const std::string& more = "") {
  return graph(
      "x[N,2] => version[1], size[1], y[N,2]; version[1] = 3; size = Mul(version,two); "
      "h = MatMul:first(x,w); y = Relu:second(h)" +
      more);
}

TEST_CASE("a constant is never the first output") {
  OnnxSample sample = constants_first();
  CHECK(output_names(read_for(sample, {})) == std::vector<std::string>{"y"});
  CHECK(sample.read().skipped_outputs.size() == 2);
  CHECK_THAT(refusal<ModelError>([&] { read_for(sample, {"size"}); }),
             ContainsSubstring("'size' does not depend"));
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
                 ContainsSubstring("'size' (") && ContainsSubstring("does not depend") &&
                 !ContainsSubstring("'y' ("));
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
  const auto sample = [](bool is_cast, const std::string& type) {
    OnnxSample s =
        constants_first(is_cast ? "; index = ArgMax(h) axis=1; label = Cast(index) to=" + type
                                : "; label = ArgMax(h) axis=1");
    s.output("label", {0}, onnx::kInt64);
    return s;
  };
  for (const bool is_cast : {false, true}) {
    OnnxSample with_floats = sample(is_cast, "7");
    CHECK(output_names(read_for(with_floats, {})) == std::vector<std::string>{"y"});
    OnnxSample alone = sample(is_cast, "7");
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
    const OnnxSample wrong = sample(true, "3");
    CHECK_THAT(refusal<ModelError>([&] { read_for(wrong, {"label"}); }),
               ContainsSubstring("'label'") && ContainsSubstring("INT8") &&
                   ContainsSubstring("'h', the value before it"));
  }
}

// "y", the transpose of "x": the extents of x (0: the batch), and the order of its dimensions.
OnnxSample transposed_sample(const std::string& extents, const std::string& order,
                             const std::string& y = "") {
  return graph("x[" + extents + "] => y[" + y + "]; y = Transpose(x) perm=[" + order + "]");
}

TEST_CASE("an output whose batch is not its first dimension has a row per sample and is marked") {
  const std::vector<double> row = {1, 2, 3, 4, 5, 6};
  const auto check = [&](const OnnxSample& sample, std::size_t batch, bool is_marked,
                         const std::vector<double>& expected) {
    const NetworkModel model = sample.read();
    CHECK(model.outputs.front().is_transposed == is_marked);
    CHECK(host_forward_all(model, {{1, 2, 3, 4, 5, 6}}, batch).front() == expected);
  };
  check(transposed_sample("N,3", "1,0"), 2, true, row);
  check(transposed_sample("N,3,2", "1,0,2"), 1, true, row);
  check(transposed_sample("N,3,2", "2,1,0"), 1, true, {1, 3, 5, 2, 4, 6});
  check(transposed_sample("N,1,3", "1,2,0"), 2, true, row);
  // These have the samples in the order of the file.
  check(transposed_sample("N,1", "1,0"), 6, false, row);
  check(transposed_sample("N,1,3", "1,0,2"), 2, false, row);
  check(transposed_sample("N,3,2", "0,2,1"), 1, false, {1, 3, 5, 2, 4, 6});
  // The file fixes the batch, 3 rows of 3 columns, or has one sample of 3 rows, which is
  // transposed.
  check(transposed_sample("3,3", "1,0", "3,3"), 2, true, row);
  check(transposed_sample("3,2", "1,0", "2,3"), 1, false, {1, 3, 5, 2, 4, 6});
}

TEST_CASE("the mark of a transposed output survives rewrites and the choice of outputs") {
  // v is folded into the product, and SiLU is an activation without a node of its own.
  const OnnxSample sample = graph(
      "x[N,2] => y[], z[N,2], n[N,2]; v[2] = 5 6; column[2,1] = 5 6; m = Mul(x,v); "
      "h = MatMul(m,w); s = Sigmoid(h); r = Mul(h,s); t = Transpose(r) perm=[1,0]; "
      "y = Add(t,column); z = Transpose(y); n = Neg(h)");
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
    return graph(std::string("x[1,4], unused[N,7] => y[4]") + (is_used ? ", n[N,7]" : "") +
                 "; y = Gather(x,zero) axis=0; n = Neg(unused)");
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
  const auto with = [](const std::string& nodes, const std::string& x = "x[N,2]") {
    return graph(x + " => y[N,2], z[N,2]; y = Gemm(x,w,b); " + nodes);
  };
  const OnnxSample twice = with("z = Relu(y); z = Tanh(y)");
  OnnxSample recursive = with("z = local.F(y)");
  auto& function = recursive.model.functions.emplace_back();
  function.domain = "local";
  function.name = "F";
  function.input.push_back("a");
  function.output.push_back("b");
  function.node = graph("b = local.F(a)").graph().node;
  const OnnxSample wide = with("c[3,2] = 1 2 3 4 5 6; z = MatMul:wide(x,c)", "x[N,N]");
  const OnnxSample unknown = with("z = Relu(open)", "x[N,2], open[N,N]");
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
  const OnnxSample sample = graph(
      "x[N,2] => y[N,2], z[N,2], v[N,2]; y = Gemm(x,w,b); memory = LSTM:first(y); "
      "gate = GRU:second(y); sum = Add(gate,memory); z = Neg(sum); v = Neg(gate)");
  const std::vector<NetworkSkippedOutput> skipped = sample.read().skipped_outputs;
  REQUIRE(skipped.size() == 2);
  CHECK_THAT(skipped[0].reason, ContainsSubstring("(LSTM 'first')"));
  CHECK_THAT(skipped[1].reason, ContainsSubstring("(GRU 'second')"));
}

}  // namespace
}  // namespace tilewright

// What nodes compute with extents: the number of samples, which a model does not know, extents that
// the file leaves open, and extents of 0 or beyond 64 bits.
#include <limits>

#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

const std::string kMax = std::to_string(std::numeric_limits<std::int64_t>::max());
const std::string kMin = std::to_string(std::numeric_limits<std::int64_t>::min());

// "batch", the number of samples.
const std::string kBatch = "shape = Shape(x); batch = Gather(shape,zero); ";

TEST_CASE("a multiple of the batch size is not the batch size") {
  // x, reshaped to (rows) x -1, and multiplied by w.
  const auto reshaped = [](const std::string& rows, const char* columns = "2") {
    return std::string("x[N,") + columns + "] => y[N,2]; " + kBatch + "rows = " + rows +
           "; to = Concat(rows,rest) axis=0; r = Reshape(x,to); y = MatMul(r,w)";
  };
  const auto is = [&](const std::string& rows) {
    return gives(reshaped(rows), {{1, 10}}, {31, 42});
  };
  const auto is_not = [&](const std::string& rows, const char* columns = "2") {
    return refused(reshaped(rows, columns), rows.substr(0, 3), "number of samples");
  };
  check({is("Mul(batch,one)"), is("Div(batch,one)"), is("Add(batch,zero)"), is("Max(batch,one)"),
         is_not("Mul(batch,two)", "4"), is_not("Div(batch,two)"), is_not("Sub(batch,one)"),
         is_not("Max(batch,two)"), is_not("Min(batch,two)")});
  for (const std::string reduction :
       {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd"}) {
    check({is(reduction + "(batch)"),
           refused(kBatch + "rows = " + reduction + "(batch); n = Cast(rows) to=1; y = Min(x,n)",
                   "(Min", "number of samples")});
  }
}

TEST_CASE("values are not computed with the batch size") {
  const std::string rows = "h = MatMul(x,w); " + kBatch + "rows = Cast(batch) to=1; y = ";
  check({refused(rows + "Min(h,rows)", "(Min", "number of samples"),
         refused(rows + "Greater(h,rows)", "(Greater", "number of samples"),
         refused(rows + "Pow(h,rows)", "(Pow", "number of samples"),
         refused(rows + "Mul(h,rows)", "(Mul", "number of samples"),
         refused(rows + "Concat(h,rows) axis=1", "(Concat", "number of samples")});
}

TEST_CASE("samples are not repeated") {
  const std::string expanded = "; h = MatMul(x,w); y = Expand(h,to)";
  check({gives("to:INT64[2] = 1 2" + expanded, {{1, 10}}, {31, 42}),
         refused("to:INT64[2] = 4 2" + expanded, "(Expand", "samples")});
}

TEST_CASE("an operator keeps samples that are merged with their columns, or refuses them") {
  const std::string merged = "x[N,2] => y[N]; r = Reshape(x,rest); y = ";
  for (const std::string& node : split("Identity(r);Exp(r);Cast(r) to=1;Sum(r)", ';')) {
    check({accepted(merged + node)});
  }
  for (const std::string& node : split(
           "Relu(r);Gelu(r);PRelu(r,one);Softmax(r);Add(r,one);IsNaN(r);ReduceSum(r) axes=0;"
           "ArgMax(r);Dropout(r);Flatten(r);Reshape(r,rest);Squeeze(r);Unsqueeze(r,zero);Shape(r);"
           "Concat(r,one);Slice(r,zero,one);Gather(r,zero);Gather(w,r);Split(r);Expand(r,one);"
           "Transpose(r);MatMul(r,w);Gemm(r,w);Conv(r,w);LayerNormalization(r,one);"
           "ai.onnx.ml.Normalizer(r);ai.onnx.ml.Scaler(r)",
           ';')) {
    check({refused(merged + node, node.substr(node.rfind('.') + 1, 3), "samples were merged")});
  }
}

TEST_CASE("extents of 0 and sizes beyond 64 bits are errors of the model") {
  const std::string x = "x[N,4] => y[N,2]; ";
  check(
      {refused(x + "from:INT64[2] = 0 0; to:INT64[2] = 0 2147483647; axes:INT64[2] = 1 0; "
                   "y = Slice(x,from,to,axes)",
               "'y'", "does not depend on the input"),
       refused(x + "c[2,0] =; g = Gather(c,zero); y = Concat(x,g)", "(Concat", "without elements"),
       refused(x + "sizes:INT64[4] = " + kMax + " " + kMax + " 4 4; y = Split(x,sizes) axis=1",
               "(Split", "4 elements"),
       refused(x + "to:INT64[1] = 4; step:INT64[1] = " + kMax +
                   "; s = Slice(x,zero,to,one,step); y = MatMul(s,w)",
               "(MatMul", "rows of 1")});
}

TEST_CASE("arithmetic with an extent that the file leaves open is refused") {
  const auto half = [](const std::string& node) {
    return refused(
        "x[N,N] => y[N,2]; minus:INT64[1] = -1; shape = Shape(x); "
        "width = Gather(shape,one); half = " +
            node + "; to = Concat(rest,half) axis=0; h = MatMul(x,w); y = Reshape(h,to)",
        node.substr(0, 3), "leaves open");
  };
  check({half("Div(width,two)"), half("Add(width,minus)")});
}

TEST_CASE("a matrix that must be one sample is read as one") {
  check({gives("x[2,1] => y[]; h = MatMul(w,x); y = ReduceSum(h) keepdims=0", {{1, 10}}, {64}, 2)});
  const NetworkModel model = graph("x[2,1] => y[2,1], z[2,1]; y = MatMul(w,x); z = Relu(x)").read();
  CHECK(model.skipped_outputs.empty());
  CHECK(model.outputs.size() == 2);
  CHECK(model.inputs.at(0).columns == 2);
}

TEST_CASE("values have at most 64 dimensions, and messages name some of them") {
  const auto reshaped = [](int ones) {
    return "many:INT64[" + std::to_string(ones + 2) + "] = -1 1*" + std::to_string(ones) +
           " 2; flat:INT64[2] = -1 2; r = Reshape(x,many); y = Reshape(r,flat)";
  };
  check({gives(reshaped(62), {{1, 10}}, {1, 10}), refused(reshaped(63), "(Reshape", "65 dim")});
  OnnxSample sample = graph("r[2] = 1 2; y = MatMul(x,r)");
  sample.graph().initializer[0].dims.resize(5000, 1);
  CHECK_THAT(sample.said(), Catch::Matchers::ContainsSubstring(" ..."));
  CHECK(sample.said().size() < 3000);
}

TEST_CASE("integers that overflow when constants are computed are refused") {
  // x + Cast(`operation` of two constants, to FLOAT).
  const auto text = [](const std::string& operation, const std::string& p, const std::string& q,
                       const std::string& type) {
    return "p:INT64[1] = " + p + "; q:INT64[1] = " + q + "; a = Cast(p) to=" + type +
           "; b = Cast(q) to=" + type + "; r = " + operation +
           "(a,b); f = Cast(r) to=1; y = Add(x,f)";
  };
  const auto is_refused = [&](const std::string& operation, const std::string& p,
                              const std::string& q, const char* keyword, const char* type = "7") {
    return refused(text(operation, p, q, type), "(" + operation + ", output 'r')", keyword);
  };
  const auto is = [&](const std::string& operation, const std::string& p, const std::string& q,
                      double result) {
    return gives(text(operation, p, q, "7"), {{1, -1}}, {result + 1, result - 1});
  };
  check({is_refused("Add", kMax, "1048576", "INT64"),
         is_refused("Add", kMax, "1", "INT64"),  // rounded to kMax
         is_refused("Add", "9007199254740992", "1", "INT64"), is_refused("Sub", kMin, "1", "INT64"),
         is_refused("Mul", kMax, kMax, "INT64"), is_refused("Div", kMin, "-1", "INT64"),
         is_refused("Sub", "0", kMin, "INT64"), is_refused("Div", "1", "0", "by 0"),
         is_refused("Div", "0", "0", "by 0"), is_refused("Mul", "1048576", "1048576", "INT32", "6"),
         is_refused("Sub", "1", "2", "UINT8", "2"),
         refused(text("Add", kMax, "0", "6"), "(Cast, output 'a')", "9.2"),
         // What selects one of its operands does not compute.
         is("Min", kMax, "5", 5), is("Max", kMax, "5", 9223372036854775807.0),
         is("Mul", "1048576", "1048576", 1099511627776.0),
         is("Add", kMax, "0", 9223372036854775807.0)});
}

TEST_CASE("a NaN of a file is neither the batch size nor another extent") {
  for (const bool is_shape : {false, true}) {
    OnnxSample sample = graph(std::string("nan[1] = 0; c[1] = 1; n = Add(nan,c); i = Cast(n) to=7; "
                                          "to = Concat(i,rest) axis=0; y = ") +
                              (is_shape ? "Reshape(x,to)" : "Max(x,n)"));
    // A NaN with all bits, as a placeholder has some of them.
    sample.graph().initializer[0].raw_data = std::string_view("\xff\xff\xff\x7f", 4);
    const std::string said = sample.said();
    INFO(said);
    CHECK(said.empty() != is_shape);
    CHECK((said.find("(Cast, output 'i')") < said.size()) == is_shape);
  }
}

TEST_CASE("extents beside an extent of 0 need no memory, and are limited") {
  const auto large = [](const std::string& node) {
    return gives("c[68719476736,0] =; to:INT64[1] = 68719476736; n = " + node +
                     "; s = Shape(n); f = Cast(s) to=1; y = Add(x,f)",
                 {{1, 2}}, {68719476737, 2}, 1);
  };
  check({large("Concat(c,c) axis=1"), large("Slice(c,zero,to)"), large("Split(c) axis=0")});
  const std::string claimed = "c[0," + kMax + "," + kMax + "] =; n = ";
  check({refused(claimed + "Transpose(c); y = Add(x,n)", "(Transpose", "too large"),
         refused(claimed + "ReduceSum(c); y = Add(x,n)", "(ReduceSum", "too large"),
         refused(claimed + "Flatten(c); y = Add(x,n)", "(Add", "which is 0 x 0"),
         refused(claimed + "Identity(c); y = Add(x,n)", "(Add", "which is 0 x " + kMax)});
}

}  // namespace
}  // namespace tilewright

// Nodes whose meaning is easily missed: what they compute, or that they are refused.
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

TEST_CASE("errors name what cannot be run, not a first attempt") {
  // W x, which only a sample that is a column allows, and then an unsupported node; and a product
  // of computed values after a layer of a vector.
  check({refused("x[2,1] => y[2,1]; h = MatMul(w,x); y = LSTM(h)", "(LSTM", "not supported"),
         refused("x[2], h[1,2] => y[1]; f = MatMul:layer(x,w); y = MatMul:product(h,f)",
                 "(MatMul 'product')", "two computed")});
}

TEST_CASE("messages about extents do not contradict themselves") {
  check(
      {refused("x[N,8,8] => y[N,8,8]; c[64] = 1*64; y = Add(x,c)", "which is 64", "batch x 8 x 8"),
       refused("e[3,1,2,2] = 1*12; y = MatMul(x,e)", "3 x 1 x 2 x 2", "a MatMul for each"),
       refused("c[2,1] = 1 2; y = Gemm(x,w,c)", "which is 2 x 1", "2 or 1 x 2")});
}

TEST_CASE("a reduction without axes may apply only its function") {
  const auto reduced = [](const std::string& operation, const std::vector<double>& y,
                          std::size_t layers) {
    return gives("h = MatMul(x,w); y = " + operation + "(h) noop_with_empty_axes=1", {{-6, 1}}, y,
                 layers);  // h = (-3, -8)
  };
  // The last two have sums of one element each.
  check({reduced("ReduceSum", {-3, -8}, 1), reduced("ReduceMax", {-3, -8}, 1),
         reduced("ReduceSumSquare", {9, 64}, 3), reduced("ReduceL1", {3, 8}, 3)});
}

TEST_CASE("missing values are replaced by constants") {
  const std::vector<double> x = {NAN, 2, -1, NAN};
  const auto imputer = [](const std::string& values, const char* replaced = "nan") {
    return "y = ai.onnx.ml.Imputer(x) replaced_value_float=" + std::string(replaced) +
           " imputed_value_floats=" + values;
  };
  check({gives(imputer("[5.0,6.0]"), {x}, {5, 2, -1, 6}),
         gives(imputer("[7.0]"), {x}, {7, 2, -1, 7}),
         gives(imputer("[5.0,6.0]", "-1.0"), {{-1, 2, 0, -1}}, {5, 2, 0, 6}),
         gives("c[2] = 5 6; n = IsNaN(x); y = Where(n,c,x)", {x}, {5, 2, -1, 6}),
         refused(imputer("[1.0,2.0,3.0]"), "(Imputer", "which is 3"),
         refused(imputer("[]"), "(Imputer", "imputed_value_floats")});
}

TEST_CASE("the norm MAX is the largest element") {
  check({gives("y = ai.onnx.ml.Normalizer(x)", {{-3, 2}}, {-1.5, 1}, 3)});
}

TEST_CASE("weights may have leading dimensions of one element") {
  const std::string weights = "w3[1,2,2] = 1 2 3 4; c[1] = 1; folded = Mul(w3,c); h = MatMul(x,";
  for (const char* const used : {"w3", "folded"}) {  // h is 1 x batch x 2
    check({gives(weights + used + "); y = Squeeze(h,zero)", {{1, 10}}, {31, 42}, 1)});
  }
}

TEST_CASE("many nodes may use the same constant row") {
  std::string text = "x[N,64] => h100[N,64]; c[64] = 0.5*64; h0 = Tanh(x)";
  for (int i = 0; i < 100; ++i) {
    const std::string at = std::to_string(i);
    text +=
        "; m" + at + " = Mul(h" + at + ",c); h" + std::to_string(i + 1) + " = Tanh(m" + at + ")";
  }
  check({accepted(text, 201)});
}

TEST_CASE("a part without elements may be unused") {
  const std::string parts = "sizes:INT64[2] = 0 2; empty, all = Split(x,sizes) axis=1; y = MatMul(";
  check({gives(parts + "all,w)", {{1, 10}}, {31, 42}),
         refused(parts + "empty,w)", "(MatMul", "1 x 0")});
}

TEST_CASE("a perm that is no permutation of the dimensions is refused") {
  check(
      {refused("t = Transpose(w) perm=[1,7]; y = MatMul(x,t)", "(Transpose, output 't')",
               "perm is 1, 7"),
       refused("c[] = 0; t = Transpose(c) perm=[1,0]; y = Add(x,t)", "(Transpose", "perm is 1, 0"),
       refused("t = Transpose(v) perm=[1,0]; y = Add(x,t)", "(Transpose", "perm is 1, 0"),
       refused("c[1,2,2] = 0*4; t = Transpose(c) perm=[1,0]; y = Add(x,t)", "(Transpose",
               "perm is 1, 0")});
}

TEST_CASE("weights in another file justify constants, as those in the file do") {
  const TemporaryFolder folder;
  OnnxSample sample = graph("x[N,256] => y[N,256]; w[256,256] =; m = Mul(w,half); y = MatMul(x,m)");
  onnx::Tensor& weights = sample.graph().initializer[0];
  weights.raw_data.reset();
  weights.data_location = onnx::Tensor::kExternal;
  weights.external_data = {{"location", "net.data"}};
  written(folder, "net.data", std::string(256 * 256 * 4, '\0'));
  const NetworkModel model = read_network_model(written(folder, "net.onnx", sample.bytes()));
  CHECK(model.layers.size() == 1);
}

TEST_CASE("a batch size of 1 counts only if all inputs have it") {
  const auto added = [](const char* x, const char* nodes) {
    return std::string(x) + ", s[1,4] => y[1,4]; " + nodes + "; y = Add(g,n)";
  };
  for (const char* const nodes :
       {"n = Neg(s); g = Gather(x,zero) axis=0", "g = Gather(x,zero) axis=0; n = Neg(s)"}) {
    check({accepted(added("x[1,4]", nodes)),
           refused(added("x[N,4]", nodes), "(Gather", "selects samples")});
  }
}

TEST_CASE("an operator computes the same of a constant and of a computed value") {
  const std::vector<double> v = {-1.75, 0.5, 2.25};
  const std::string operators =
      "Abs(r); Celu(r); Elu(r); Erf(r); Exp(r); Gelu(r); HardSwish(r); HardSigmoid(r); "
      "LeakyRelu(r); LogSoftmax(r); Mish(r); Neg(r); Relu(r); Selu(r); Sigmoid(r); Softmax(r); "
      "Softplus(r); Softsign(r); Swish(r); Tanh(r); ReduceL1(r,one); ReduceL2(r,one); "
      "ReduceLogSumExp(r,one); ReduceMax(r,one); ReduceMean(r,one); ReduceProd(r,one); "
      "ReduceSum(r,one); ArgMax(r) axis=1; Round(r); Sign(r); ReduceMin(r,one); "
      "ThresholdedRelu(r)";
  for (const std::string& op : split(operators, ';')) {
    INFO(op);
    const auto result = [&](const char* operand) {
      OnnxSample sample = graph(
          std::string("x[N,3] => y[N,3]; r[1,3] = -1.75 0.5 2.25; c[] = 0; zeros = Mul(x,c); ") +
          "s = " + op + "; f = Cast(s) to=1; y = Add(zeros,f)");
      sample.model.opset_import[0].version = 20;
      sample.graph().node[1].input[0] = operand;
      return host_forward_all(sample.read(), {v}, 1).front();
    };
    const std::vector<double> folded = result("r");
    const std::vector<double> computed = result("x");
    REQUIRE(folded.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(folded[i] == Approx(computed[i]).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace tilewright

// Products of constant weights with matrices of fixed extents, and with vectors.
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

TEST_CASE("FusedMatMul with transA multiplies the transpose of a matrix of fixed extents") {
  const std::string product = "; c[3,2] = 1 2 3 4 5 6; y = com.microsoft.FusedMatMul(x,c) transA=1";
  check({gives("x[3,2] => y[2,2]" + product, {{1, 2, 3, 4, 5, 6}}, {35, 44, 44, 56}),
         gives("x[3,1] => y[1,2]" + product, {{1, 3, 5}}, {35, 44})});
}

TEST_CASE("products of vectors have the dimensions that operators use") {
  // One dimension too many would make Concat and Slice do nothing.
  check(
      {gives(
           "x[2] => y[3]; c[2] = 3 5; s = MatMul(c,x); t = Unsqueeze(s,zero); y = Concat(t,x) axis=0",
           {{10, 100}}, {530, 10, 100}),
       gives("x[2,1] => y[2]; c[2] = 3 5; d[1] = 7; s = MatMul(c,x); y = Concat(s,d) axis=0",
             {{10, 100}}, {530, 7}),
       gives("x[2] => y[2]; c[2,3] = 1 2 3 4 5 6; to:INT64[1] = 3; h = MatMul(x,c); "
             "y = Slice(h,one,to,zero)",
             {{1, 10}}, {52, 63}),
       gives("x[2] => y[2]; c[1,2,3] = 1 2 3 4 5 6; to:INT64[1] = 3; h = MatMul(x,c); "
             "y = Slice(h,one,to,one)",
             {{1, 10}}, {52, 63}),
       // A vector of weights is not transposed.
       refused("x[N,1] => y[N,2]; c[2] = 3 5; y = Gemm(x,c) transB=1", "'c'", "are 2"),
       refused("x[N,1] => y[N,2]; c[2] = 3 5; y = com.microsoft.FusedMatMul(x,c) transB=1", "'c'",
               "are 2")});
}

TEST_CASE("a Gemm of two constants is computed, and a computed value is added to it") {
  const auto sum = [](const std::string& attributes, const std::string& op = "Gemm") {
    return "c[3,1] = 1 2 3; d[2,3] = 1 2 3 4 5 6; y = " + op + "(c,d,x) transA=1 transB=1 " +
           attributes;
  };
  // c^T d^T = (14, 32)
  check({gives(sum("alpha=1.0 beta=1.0"), {{10, 100}}, {24, 132}),
         gives(sum("alpha=0.5 beta=-2.0"), {{10, 100}}, {-13, -184}),
         gives(sum("beta=-1.0 activation='Relu'", "com.microsoft.FusedGemm"), {{10, 100}}, {4, 0}),
         // Rows for which the samples cannot be the addend.
         refused("c[1,3] = 1 2 3; d[2,3] = 1 2 3 4 5 6; y = Gemm(c,d,x) transA=1 transB=1",
                 "node 1 of 1 (Gemm", "3 x 1 and 3 x 2"),
         // 2 w w^T + (5, 10) = {15, 32}, {27, 60}
         gives("c[2] = 10 20; d = Gemm(w,w,c) alpha=2.0 beta=0.5 transB=1; y = MatMul(x,d)",
               {{1, 100}}, {2715, 6032}, 1)});
}

TEST_CASE("an Einsum of a batch and weights is a product") {
  const auto einsum = [](const std::string& equation) {
    return "y = Einsum(x,w) equation='" + equation + "'";
  };
  check({gives(einsum("bi,oi->bo"), {{10, 100}}, {210, 430}),
         gives(einsum("n k, k m -> n m"), {{10, 100}}, {310, 420}),
         // Without an arrow, the letters that occur once, in alphabetical order.
         gives(einsum("ij,jk"), {{10, 100}}, {310, 420}),
         gives(einsum("b i, o i"), {{10, 100}}, {210, 430}),
         gives(einsum("BI,IO"), {{10, 100}}, {310, 420}),
         refused(einsum("ni,bi"), "(Einsum", "'ni,bi->bn'")});
  // numpy and onnxruntime sort "bO" differently.
  for (const char* const other :
       {"bi,oi->ob", "bi,bo->bo", "ii,oi->io", "bi,ib->bb", "bi->b", "bi,oi->", "bi,bi", "ii,oi",
        "bi,oo", "bi,Oi", "bi,oi,", "bi", "...i,oi->...o", "", "bi,oo->bo"}) {
    check({refused(einsum(other), "(Einsum", "equation")});
  }
}

// Two convolutions, as MATLAB writes two fully connected layers. The first with these attributes.
std::string convolutions(const std::string& attributes, const char* kernel = "[2,2,1,2]",
                         const char* x = "x[N,2,1,2]") {
  return std::string(x) + " => y[N,3]; k1" + kernel + " = 1 2 3 4 5 6 7 8; b1[2] = 10 20; " +
         "k2[3,2,1,1] = 1 2 3 4 5 6; h = Conv:full(x,k1,b1) " + attributes +
         "; c = Conv:point(h,k2); y = Flatten(c) axis=1";
}

TEST_CASE("a convolution whose kernel covers its whole input is an affine layer") {
  // h = (1 + 20 + 300 + 4000 + 10, 5 + 60 + 700 + 8000 + 20)
  check({gives(convolutions("pads=[0,0,0,0] dilations=[1,1] strides=[4,4]"), {{1, 10, 100, 1000}},
               {4331.0 + 2 * 8785, 3 * 4331.0 + 4 * 8785, 5 * 4331.0 + 6 * 8785}, 2),
         gives("x[N,3,1] => y[N,1,1]; k[1,3,1] = 1 2 3; y = Conv(x,k)", {{1, 10, 100}}, {321})});
  for (const std::string& moved :
       {convolutions("pads=[0,1,0,1]"), convolutions("dilations=[1,2]"), convolutions("group=2"),
        convolutions("auto_pad='SAME_UPPER'"), convolutions("", "[4,2,1,1]"),
        convolutions("", "[2,4]"), convolutions("", "[2,2,1,2]", "x[N,2,1,N]")}) {
    check({refused(moved, "(Conv 'full')", "is a convolution")});
  }
}

TEST_CASE("weights that are also inputs of the graph do not hide that an input is a column") {
  const std::string nodes = "; w[2,2] = 1 2 3 4; y = MatMul(w,x); r = Relu(x)";
  for (const char* const ports : {"x[2,1] => y[2,1], r[2,1]", "x[2,1], w[2,2] => y[2,1], r[2,1]"}) {
    check({gives(ports + nodes, {{10, -1}}, {8, 26})});
    CHECK(graph(ports + nodes).read().outputs.size() == 2);
  }
}

TEST_CASE("a stack of matrices is multiplied by all samples, member by member") {
  // Two members, first with the same input; their mean.
  const std::string members =
      "; w[2,2,2] = 1 2 3 4 5 6 7 8; b[2,1,2] = 0 10 0 -10; v[2,2,1] = 1 2 3 4; h = MatMul(x,w); "
      "a = Add(h,b); r = Relu(a); m = MatMul(r,v); y = ReduceMean(m) axes=[0] keepdims=0";
  // Members: (1, 10) W0 = (31, 42) + (0, 10), times (1, 2): 135; (75, 86) - (0, 10): 529.
  check({gives("x[N,2] => y[N,1]" + members, {{1, 10, -1, 0}}, {(135.0 + 529.0) / 2, 16.0 / 2}),
         refused("x[N,3] => y[N,1]" + members, "node 1 of 5 (MatMul", "2 x 2 x 2"),
         // More matrices than there can be.
         refused("x[N,4] => y[N,1]; e[4611686018427387904,4,1] = 1; y = MatMul(x,e)", "(MatMul",
                 "4611686018427387904 x 4 x 1")});
}

TEST_CASE("rows of a table are looked up by computed indices") {
  const auto rows = [](const std::string& x, const std::string& index,
                       const char* table = "1 2 3 4 5 6") {
    return x + " => y[N,2]; low:INT64[1] = 0; high:INT64[1] = 2; table[3,2] = " + table + "; " +
           index + "; rows = Gather(table,i); y = Flatten(rows) axis=1";
  };
  for (const std::string type : {"INT64", "INT32", "FLOAT"}) {
    const std::string x = type == "FLOAT" ? "x" : "x:" + type;
    const std::string same = type == "FLOAT" ? "i = Cast(x) to=7" : "i = Identity(x)";
    const std::string clipped =
        type == "FLOAT" ? "c = Cast(x) to=7; i = Clip(c,low,high)" : "i = Clip(x,low,high)";
    check({gives(rows(x + "[N]", same), {{1}}, {3, 4}),
           gives(rows(x + "[N,1]", same), {{0}}, {1, 2}),
           gives(rows(x + "[N,2]", same), {{2, -1}}, {5, 6, 5, 6}),
           gives(rows(x + "[N,2]", clipped), {{7, -4}}, {5, 6, 1, 2})});
  }
  // Casts to integers cut the fraction.
  check({gives(rows("x[N,2]", "i = Cast(x) to=7"), {{1.9, -0.9}}, {3, 4, 1, 2}),
         refused("x:INT64[N] => y[N,2]; table[3,2] = 1 2 3 4 5 6; y = Gather(table,x) axis=1",
                 "(Gather", "another axis"),
         refused(rows("x[N]", "i = Cast(x) to=7", "1 2 3 4 inf 6"), "(Gather", "'table'"),
         refused(rows("x[N]", "i = Cast(x) to=7", "1 2 3 4 nan 6"), "(Gather", "finite")});
}

TEST_CASE("ArgMax and ArgMin give the index of the first or last largest element") {
  for (const std::string keeps : {" keepdims=0", " keepdims=1"}) {
    const auto index = [&](const std::string& op, const std::vector<double>& x, double y,
                           const std::string& is_last) {
      return gives(
          "x[N,4] => y:INT64[N]; y = " + op + "(x) axis=-1 select_last_index=" + is_last + keeps,
          {x}, {y});
    };
    check({index("ArgMax", {1, 3, 3, -2}, 1, "0"), index("ArgMax", {1, 3, 3, -2}, 2, "1"),
           index("ArgMin", {1, 0, 3, 0}, 1, "0"), index("ArgMin", {1, 0, 3, 0}, 3, "1"),
           index("ArgMax", {5, 3, 3, -2}, 0, "0")});
  }
}

TEST_CASE("linear models of scikit-learn are affine layers") {
  const auto linear = [](const std::string& weights, const std::string& intercepts,
                         const std::string& function = "NONE", const std::string& node = "y = ") {
    return node + "ai.onnx.ml.LinearRegressor:linear(" + (node == "y = " ? "x" : "c") +
           ") coefficients=" + weights + " intercepts=" + intercepts + " post_transform='" +
           function + "'";
  };
  check(
      {gives(linear("[1.,2.,3.,4.]", "[10.,20.]") + " targets=2", {{1, 100}}, {211, 423}, 1),
       gives(linear("[1.,2.]", "[10.]"), {{1, 100}}, {211}),
       gives(linear("[1.,2.]", "[]"), {{1, 100}}, {201}),
       refused(linear("[1.,2.]", "[10.]", "PROBIT"), "'linear'", "'PROBIT'"),
       refused(linear("[]", "[10.]"), "'linear'", "coefficients"),
       refused(linear("[1.,2.]", "[0.,1.,2.]"), "'linear'", "intercepts"),
       refused(linear("[1.,2.]", "[0.,1.]"), "'linear'", "intercepts"),
       refused("c[1,2] = 1 2; " + linear("[1.,2.]", "[10.]", "SOFTMAX", "s = ") + "; y = Add(x,s)",
               "'linear'", "softmax")});
}

TEST_CASE("a linear classifier gives its scores, and labels if they are chosen") {
  const auto classifier = [](const std::string& ports, const std::string& weights,
                             const std::string& more = "") {
    return ports + "; label, y = ai.onnx.ml.LinearClassifier:linear(x) post_transform='LOGISTIC' " +
           "coefficients=" + weights + more;
  };
  const std::string three = "[1.,0.,0.,1.,-1.,-1.] intercepts=[0.,0.,5.]";
  const std::string labels = "x[N,2] => label:INT64[N]";
  const std::string names = " classlabels_ints=[4,-2,9]";
  check({gives(classifier("x[N,2] => y[N,2]", three), {{0, 0}},
               {0.5, 0.5, 1 / (1 + std::exp(-5.0))}, 2),
         gives(classifier(labels, three), {{7, 1}}, {0}),
         gives(classifier(labels, three, names), {{7, 1, 1, 8, 0, 0}}, {4, -2, 9}),
         // The probabilities of the first two classes are both rounded to 1.
         gives(classifier(labels, "[40.,0.,50.,0.,-1.,0.] intercepts=[0.,0.,0.]"), {{1, 0}}, {1}),
         refused(classifier("x[N,2] => y[N,2]", "[1.,2.] intercepts=[0.]"), "'linear'",
                 "coefficients"),
         refused(classifier("x[N,3,2] => y[N,2]", three), "'linear'", "batch x 3 x 2")});
}

}  // namespace
}  // namespace tilewright

// Nodes that scale and shift columns become part of an affine layer, and nodes that together
// compute an activation become that activation. (Files of PyTorch's exporters:
// pytorch_networks_test.cpp.)
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

TEST_CASE("a small file may select single columns of a wide input often") {
  std::string text = "x[N,10000] => y[N,40]; ", selected;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i);
    text += "c" + name + ":INT64[1] = " + std::to_string(250 * i) + "; x" + name + " = Gather(x,c" +
            name + ") axis=1; ";
    selected += (i == 0 ? "x" : ",x") + name;
  }
  const NetworkModel model = graph(text + "y = Concat(" + selected + ") axis=1").read();
  const auto& last = std::get<OperationLayer>(model.layers.at(39));
  CHECK(last.columns == std::vector<std::int64_t>{9750});
}

TEST_CASE("negative indices count from the end, and samples are not selected") {
  const std::string x = "x[N,3] => y[N,2]; ";
  const std::string bounds = x + "from:INT64[1] = -1; to:INT64[1] = -3; ";
  check({gives(bounds + "step:INT64[1] = -1; y = Slice(x,from,to,one,step)", {{1, 2, 3}}, {3, 2}),
         gives(bounds + "y = Slice(x,to,from,one)", {{1, 2, 3}}, {1, 2}),
         refused(x + "to:INT64[1] = 9223372036854775807; y = Slice(x,one,to,zero)", "(Slice",
                 "samples"),
         gives(x + "i:INT64[2] = -3 -1; y = Gather(x,i) axis=1", {{1, 2, 3}}, {1, 3}),
         refused(x + "i:INT64[2] = -4 -1; y = Gather(x,i) axis=1", "(Gather", "-4")});
}

TEST_CASE("scaling and shifting after an affine layer is merged into it") {
  const auto after = [](const std::string& nodes, const std::vector<double>& y) {
    return gives("g = Gemm(x,w,b); " + nodes, {{1, 10}}, y, 1);  // g = (36, 48)
  };
  check({after("y = Mul(g,v)", {360, 4800}), after("y = Mul(half,g)", {18, 24}),
         after("y = Sub(g,u)", {35, 49}), after("y = Sub(u,g)", {-35, -49}),
         after("d = Div(g,two); y = Add(v,d)", {28, 124})});
}

TEST_CASE(
    "scaling before an affine layer, and after an activation, is merged into the next layer") {
  check({gives("d = Sub(x,u); std[2] = 2 4; n = Div(d,std); y = Gemm(n,w,b)", {{1, 10}},
               {13.25, 17}, 1),
         gives("m = MatMul(x,w); r = Relu(m); t = Mul(r,two); a = Add(t,u); y = MatMul(a,w)",
               {{-6, 1, 1, 10}}, {-2, -2, 312, 458}, 3)});
}

TEST_CASE("scaling that no layer can absorb stays an operation") {
  const std::string scaled = "g = Gemm(x,w,b); t = Tanh(g); m = Mul(t,v); ";
  const double tanh = std::tanh(2.0);  // g = (2, -2)
  check({gives(scaled + "y = Add(m,u)", {{-6, 1}}, {10 * tanh + 1, -100 * tanh - 1}, 4),
         // Two operations that cancel leave no layer.
         gives(scaled + "y = Div(m,v)", {{-6, 1}}, {tanh, -tanh}, 2),
         gives("m = Mul(x,v); y = Relu(m)", {{1, -10}}, {10, 0}, 2)});
}

TEST_CASE("shifts that would cancel in the next layer are not folded into it") {
  const auto standardised = [](const char* mean, const char* deviation) {
    return std::string("mean[2] = ") + mean + " 0; deviation[1] = " + deviation +
           "; c = Sub(x,mean); n = Div(c,deviation); y = Gemm(n,w,b)";
  };
  check({gives(standardised("32", "2"), {{1, 10}}, {4.5, -5}, 1),
         gives(standardised("101325", "30"), {{1, 10}}, {-3371.4666667, -6747.6}, 3)});
}

TEST_CASE("operations that are almost an activation stay what they are") {
  // Networks of the product and these layers. First TensorFlow's l2_normalize, and guards of
  // logarithms and divisions.
  const std::string h = "h = MatMul(x,w); ";
  for (const char* guard : {"1e-12", "1e-7"}) {
    const std::string c = h + "c[] = " + guard + "; ";
    check({accepted(c + "y = Max(h,c)", 2), accepted(c + "f = Sigmoid(h); y = Add(f,c)", 3),
           accepted(c + "f = Relu(h); y = Add(f,c)", 3),
           accepted(c + "f = Abs(h); y = Add(f,c)", 3)});
  }
  // A ceiling above the grid, a threshold between its points, a small scale, steps.
  check({accepted(h + "c[] = 255; r = Relu(h); y = Min(r,c)", 3),
         accepted(h + "y = ThresholdedRelu(h) alpha=0.1", 3),
         accepted(h + "c[] = 1e-9; t = Tanh(h); m = Mul(t,c); y = Tanh(m)", 4),
         accepted(h + "c[] = 8; t = Tanh(h); m = Mul(t,c); r = Round(m); y = Div(r,c)", 5),
         // Relu itself, as Max with 0.
         gives(h + "c[] = 0; y = Max(h,c)", {{4, -2.5}}, {0, 0}, 2)});
}

// Columns are standardised, (x - mean) / deviation, and multiplied by `weights`.
GraphRow standardised(const std::string& mean, const std::string& deviation,
                      const std::string& weights, std::size_t layers) {
  const std::string columns = std::to_string(floats(weights, ' ').size());
  return accepted("x[N," + columns + "] => y[N,1]; mean[] = " + mean +
                      "; deviation[] = " + deviation + "; w[" + columns + ",1] = " + weights +
                      "; c = Sub(x,mean); n = Div(c,deviation); y = MatMul(n,w)",
                  layers);
}

TEST_CASE("whether a shift or a scale is folded depends on the weights") {
  std::string signs;
  for (int i = 0; i < 128; ++i) signs += " 1 -1";
  check({standardised("50", "1", "1", 1), standardised("100", "1", "1", 3),
         // The sum of all shifts decides: weights of both signs cancel each other.
         standardised("0.4", "1", "1*256", 1), standardised("4", "1", "1*256", 3),
         standardised("16", "1", signs, 1),
         // Weights would leave the range of half precision.
         standardised("0", "255", "0.1 -0.2", 1), standardised("0", "1e5", "0.1 -0.2", 3),
         standardised("0", "1e-6", "0.1 -0.2", 3)});
}

TEST_CASE("constants that do not match the rows, or are not finite, are refused") {
  const auto with = [](const std::string& constant, const char* operation = "Mul") {
    return "c" + constant + "; g = Gemm(x,w,b); y = " + operation + "(g,c)";
  };
  const std::string place = "node 2 of 2 (Mul";
  check({gives(with("[1,2] = 1 2"), {{1, 10}}, {36, 96}),
         gives(with("[1,1,1] = 2"), {{1, 10}}, {72, 96}),
         gives(with("[1,1,2] = 1 2"), {{1, 10}}, {36, 96}),
         refused(with("[3] = 1 2 3"), place, "'c', which is 3"),
         refused(with("[2,1] = 1 2"), place, "2 x 1"),
         refused(with("[0] ="), place, "without elements"),
         refused(with("[2] = 1 0", "Div"), "(Div", "finite"),
         refused(with("[1] = inf", "Add"), "(Add", "finite"),
         gives("g = Gemm(x,w,b); y = Div(two,g)", {{-6, 1}}, {1, -1}, 2),
         // A small file that repeats one constant along a dimension whose size is only a claim.
         refused("x[N,2,1099511627776] => y[N,2]; c[2,1] = 1 2; y = Mul(x,c)", "(Mul",
                 "1099511627776")});
}

TEST_CASE("a batch normalisation is folded in inference form, and refused in training mode") {
  // (x - u) / sqrt(variance + 1) v + b: times 5 and 25
  const std::string text =
      "variance[2] = 3 15; m = MatMul(x,w); y = BatchNormalization(m,v,b,u,variance) epsilon=1.0 "
      "training_mode=";
  check({gives(text + "0", {{1, 10}}, {155, 1081}, 1),
         refused(text + "1", "(BatchNormalization", "training")});
}

TEST_CASE("only dimensions of one element are added and removed") {
  const auto with = [](const char* operation, const char* axis, const char* x = "x[N,1,2]") {
    return std::string(x) + " => y[N,2]; axis:INT64[1] = " + axis + "; s = " + operation +
           "(x,axis); y = MatMul(s,w)";
  };
  check({gives("c[1,2,2] = 1 2 3 4; s = Squeeze(c); y = MatMul(x,s)", {{1, 10}}, {31, 42}),
         gives("shape:INT64[2] = 0 -1; r = Reshape(w,shape); y = MatMul(x,r)", {{1, 10}}, {31, 42}),
         refused("f = Flatten(w) axis=3; y = MatMul(x,f)", "(Flatten", "axis 3"),
         gives(with("Squeeze", "1"), {{1, 10}}, {31, 42}),
         gives(with("Squeeze", "-2"), {{1, 10}}, {31, 42}),
         refused(with("Squeeze", "2"), "(Squeeze", "axis 2, which may have more than 1"),
         refused(with("Squeeze", "0"), "(Squeeze", "axis 0"),
         refused(with("Squeeze", "3"), "(Squeeze", "axis 3"),
         gives(with("Unsqueeze", "1"), {{1, 10}}, {31, 42}),
         refused(with("Unsqueeze", "0", "x[N]"), "(MatMul", "last dimension is the batch")});
}

}  // namespace
}  // namespace tilewright

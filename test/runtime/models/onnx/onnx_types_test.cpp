// Types of elements: integers, casts, and quantised weights.
#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

TEST_CASE("constants of integers are cast, divided and averaged as their types say") {
  check(
      {gives(
           "c:INT32[2,2] = 100 50 25 75; d[] = 100; f = Cast(c) to=1; s = Div(f,d); y = MatMul(x,s)",
           {{1, 10}}, {3.5, 8}, 1),
       gives("c:INT32[2,2] = 1 2 3 4; f = Cast(c) to=1; y = MatMul(x,f)", {{1, 10}}, {31, 42}, 1),
       // The mean of integers is an integer.
       gives("c:INT64[2] = 1 2; m = ReduceMean(c); f = Cast(m) to=1; h = MatMul(x,w); y = Mul(h,f)",
             {{1, 10}}, {31, 42}, 1),
       gives("c:INT64[1] = 2; f = CastLike(c,x); h = MatMul(x,w); y = Mul(h,f)", {{1, 10}},
             {62, 84}, 1)});
}

TEST_CASE("weights that are quantised and back are computed when the file is read") {
  // With x = (1, 0), (0, 1) the output is the weights.
  const auto weights = [](const std::string& scale, const std::string& zero,
                          const std::vector<double>& y) {
    return gives("c[2,2] = 1.25 -1.75 100 -100; scale" + scale + "; zero:" + zero +
                     "; q = QuantizeLinear(c,scale,zero); d = DequantizeLinear(q,scale,zero); "
                     "y = MatMul(x,d)",
                 {{1, 0, 0, 1}}, y, 1);
  };
  // Halves are rounded to even numbers, and large numbers to the limits of the type.
  check(
      {weights("[] = 0.5", "INT8[] = 0", {1, -2, 63.5, -64}),
       weights("[] = 0.5", "UINT8[] = 10", {1, -2, 100, -5}),
       weights("[2] = 0.5 1", "INT8[2] = 0 1", {1, -2, 63.5, -100}),
       refused("q = QuantizeLinear(x,half); y = DequantizeLinear(q,half)",
               "node 1 of 2 (QuantizeLinear", "computed value"),
       refused(
           "scale[1,2] = 1 10; d = DequantizeLinear(w,scale) axis=0 block_size=2; y = MatMul(x,d)",
           "(DequantizeLinear", "block_size")});
}

TEST_CASE("inputs of integers are computed as floats only where that is the same") {
  const auto computed = [](const std::string& type, const std::string& nodes) {
    return "x:" + type + "[N,2] => y[N,2]; " + nodes + "; y = MatMul(d,w)";
  };
  const auto twice = [&](const std::string& type, const std::string& op) {
    return computed(type, "a = " + op + "(x,x); d = Cast(a) to=1");
  };
  check({gives(computed("INT64", "f = Cast(x) to=1; d = Div(f,two)"), {{1, 10}}, {15.5, 21}),
         refused(computed("INT64", "c:INT64[1] = 2; a = Add(x,c); q = Div(a,c); d = Cast(q) to=1"),
                 "(Div, output 'q')", "integers"),
         // Results that may wrap around.
         refused(twice("UINT8", "Sub"), "(Sub, output 'a')", "small"),
         refused(twice("INT8", "Mul"), "(Mul, output 'a')", "FLOAT"),
         gives(twice("UINT8", "Max"), {{1, 10}}, {31, 42}),
         gives(twice("INT64", "Sub"), {{1, 10}}, {0, 0})});
}

TEST_CASE("CastLike casts as Cast does to the type of its second input") {
  const auto cast = [](const std::string& like) {
    return "like" + like + "; c = CastLike(x,like); y = MatMul(c,w)";
  };
  check({gives(cast("[1] = 1"), {{1, 10}}, {31, 42}, 1),
         refused(cast(":INT8[1] = 1"), "(CastLike", "FLOAT to INT8"),
         gives(cast(":BOOL[1] = 1"), {{-0.5, 0}}, {1, 2}),
         gives("c = CastLike(x,two); y = Sqrt(c)", {{4, 9}}, {2, 3}),
         gives("x:INT64[N,2] => y[N,2]; c = CastLike(x,two); y = Sqrt(c)", {{4, 9}}, {2, 3})});
}

TEST_CASE("CastLike casts to the type of a computed value") {
  // y is x, and z is x + 2.5, after 2.5 was cast.
  const auto cast = [](const std::string& like) {
    return graph(
               "x[N,2], i:INT16[N,2] => y[N,2], z[N,2]; c[] = 2.5; bool = Greater(x,c); "
               "not = Not(bool); where = Where(bool,i,i); floats = Cast(i) to=1; a = CastLike(x," +
               like + "); t = CastLike(c," + like +
               "); y = Cast(a) to=1; g = Cast(t) to=1; z = Add(x,g)")
        .read();
  };
  const auto output = [](const NetworkModel& model, const char* name) {
    return host_forward_all(choose_network_outputs(model, {name}), {{-0.5, 3.0}}, 1).front();
  };
  for (const char* const like : {"bool", "not"}) {
    CAPTURE(like);
    CHECK(output(cast(like), "y") == std::vector<double>{1, 1});
    CHECK(output(cast(like), "z") == std::vector<double>{0.5, 4.0});
  }
  for (const char* const like : {"i", "where"}) {
    CAPTURE(like);
    const NetworkModel model = cast(like);
    REQUIRE(model.skipped_outputs.size() == 1);
    CHECK_THAT(model.skipped_outputs[0].reason, Catch::Matchers::ContainsSubstring("INT16"));
    CHECK(output(model, "z") == std::vector<double>{1.5, 5.0});
  }
  CHECK(output(cast("floats"), "y") == std::vector<double>{-0.5, 3.0});
}

TEST_CASE("casts of integers and Booleans to larger integers change nothing") {
  const auto cast = [](const std::string& from, const std::string& to) {
    return "x:" + from + "[N,2] => y[N,2]; c = Cast(x) to=" + to + "; y = Cast(c) to=1";
  };
  check({gives(cast("INT32", "7"), {{1, 10}}, {1, 10}), gives(cast("BOOL", "7"), {{1, 0}}, {1, 0}),
         gives(cast("UINT8", "5"), {{1, 10}}, {1, 10}),
         refused(cast("INT64", "6"), "(Cast, output 'c')", "INT64 to INT32"),
         refused(cast("INT32", "13"), "(Cast, output 'c')", "INT32 to UINT64"),
         refused(cast("UINT8", "3"), "(Cast, output 'c')", "UINT8 to INT8")});
}

}  // namespace
}  // namespace tilewright

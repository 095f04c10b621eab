// Tests that activation kernels compute f(X + b), write zeros to the padding of Y, and write
// nothing else.
#include "catch.hpp"
#include "layer_case.hpp"
#include "text/epilogue_case.hpp"

namespace tilewright {
namespace {

std::vector<float> run(const TestDevice& d, const cl::Kernel& kernel, const KernelRecord& record,
                       const Epilogued& e, LayerCase& test) {
  const std::array range{test.padded_m, test.padded_n};
  const cl::Buffer bias = upload(d, e.biases);
  const auto offset = static_cast<cl_ulong>(e.offset_bias);
  return with_activation_arguments(e, [&](const auto&... more) {
    return e.bias == Dimension::kNone ? test.run(d, kernel, record, range, more...)
                                      : test.run(d, kernel, record, range, bias, offset, more...);
  });
}

struct Shape {
  std::int64_t m;
  std::int64_t n;
  bool dense;  // neither padding nor gaps
};

void check_activation(const TestDevice& d, const cl::Kernel& kernel, const KernelRecord& record,
                      const Shape& shape, std::mt19937& random) {
  const auto& [m, n, dense] = shape;
  Epilogued e(record.bias, record.activation, m, n, random);
  e.alpha = 1.0f;
  e.beta = 0.0f;
  LayerCase test(m, n, dense, random() % 2 == 0, random);
  std::uniform_real_distribution<float> value(-4.0f, 4.0f);
  test.fill([&](std::int64_t, std::int64_t) { return value(random); });
  const std::vector<float> got = run(d, kernel, record, e, test);
  INFO(record.point << ", " << m << " x " << n << " padded to " << test.padded_m << " x "
                    << test.padded_n << (dense ? ", dense" : "")
                    << (test.in_place ? ", in place" : ""));
  CHECK(test.wrong(got, [&](std::int64_t i, std::int64_t j, float y) {
    const double x = test.x.at(i, j);
    const Epilogued::Result want = e.result(x, std::abs(x), 1, 0.0f, i, j);
    return std::abs(y - want.value) <= want.bound;
  }) == "");
}

void check_activation(const TestDevice& d, const ActivationPoint& point,
                      const std::vector<Shape>& shapes, std::mt19937& random) {
  const KernelRecord record = emit(point);
  const cl::Kernel kernel = build(d, record.source, record.entry);
  for (const Shape& shape : shapes) check_activation(d, kernel, record, shape, random);
}

TEST_CASE("activation kernels of random points", "[full]") {
  const TestDevice d;
  std::mt19937 random(17);
  for (int i = 0; i < points_to_try(30); ++i) {
    const auto point = random_point<ActivationPoint>(random, Codelet::kActivation, test_limits(d),
                                                     [](ActivationPoint&) {});
    std::vector<Shape> shapes;
    for (int shape = 0; shape < 3; ++shape) {
      shapes.push_back({awkward_extent(random), awkward_extent(random), shape == 2});
    }
    check_activation(d, point, shapes, random);
  }
}

TEST_CASE("every activation with every bias in every variant") {
  const TestDevice d;
  std::mt19937 random(18);
  // All pairs of variant, activation and bias are tested; all triples would take minutes to
  // compile.
  int turn = 0;
  for (const char* text :
       {"activation tile_n=4 vector_width=4 work_group_n=8",  // row-major
        "activation work_group_m=8 id_order=mn",
        "activation tile_m=4 tile_n=8 vector_width=8 work_group_m=4 work_group_n=16",  // grouped
        "activation tile_n=8 vector_width=2 work_group_n=4 id_order=flat"}) {          // unbound
    auto point = std::get<ActivationPoint>(parse_point(text));
    for (const Activation activation : kElementwiseActivations) {
      constexpr Dimension kBiases[] = {Dimension::kNone, Dimension::kM, Dimension::kN};
      point.bias = kBiases[turn++ % std::size(kBiases)];
      point.activation = activation;
      // The second case has only whole tiles and vectors, which tests the path without edges.
      check_activation(d, point, {{17, 37, false}, {16, 32, true}}, random);
    }
  }
}

TEST_CASE("flat kernels process memory without gaps and padding") {
  const TestDevice d;
  std::mt19937 random(19);
  auto point = std::get<ActivationPoint>(
      parse_point("activation tile_n=8 vector_width=4 work_group_n=16 id_order=flat"));
  point.activation = Activation::kSigmoid;
  check_activation(
      d, point, {{32, 48, true}, {4, 4, true}, {5, 4, true}, {1, 1, true}, {8, 33, true}}, random);
}

}  // namespace
}  // namespace tilewright

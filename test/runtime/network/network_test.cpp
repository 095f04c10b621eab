// Compares networks on a device with a forward pass on the host in double precision, for every way
// to compute a layer.
#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {
namespace {

LibraryHandle library_with(const TestDevice& d, const std::vector<std::string>& points) {
  return Library::open(d.context, d.device,
                       ProfileSource::text(make_profile_from_points(d, points)));
}

// Checks a random network of each depth with the library; preset_networks_test.cpp checks more of
// them.
void check_networks(const TestDevice& d, const LibraryHandle& library) {
  for (int i = 0; i < 6; ++i) {
    const unsigned seed = 1 + 100 * static_cast<unsigned>(i);
    const NetworkModel model = random_network(1 + i % 6, 300, seed);
    const Network net(library, model);
    for (const std::size_t batch : {1u, 7u, 100u}) {
      INFO("seed " << seed << ", depth " << 1 + i % 6 << ", batch " << batch);
      CHECK(wrong_forward(d, net, model, NetworkCase(net, batch, seed % 5, seed % 3, seed)) == "");
    }
  }
}

// The steps of affine layers with each activation, without a bias in the second and third layer:
// 13 x 21, then 21 x 21 ..., batch 9.
std::vector<StepDescription> network_steps(const TestDevice& d, const LibraryHandle& library) {
  NetworkModel model;
  std::int64_t width = 13;
  for (const Activation activation :
       {Activation::kIdentity, Activation::kIdentity, Activation::kRelu, Activation::kLeakyRelu,
        Activation::kSigmoid, Activation::kTanh}) {
    const std::size_t layers = model.layers.size();
    model.layers.push_back(affine(width, 21, layers != 2 && layers != 4, 7));
    model.layers.push_back(make_layer(activation));
    width = 21;
  }
  const Network net(library, model);
  CHECK(wrong_forward(d, net, model, NetworkCase(net, 9, 0, 0, 3)) == "");
  return net.describe(9);
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("networks with the built-in profile: a separate kernel for bias and activation") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const auto steps = network_steps(d, library);
  REQUIRE(steps.size() == 6);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    INFO(i << " " << steps[i].name);
    // The second layer has neither bias nor activation.
    REQUIRE(steps[i].kernels.size() == (i == 1 ? 1 : 2));
    if (i != 1) CHECK(contains(steps[i].kernels[1], "activation"));
    CHECK_FALSE(steps[i].predicted_ns);
    CHECK(steps[i].flops == 2.0 * 9 * 21 * (i == 0 ? 13 : 21));
  }
  check_networks(d, library);
}

TEST_CASE("networks with kernels that apply bias and activation while they store a product") {
  const TestDevice d;
  for (const auto& points : {fused_points(), fused_panel_points()}) {
    const LibraryHandle library = library_with(d, points);
    const bool packs = points[0].find("layout_a") != std::string::npos;
    const auto steps = network_steps(d, library);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      INFO(i << " " << steps[i].name);
      // A is packed if the kernel needs that; B was packed before.
      REQUIRE(steps[i].kernels.size() == (packs ? 2 : 1));
      // The first point is the plain product, the others add a bias and one activation each.
      const std::size_t fused = i == 1 ? 0 : i == 0 ? 1 : i;
      CHECK(steps[i].kernels.back() == kernel_name(parse_point(points[fused])));
      CHECK(steps[i].predicted_ns);
    }
    check_networks(d, library);
  }
}

TEST_CASE("networks in which the reduction of a split k applies bias and activation") {
  const TestDevice d;
  const LibraryHandle library = library_with(d, split_points());
  const auto steps = network_steps(d, library);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    INFO(i << " " << steps[i].name);
    REQUIRE(steps[i].kernels.size() == 2);
    const std::size_t reduce = i == 1 ? split_points().size() - 1 : i == 0 ? 1 : i;
    CHECK(steps[i].kernels.back() == kernel_name(parse_point(split_points()[reduce])));
  }
  check_networks(d, library);
}

TEST_CASE("networks with kernels for Morton layouts") {
  const TestDevice d;
  const LibraryHandle library = library_with(d, morton_points());
  const auto steps = network_steps(d, library);
  // A is packed, the product computed, C unpacked, and then bias and activation applied.
  CHECK(steps[0].kernels.size() == 4);
  CHECK(steps[1].kernels.size() == 3);
  check_networks(d, library);
}

TEST_CASE("activations and softmaxes before, between and after") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  const auto relu = make_layer(Activation::kRelu);
  const auto tanh = make_layer(Activation::kTanh);
  const auto softmax = make_layer(Activation::kSoftmax);
  const auto none = make_layer(Activation::kIdentity);
  const AffineLayer one = affine(17, 33, true, 1);
  const AffineLayer two = affine(33, 5, false, 2);
  const std::vector<std::pair<NetworkModel, std::size_t>> nets = {
      {{{one}}, 1},
      {{{one, none, relu, none}}, 1},
      {{{one, relu, tanh}}, 2},
      {{{softmax, one}}, 2},
      {{{softmax, tanh, one}}, 3},
      {{{tanh, one, softmax, relu, two, softmax}}, 6},
      {{{tanh, relu, one, two, none, tanh, softmax, softmax}}, 6},
      {{{one, two}}, 2}};
  for (const auto& [model, steps] : nets) {
    const Network net(library, model);
    INFO(model.layers.size() << " layers");
    CHECK(net.describe(7).size() == steps);
    CHECK(wrong_forward(d, net, model, NetworkCase(net, 7, 3, 2, 5)) == "");
    CHECK(wrong_forward(d, net, model, NetworkCase(net, 1, 0, 0, 6)) == "");
  }
}

// A profile of these points and of products in panels, which are faster only for many rows.
std::string gemv_and_panels(const TestDevice& d, const std::vector<std::string>& gemv) {
  Profile profile = parse_profile(make_profile_from_points(d, gemv), "test");
  Profile panels = parse_profile(make_profile_from_points(d, older_points()), "test");
  // A result for this shape does not apply to products of one row (MeasuredTimes::reaches).
  ShapeResult at_8 = panels.results.front();
  at_8.m = at_8.n = at_8.k = 8;
  at_8.median_ns = at_8.low_ns = at_8.high_ns = 2.0;
  for (const KernelRecord& record : panels.kernels) {
    if (!record.built_in) profile.kernels.push_back(record);
  }
  profile.results.push_back(at_8);
  return write_profile(profile);
}

TEST_CASE("a batch of one uses a kernel for narrow products if that is faster") {
  const TestDevice d;
  const std::string gemv =
      "gemv layout_a=R layout_b=R tile_narrow=1 tile_wide=4 tile_k=4 vector_width=4 narrow=m";
  const LibraryHandle library = library_with(d, concatenated({{gemv}, with_epilogues(gemv)}));
  const NetworkModel model{{affine(40, 31, true, 1), make_layer(Activation::kRelu),
                            affine(31, 50, true, 2), make_layer(Activation::kSigmoid),
                            affine(50, 7, true, 3)}};
  const Network net(library, model);
  for (const StepDescription& step : net.describe(1)) {
    // One kernel computes the product, the bias and the activation.
    REQUIRE(step.kernels.size() == 1);
    CHECK(contains(step.kernels[0], "sgemv"));
  }
  CHECK_FALSE(contains(net.describe(2).at(0).kernels.at(0), "sgemv"));
  CHECK(wrong_forward(d, net, model, NetworkCase(net, 1, 0, 0, 6)) == "");
  // Also where products of many rows have another kernel.
  const LibraryHandle both = Library::open(
      d.context, d.device,
      ProfileSource::text(gemv_and_panels(d, concatenated({{gemv}, with_epilogues(gemv)}))));
  const Network mixed(both, model);
  CHECK(contains(mixed.describe(1).at(1).kernels.at(0), "sgemv"));
  const auto of_many_rows = mixed.describe(64);
  for (const std::string& kernel : of_many_rows.at(1).kernels) {
    CHECK_FALSE(contains(kernel, "sgemv"));
  }
  for (const std::size_t batch : {1u, 64u}) {
    CHECK(wrong_forward(d, mixed, model, NetworkCase(mixed, batch, 0, 0, 6)) == "");
  }
}

}  // namespace
}  // namespace tilewright

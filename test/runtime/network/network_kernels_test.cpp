// Networks with every kind of plan for their products, on a device. The memory is full of NaN
// before the forward pass.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {
namespace {

NetworkModel odd_widths() {
  return {{affine(13, 21, true, 1), make_layer(Activation::kSigmoid), affine(21, 37, true, 2),
           make_layer(Activation::kTanh), affine(37, 19, false, 3), make_layer(Activation::kRelu),
           affine(19, 11, true, 4), make_layer(Activation::kSoftmax)}};
}

std::vector<std::vector<std::string>> points_for_networks() {
  return {fused_points(),  fused_panel_points(), split_points(),
          morton_points(), older_points(),       padded_row_points()};
}

LibraryHandle make_library(const TestDevice& d, const std::vector<std::string>& points) {
  return Library::open(d.context, d.device,
                       ProfileSource::text(make_profile_from_points(d, points)));
}

// Checks random networks with the seeds from `first` to `last`; the first seed gives the network
// with odd widths.
void check_networks(unsigned first, unsigned last) {
  const TestDevice d;
  for (const auto& points : points_for_networks()) {
    const LibraryHandle library = make_library(d, points);
    for (unsigned seed = first; seed <= last; ++seed) {
      const NetworkModel model =
          seed == 1 ? odd_widths() : random_network(2 + static_cast<int>(seed % 5), 150, seed);
      const Network net(library, model);
      for (const std::size_t batch : {1u, 7u, 64u, 101u}) {
        INFO(points.front() << ", seed " << seed << ", batch " << batch);
        const NetworkCase test(net, batch, seed % 5, seed % 3, seed);
        CHECK(test.wrong(model, dirty_forward(d, net, test)) == "");
      }
    }
  }
}

TEST_CASE("networks with every kind of plan, with memory full of NaN") {
  check_networks(1, 3);
}

TEST_CASE("more networks with every kind of plan, with memory full of NaN", "[full]") {
  check_networks(4, 10);
}

TEST_CASE("a sample with NaN does not affect other samples") {
  const TestDevice d;
  const NetworkModel model = odd_widths();
  for (const auto& points : points_for_networks()) {
    INFO(points.front());
    const Network net(make_library(d, points), model);
    NetworkCase test(net, 6, 0, 0, 5);
    const std::vector<float> before = dirty_forward(d, net, test);
    test.input.data[1 * 13 + 4] = std::numeric_limits<float>::infinity();
    test.input.data[4 * 13] = std::nanf("");
    const std::vector<float> after = dirty_forward(d, net, test);
    for (const std::size_t row : {0u, 2u, 3u, 5u}) {
      CHECK(std::equal(before.begin() + static_cast<std::ptrdiff_t>(row * 11),
                       before.begin() + static_cast<std::ptrdiff_t>(row * 11 + 11),
                       after.begin() + static_cast<std::ptrdiff_t>(row * 11)));
    }
    CHECK(std::isfinite(before[0]));
  }
}

}  // namespace
}  // namespace tilewright

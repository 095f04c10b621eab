// The forward pass on the host.
#include "runtime/network/model/host_network.hpp"

#include <cmath>

#include "catch.hpp"
#include "network/plain_layers.hpp"

namespace tilewright {
namespace {

TEST_CASE("the host's forward pass of a small network has the expected values") {
  const NetworkModel model{{AffineLayer{"", 2, 3, {1, 2, 3, 4, 5, 6}, {0.5f, 0, -20}}, kLeakyLayer,
                            AffineLayer{"", 3, 2, {1, 0, 0, 1, 1, 1}, {}}, kSoftmaxLayer}};
  // (1, 1): 5.5, 7, -11 -> 5.5, 7, -5.5 -> 0, 1.5.
  const auto out = host_forward(model, {1, 1, 0, 0}, 2);
  REQUIRE(out.size() == 4);
  CHECK(out[0] == Approx(1 / (1 + std::exp(1.5))));
  CHECK(out[0] + out[1] == Approx(1));
  // (0, 0): 0.5, 0, -20 -> 0.5, 0, -10 -> -9.5, -10.
  CHECK(out[2] == Approx(1 / (1 + std::exp(-0.5))));
  CHECK(host_forward(model, {}, 0).empty());
}

}  // namespace
}  // namespace tilewright

// Compares many random networks and the four networks of the thesis on a device with a forward
// pass on the host in double precision: with bias and activation in separate kernels, in the
// product, and in a product that passes the batch on in its own layout.
//
// Environment variables (default): TILEWRIGHT_TEST_NETWORKS, the number of random networks (200);
// TILEWRIGHT_TEST_WIDTH, their greatest width (700); TILEWRIGHT_TEST_SEED, the first seed (1).
#include "runtime/models/network_files.hpp"

#include <cstdlib>

#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {
namespace {

int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

struct Way {
  std::string name;
  LibraryHandle library;
};

std::vector<Way> ways(const TestDevice& d) {
  const auto with = [&](const std::vector<std::string>& points) {
    return Library::open(d.context, d.device,
                         ProfileSource::text(make_profile_from_points(d, points)));
  };
  return {{"unfused", Library::open(d.context, d.device, ProfileSource::builtin())},
          {"fused", with(fused_panel_points())},
          {"of an older profile", with(older_points())}};
}

TEST_CASE("random networks, fused and unfused", "[full]") {
  const TestDevice d;
  const std::vector<Way> all = ways(d);
  const int nets = setting("TILEWRIGHT_TEST_NETWORKS", 200);
  const int width = setting("TILEWRIGHT_TEST_WIDTH", 700);
  const auto first = static_cast<unsigned>(setting("TILEWRIGHT_TEST_SEED", 1));
  for (int i = 0; i < nets; ++i) {
    const unsigned seed = first + 100 * static_cast<unsigned>(i);
    const NetworkModel model = random_network(1 + i % 6, width, seed);
    // All sizes from 1 to 130, in an order in which each depth gets small and large ones.
    const auto batch = static_cast<std::size_t>(1 + i * 37 % 130);
    std::vector<double> right;
    for (const Way& way : all) {
      INFO(way.name << ", seed " << seed << ", depth " << 1 + i % 6 << ", batch " << batch);
      const Network net(way.library, model);
      const NetworkCase test(net, batch, seed % 5, seed % 3, seed);
      if (right.empty()) right = test.expected(model);
      CHECK(test.wrong_against(right, max_relative_error(model), dirty_forward(d, net, test)) ==
            "");
    }
  }
}

TEST_CASE("the networks of the thesis with batch 100") {
  const TestDevice d;
  const std::vector<Way> all = ways(d);
  for (const std::string& name : preset_names()) {
    const NetworkModel model = preset_model(name, 1);
    std::vector<double> right;
    for (const Way& way : all) {
      INFO(name << ", " << way.name);
      const Network net(way.library, model);
      const NetworkCase test(net, 100, 0, 0, 1);
      if (right.empty()) right = test.expected(model);
      CHECK(test.wrong_against(right, max_relative_error(model), dirty_forward(d, net, test)) ==
            "");
    }
  }
}

}  // namespace
}  // namespace tilewright

// Batches that keep the layout of the kernels between layers, on a device. The memory is full of
// NaN before the forward pass.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {
namespace {

LibraryHandle make_library(const TestDevice& d, const std::vector<std::string>& points) {
  return Library::open(d.context, d.device,
                       ProfileSource::text(make_profile_from_points(d, points)));
}

NetworkModel odd_widths() {
  return {{affine(13, 21, true, 1), make_layer(NetworkActivation::kSigmoid),
           affine(21, 37, true, 2), make_layer(NetworkActivation::kTanh), affine(37, 19, false, 3),
           make_layer(NetworkActivation::kRelu), affine(19, 11, true, 4),
           make_layer(NetworkActivation::kSoftmax)}};
}

struct Step {
  std::string layout;
  std::size_t columns;
  std::size_t kernels;
  bool operator==(const Step&) const = default;
};

std::vector<Step> network_steps(const Network& net, std::size_t batch) {
  std::vector<Step> steps;
  for (const StepDescription& step : net.describe(batch)) {
    steps.push_back({step.layout, step.columns, step.kernels.size()});
  }
  return steps;
}

// The expected steps: the batch is packed before the first product and unpacked after the last
// one; the last layer changes the output in place.
std::vector<Step> in_layout(const char* layout, const std::vector<std::size_t>& columns,
                            std::size_t kernels) {
  return {{layout, columns[0], 1 + kernels},
          {layout, columns[1], kernels},
          {layout, columns[2], kernels},
          {"R", 11, 1 + kernels},
          {"R", 11, 1}};
}

TEST_CASE("between layers a batch has the layout that kernels write and read") {
  const TestDevice d;
  const NetworkModel model = odd_widths();
  const auto steps = [&](const std::vector<std::string>& points) {
    return network_steps(Network(make_library(d, points), model), 7);
  };
  CHECK(steps(chain_in_panels().fused()) == in_layout("R 4 1 C", {21, 37, 19}, 1));
  CHECK(steps(chain_in_panels().unfused()) == in_layout("R 4 1 C", {21, 37, 19}, 2));
  CHECK(steps(chain_in_morton().fused()) == in_layout("R 2 4 R", {24, 40, 20}, 1));
  CHECK(steps(chain_in_morton().unfused()) == in_layout("R 2 4 R", {24, 40, 20}, 2));
  CHECK(steps(chain_in_wide_chunks().fused()) == in_layout("R 4 4 R", {24, 40, 20}, 1));
  CHECK(steps(chain_in_columns().fused()) == in_layout("C", {21, 37, 19}, 1));
  // Only kernels row by row write a result of 11 columns.
  const auto rows = steps(chain_in_padded_rows().fused());
  REQUIRE(rows.size() == 5);
  CHECK((rows[0] == Step{"R", 24, 2} && rows[1] == Step{"R", 40, 1}));
  CHECK((rows[3].layout == "R" && rows[3].columns == 11));
}

// Checks random networks with the seeds from `first` to `last`; the first seed gives the network
// with odd widths.
void check_networks_in_layouts(unsigned first, unsigned last) {
  const TestDevice d;
  for (const ChainPoints& chain : {chain_in_panels(), chain_in_morton(), chain_in_wide_chunks(),
                                   chain_in_columns(), chain_in_padded_rows()}) {
    for (const auto& points : {chain.fused(), chain.unfused()}) {
      const LibraryHandle library = make_library(d, points);
      for (unsigned seed = first; seed <= last; ++seed) {
        const NetworkModel model =
            seed == 1 ? odd_widths() : random_network(2 + static_cast<int>(seed % 5), 150, seed);
        const Network net(library, model);
        for (const std::size_t batch : {1u, 7u, 64u, 101u}) {
          INFO(points.front() << ", " << points.size() << " points, seed " << seed << ", batch "
                              << batch);
          const NetworkCase test(net, batch, seed % 5, seed % 3, seed);
          CHECK(test.wrong(model, dirty_forward(d, net, test)) == "");
        }
      }
    }
  }
}

TEST_CASE("networks whose batches stay in a layout, with memory full of NaN") {
  check_networks_in_layouts(1, 3);
}

TEST_CASE("more networks whose batches stay in a layout, with memory full of NaN", "[full]") {
  check_networks_in_layouts(4, 10);
}

TEST_CASE("each activation, and a softmax between products, in a layout", "[full]") {
  const TestDevice d;
  for (const ChainPoints& chain :
       {chain_in_panels(), chain_in_morton(), chain_in_wide_chunks(), chain_in_columns()}) {
    for (const auto& points : {chain.fused(), chain.unfused()}) {
      const LibraryHandle library = make_library(d, points);
      for (int number = 0; number < static_cast<int>(kNumActivations); ++number) {
        const auto activation = static_cast<NetworkActivation>(number);
        const NetworkModel model{{affine(9, 17, true, 1), make_layer(activation),
                                  affine(17, 23, true, 2), make_layer(NetworkActivation::kRelu),
                                  make_layer(activation), affine(23, 5, true, 3),
                                  make_layer(activation)}};
        const Network net(library, model);
        INFO(points.front() << ", activation " << static_cast<int>(activation));
        for (const StepDescription& step : net.describe(6)) {
          CHECK(step.layout == (step.outputs == 5 ? "R" : to_text(*parse_layout(chain.layout))));
        }
        const NetworkCase test(net, 6, 0, 0, 5);
        CHECK(test.wrong(model, dirty_forward(d, net, test)) == "");
      }
    }
  }
}

TEST_CASE("without a bias, an activation kernel for row-major matrices supports any layout") {
  const TestDevice d;
  const ChainPoints chain = chain_in_morton();
  const LibraryHandle library = make_library(d, concatenated({{chain.product}, chain.others}));
  const NetworkModel model{{affine(9, 17, false, 1), make_layer(NetworkActivation::kSigmoid),
                            affine(17, 23, false, 2), make_layer(NetworkActivation::kTanh),
                            make_layer(NetworkActivation::kLeakyRelu), affine(23, 5, false, 3)}};
  const Network net(library, model);
  CHECK(network_steps(net, 7) ==
        std::vector<Step>{{"R 2 4 R", 20, 3}, {"R 2 4 R", 24, 2}, {"R 2 4 R", 24, 1}, {"R", 5, 2}});
  const NetworkCase test(net, 7, 2, 1, 5);
  CHECK(test.wrong(model, dirty_forward(d, net, test)) == "");
}

TEST_CASE("if the kernel of a layout does not build, another layout is used") {
  const TestDevice d;
  Profile profile = parse_profile(make_profile_from_points(d, chain_in_morton().fused()), "test");
  for (KernelRecord& record : profile.kernels) {
    if (record.activation == Activation::kTanh) record.source += "This is no OpenCL C.\n";
  }
  const LibraryHandle library =
      Library::open(d.context, d.device, ProfileSource::text(write_profile(profile)));
  const NetworkModel model = odd_widths();
  const Network net(library, model);
  // The tanh of the second layer comes from the built-in profile, which has a kernel for rows.
  const auto steps = net.describe(7);
  REQUIRE(steps.size() == 5);
  CHECK(steps[1].layout == "R");
  CHECK(steps[2].layout == "R 2 4 R");
  const NetworkCase test(net, 7, 0, 0, 5);
  CHECK(test.wrong(model, dirty_forward(d, net, test)) == "");
}

// The padding of a row with NaN becomes NaN, because NaN times zero is NaN. This must not affect
// other rows.
TEST_CASE("a sample with NaN does not affect other samples") {
  const TestDevice d;
  const NetworkModel model = odd_widths();
  for (const ChainPoints& chain :
       {chain_in_panels(), chain_in_morton(), chain_in_wide_chunks(), chain_in_padded_rows()}) {
    INFO(chain.product);
    const Network net(make_library(d, chain.fused()), model);
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

// Networks with little device memory: they use a plan that packs nothing.
#include "api/counted_calls.hpp"
#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

NetworkModel wide_layers() {
  return {{affine(100, 200, true, 1), make_layer(Activation::kTanh), affine(200, 100, true, 2),
           make_layer(Activation::kRelu), affine(100, 10, true, 3)}};
}

struct LimitedNetwork {
  TestDevice d;
  NetworkModel model = wide_layers();
  LibraryHandle library = Library::open(
      d.context, d.device, ProfileSource::text(make_profile_from_points(d, fused_panel_points())));
  Network net{library, model};

  // Describes a wrong output of a forward pass of `batch` samples; empty if all are correct.
  std::string fault(std::size_t batch) {
    const NetworkCase test(net, batch, 0, 0, 1);
    const Matrix input = upload(d, test.input);
    const Matrix output = upload(d, test.output);
    return test.wrong(model, download(d, output, {net.forward(d.queue, input, output, batch)}));
  }
  // The same, while the network can allocate at most `bytes` bytes.
  std::string fault_within(std::size_t bytes, std::size_t batch, LimitedMemory::Refuses refuses) {
    const NetworkCase test(net, batch, 0, 0, 1);
    const Matrix input = upload(d, test.input);
    const Matrix output = upload(d, test.output);
    const LimitedMemory limit(bytes, refuses);
    const cl::Event done = net.forward(d.queue, input, output, batch);
    CHECK(limit.refused() > 0);
    return test.wrong(model, download(d, output, {done}));
  }
};

TEST_CASE("without memory for packed weights a network reads them in place") {
  for (const auto refuses : {LimitedMemory::Refuses::kCreation, LimitedMemory::Refuses::kLaunch}) {
    LimitedNetwork n;
    CHECK(n.fault_within(20'000, 3, refuses) == "");
    CHECK(n.fault(3) == "");
    CHECK(n.fault(4) == "");  // with memory, as always
  }
}

TEST_CASE("without memory for packing between layers a network packs nothing") {
  LimitedNetwork n;
  const std::size_t batch = 64;
  REQUIRE(n.fault(3) == "");  // its weights are packed
  CHECK(n.fault_within(n.net.workspace_bytes(batch) - 1, batch,
                       LimitedMemory::Refuses::kCreation) == "");
  CHECK(n.fault(batch) == "");
}

TEST_CASE("weights are not packed for a plan that exceeds the workspace of the caller") {
  LimitedNetwork n;
  // The results of both layers, as rows of whole vectors.
  const std::size_t bytes = 64 * (208 + 112) * sizeof(float);
  REQUIRE(n.net.workspace_bytes(64) > bytes);
  const Workspace workspace = dirty_workspace(n.d, bytes);
  const NetworkCase test(n.net, 64, 0, 0, 1);
  const Matrix input = upload(n.d, test.input);
  const Matrix output = upload(n.d, test.output);
  const LimitedMemory limit(0);
  const cl::Event done = n.net.forward(n.d.queue, input, output, 64, {}, {workspace, {}});
  CHECK(limit.refused() == 0);
  CHECK(test.wrong(n.model, download(n.d, output, {done})) == "");
}

TEST_CASE("graphs are right whatever the width of vectors") {
  for (const unsigned width : {1, 4, 8}) {
    CAPTURE(width);
    const NativeVectors vectors(width);
    const TestDevice d;
    const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
    const Network net(library, normalised_layers());
    CHECK(wrong_forward(d, net, normalised_layers(), NetworkCase(net, 5, 1, 1, 1)) == "");
  }
}

TEST_CASE("a network needs no memory for the columns of an input of which it reads few") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  NetworkModel model{
      {OperationLayer{"", NetworkOperation::kSelect, {{}}, {0, 1}}, affine(2, 3, false, 1)}};
  model.inputs = {{"x", std::int64_t{1} << 28}};
  const LimitedMemory limit(std::size_t{1} << 20);
  const Network net(library, model);
  CHECK(limit.refused() == 0);
}

TEST_CASE("a network without a plan that fits into memory reports an error") {
  LimitedNetwork n;
  const NetworkCase test(n.net, 64, 0, 0, 1);
  const Matrix input = upload(n.d, test.input);
  const Matrix output = upload(n.d, test.output);
  const LimitedMemory limit(0);
  CHECK(error_status([&] { n.net.forward(n.d.queue, input, output, 64); }) == TW_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace tilewright

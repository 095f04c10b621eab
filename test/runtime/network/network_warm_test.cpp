// A warm forward pass (one whose plan and packed weights exist) only enqueues commands: it
// allocates no host or device memory, and the host does not wait.
#include "runtime/models/network_files.hpp"

#include "api/counted_calls.hpp"
#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"

namespace tilewright {
namespace {

// Two hidden layers with odd widths.
NetworkModel hidden_layers() {
  return {{affine(78, 101, true, 1), make_layer(Activation::kSigmoid), affine(101, 110, true, 2),
           make_layer(Activation::kTanh), affine(110, 10, true, 3),
           make_layer(Activation::kSoftmax)}};
}

TEST_CASE("the counters work") {
  const TestDevice d;
  CHECK(warm_calls(d, [&] { d.queue.finish(); }) == CountedCalls{0, 0, 1});
  CHECK(warm_calls(d, [&] { cl::Buffer(d.context, CL_MEM_READ_WRITE, 64); }).made == 1);
  CHECK(warm_calls(d, [&] { d.queue.enqueueMarkerWithWaitList(); }).waits == 0);
}

TEST_CASE("a warm forward pass allocates nothing and waits for nothing, with every kind of plan") {
  const TestDevice d;
  const NetworkModel model = hidden_layers();
  for (const auto& points :
       {fused_points(), fused_panel_points(), split_points(), morton_points(), older_points()}) {
    INFO(points.front());
    const LibraryHandle library = Library::open(
        d.context, d.device, ProfileSource::text(make_profile_from_points(d, points)));
    const Network net(library, model);
    const std::size_t batch = 100;
    const NetworkCase test(net, batch, 0, 0, 1);
    const Matrix input = upload(d, test.input);
    const Matrix output = upload(d, test.output);
    // In the workspace of the library.
    CHECK(warm_calls(d, [&] { net.forward(d.queue, input, output, batch); }) == CountedCalls{});
    // In a workspace of the caller, with events.
    const NetworkForward with{
        {cl::Buffer(d.context, CL_MEM_READ_WRITE, net.workspace_bytes(batch)), 0}, {}};
    const std::vector<cl::Event> wait_list{net.forward(d.queue, input, output, batch)};
    CHECK(warm_calls(d, [&] { net.forward(d.queue, input, output, batch, wait_list, with); }) ==
          CountedCalls{});
    CHECK(test.wrong(model, download(d, output, {})) == "");
  }
}

TEST_CASE(
    "a warm forward pass of full-mnist with batch 100 allocates nothing and waits for nothing") {
  const TestDevice d;
  const NetworkModel model = preset_model("full-mnist", 1);
  for (const auto& points : {fused_panel_points(), older_points()}) {
    INFO(points.front());
    const LibraryHandle library = Library::open(
        d.context, d.device, ProfileSource::text(make_profile_from_points(d, points)));
    const Network net(library, model);
    const NetworkCase test(net, 100, 0, 0, 1);
    const Matrix input = upload(d, test.input);
    const Matrix output = upload(d, test.output);
    CHECK(warm_calls(d, [&] { net.forward(d.queue, input, output, 100); }) == CountedCalls{});
    CHECK(test.wrong(model, download(d, output, {}), 33) == "");
  }
}

TEST_CASE(
    "after prepare(), the first forward pass compiles nothing and allocates only its workspace") {
  const TestDevice d;
  const NetworkModel model = hidden_layers();
  const LibraryHandle library = Library::open(
      d.context, d.device, ProfileSource::text(make_profile_from_points(d, fused_panel_points())));
  const Network net(library, model);
  const NetworkCase test(net, 9, 0, 0, 1);
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  net.prepare(d.queue, 9);
  start_counting();
  const cl::Event done = net.forward(d.queue, input, output, 9);
  const CountedCalls counted = stop_counting();
  CHECK(counted.made == 1);
  CHECK(counted.waits == 0);
  CHECK(test.wrong(model, download(d, output, {done})) == "");
}

}  // namespace
}  // namespace tilewright

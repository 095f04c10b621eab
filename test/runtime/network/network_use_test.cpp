// How networks are used: which calls fail, which plans run, and what they keep between calls.
#include <algorithm>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "network_case.hpp"
#include "network_profiles.hpp"
#include "panel_library.hpp"
#include "three_layers.hpp"

namespace tilewright {
namespace {

std::string thrown_message(const LibraryHandle& library, const NetworkModel& model,
                           tw_status status) {
  try {
    const Network net(library, model);
  } catch (const Error& error) {
    CHECK(error.status() == status);
    return error.what();
  }
  return "";
}

TEST_CASE("an invalid model is refused with the layer") {
  const TestDevice d;
  const LibraryHandle library = builtin(d);
  const auto refused = [&](const std::function<void(NetworkModel&)>& change, const char* what,
                           tw_status status = TW_INVALID_NETWORK) {
    NetworkModel model = three_layers();
    change(model);
    const std::string message = thrown_message(library, model, status);
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
  };
  const auto layer = [](NetworkModel& model, std::size_t i) -> AffineLayer& {
    return std::get<AffineLayer>(model.layers[i]);
  };
  refused([](NetworkModel& m) { m.layers.clear(); }, "has no layers");
  refused([](NetworkModel& m) { m.layers = {make_layer(Activation::kRelu)}; },
          "an unknown number of columns in input 1");
  refused(
      [](NetworkModel& m) {
        m.inputs = {{"x", 3'000'000'000}};
      },
      "has 3000000000 columns in input 1", TW_INVALID_DIMENSION);
  refused([](NetworkModel& m) { m.inputs = {{"x", -3}}; }, "has -3 columns in input 1");
  refused([&](NetworkModel& m) { layer(m, 2).weights.pop_back(); }, "layer 3 has 1999 weights");
  refused([&](NetworkModel& m) { layer(m, 2).bias.push_back(0); }, "layer 3 has 41 biases");
  refused([&](NetworkModel& m) { m.layers.erase(m.layers.begin() + 2); },
          "layer 4 has 40 inputs, but the previous layer has 50 outputs");
  refused([&](NetworkModel& m) { layer(m, 0).inputs = 0; }, "layer 1 has 0 inputs");
  refused([&](NetworkModel& m) { layer(m, 4).outputs = -1; }, "layer 5 has -1 outputs");
  refused([&](NetworkModel& m) { layer(m, 4).outputs = 3'000'000'000; }, "3000000000 outputs",
          TW_INVALID_DIMENSION);
  refused([&](NetworkModel& m) { layer(m, 2).name = "fc2", layer(m, 2).weights.clear(); },
          "layer 3 ('fc2') has 0 weights");
  refused(
      [](NetworkModel& m) { m.layers[1] = make_layer(static_cast<Activation>(kNumActivations)); },
      "layer 2 has the unknown activation 15");
  refused([](NetworkModel& m) { m.layers[1] = make_layer(Activation::kLeakyRelu, std::nanf("")); },
          "layer 2 has slope nan");
  refused([](NetworkModel& m) { m.layers[1] = make_layer(Activation::kElu, HUGE_VALF); },
          "layer 2 has slope inf");
  refused(
      [](NetworkModel& m) {
        m.layers[1] = ActivationLayer{"", Activation::kHardSigmoid, 1.0f, HUGE_VALF};
      },
      "layer 2 has shift inf");
  refused(
      [](NetworkModel& m) {
        m.layers[1] = ActivationLayer{"", Activation::kClip, 0, 0, 1.0f, 0.5f};
      },
      "layer 2 has low 1 above high 0.5");
}

TEST_CASE("errors of a forward pass have their status, and nothing is written") {
  const TestDevice d;
  const TestDevice other;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  const NetworkCase test(net, 7, 0, 0, 1);
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  const auto status = [&](const Matrix& in, const Matrix& out, std::size_t batch,
                          const Workspace& workspace = {}) {
    return error_status([&] { net.forward(d.queue, in, out, batch, {}, {workspace, {}}); });
  };
  const Matrix foreign = upload(other, test.input);
  CHECK(status({input.buffer, 0, 29}, output, 7) == TW_INVALID_LD_INPUT);
  CHECK(status({{}, 0, 30}, output, 7) == TW_INVALID_BUFFER_INPUT);
  CHECK(status(foreign, output, 7) == TW_INVALID_BUFFER_INPUT);
  CHECK(status({input.buffer, 1, 30}, output, 7) == TW_INSUFFICIENT_BUFFER_INPUT);
  CHECK(status(input, {output.buffer, 0, 9}, 7) == TW_INVALID_LD_OUTPUT);
  CHECK(status(input, {{}, 0, 10}, 7) == TW_INVALID_BUFFER_OUTPUT);
  // A layer may read the rows that another one has written to an output.
  const auto with_flags = [&](cl_mem_flags flags, std::size_t columns) {
    return Matrix{cl::Buffer(d.context, flags, 7 * columns * sizeof(float)), 0, columns};
  };
  CHECK(status(with_flags(CL_MEM_WRITE_ONLY, 30), output, 7) == TW_INVALID_BUFFER_INPUT);
  CHECK(status(input, with_flags(CL_MEM_WRITE_ONLY, 10), 7) == TW_INVALID_BUFFER_OUTPUT);
  CHECK(status(input, with_flags(CL_MEM_READ_ONLY, 10), 7) == TW_INVALID_BUFFER_OUTPUT);
  CHECK(status(input, output, 8) == TW_INSUFFICIENT_BUFFER_INPUT);
  CHECK(status(input, output, SIZE_MAX) == TW_INVALID_DIMENSION);
  // Less than the rows between the layers need without any padding.
  const cl::Buffer less(d.context, CL_MEM_READ_WRITE, 7 * (50 + 40) * sizeof(float) - 4);
  CHECK(status(input, output, 7, {less, 0}) == TW_INSUFFICIENT_WORKSPACE);
  CHECK(status(input, output, 7, {less, 3}) == TW_INVALID_WORKSPACE);
  CHECK(error_status([&] { net.forward(other.queue, input, output, 7); }) == TW_INVALID_QUEUE);
  CHECK(error_status([&] { net.forward(d.queue, input, output, 7, {cl::Event()}); }) ==
        TW_INVALID_VALUE);
  CHECK(error_status([&] { net.prepare({}, 7); }) == TW_INVALID_QUEUE);
  CHECK(error_status([&] { net.describe(7, {{}, 0, 29}); }) == TW_INVALID_LD_INPUT);
  const std::vector<float> after = download(d, output, {});
  CHECK(std::all_of(after.begin(), after.end(), [](float x) { return std::isnan(x); }));
  CHECK(status(input, output, 7) == TW_SUCCESS);
}

TEST_CASE("a plan for rows without gaps is not used for rows with gaps") {
  const TestDevice d;
  // A kernel that runs along memory is fastest where rows have no gaps.
  const std::string relu = " activation=relu";
  const LibraryHandle library = Library::open(
      d.context, d.device,
      ProfileSource::text(make_profile_from_points(
          d, concatenated(
                 {fused_points(), {"activation id_order=flat" + relu, "activation" + relu}}))));
  const Network net(library, {{make_layer(Activation::kRelu), affine(16, 16, false, 1)}});
  const auto run_relu = [&](std::size_t ld) {
    return net.describe(7, {{}, 0, ld}).front().kernels.front();
  };
  net.prepare(d.queue, 7);
  CHECK(run_relu(16).find("flat") != std::string::npos);
  CHECK(run_relu(32).find("flat") == std::string::npos);
  net.prepare(d.queue, 7, {{}, 0, 32});
  CHECK(run_relu(16).find("flat") != std::string::npos);
  CHECK(run_relu(32).find("flat") == std::string::npos);
}

TEST_CASE("an empty batch gives an event after the wait list") {
  const TestDevice d;
  const Network net(builtin(d), three_layers());
  cl::UserEvent gate(d.context);
  const cl::Event done = net.forward(d.queue, {}, {}, 0, {gate});
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  CHECK(done.wait() == CL_SUCCESS);
  CHECK(net.describe(0).empty());
  CHECK(net.workspace_bytes(0) == 0);
}

TEST_CASE("a network without affine layers") {
  const TestDevice d;
  const LibraryHandle library = builtin(d);
  NetworkModel model{{make_layer(Activation::kTanh), make_layer(Activation::kSoftmax)}};
  model.inputs = {{"x", 40}};
  CHECK(wrong_forward(d, Network(library, model), model,
                      NetworkCase(Network(library, model), 5, 1, 1, 1)) == "");
  // An output that is an input.
  model.layers.clear();
  model.outputs = {{"y", 0}};
  const Network copy(library, model);
  CHECK(wrong_forward(d, copy, model, NetworkCase(copy, 5, 1, 1, 1)) == "");
}

TEST_CASE("an observer is called for each command, with its step") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  const NetworkCase test(net, 7, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  std::vector<std::vector<std::string>> kernels_by_step(net.describe(7).size());
  std::vector<cl::Event> events;
  NetworkForward with;
  with.observer = [&](const NetCommand& command) {
    kernels_by_step.at(command.step).push_back(command.kernel);
    events.push_back(command.event);
  };
  const cl::Event done = net.forward(d.queue, upload(d, test.input), output, 7, {}, with);
  done.wait();
  REQUIRE(events.size() >= kernels_by_step.size());
  CHECK(events.back()() == done());
  cl_ulong before = 0;
  for (const cl::Event& event : events) {
    const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
    CHECK(start >= before);
    before = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
  }
  const std::vector<StepDescription> steps = net.describe(7);
  for (std::size_t i = 0; i < kernels_by_step.size(); ++i)
    CHECK(kernels_by_step[i] == steps[i].kernels);
  CHECK(steps.back().kernels.size() == 1);
  CHECK(steps.back().name == "softmax");
  CHECK(steps[0].name == "affine 30x50 + tanh");
}

TEST_CASE("more batch sizes than plans are kept") {
  const TestDevice d;
  const NetworkModel model = three_layers();
  const Network net(fused_panels(d), model);
  for (const std::size_t batch : {1u,  2u,  3u,  4u,  5u,  6u,  7u,  8u, 9u,  10u, 11u,
                                  12u, 13u, 14u, 15u, 16u, 17u, 18u, 1u, 18u, 2u}) {
    INFO(batch);
    CHECK(wrong_forward(d, net, model, NetworkCase(net, batch, 0, 0, 1)) == "");
  }
}

}  // namespace
}  // namespace tilewright

// How networks are used: which calls fail, how much memory they need, which events they wait for,
// and what they keep between calls.
#include <algorithm>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "deadline.hpp"
#include "mlp_case.hpp"
#include "mlp_profiles.hpp"
#include "panel_library.hpp"

namespace tilewright {
namespace {

MlpModel three_layers() {
  return {{affine(30, 50, true, 1), make_layer(MlpActivation::kTanh), affine(50, 40, true, 2),
           make_layer(MlpActivation::kRelu), affine(40, 10, true, 3),
           make_layer(MlpActivation::kSoftmax)}};
}

Library fused_panels(const TestDevice& d) {
  return Library::open(d.context, d.device,
                       ProfileSource::text(make_profile_from_points(d, fused_panel_points())));
}

std::string thrown_message(const Library& library, const MlpModel& model, tw_status status) {
  try {
    const Mlp net(library, model);
  } catch (const Error& error) {
    CHECK(error.status() == status);
    return error.what();
  }
  return "";
}

TEST_CASE("an invalid model is refused with the layer") {
  const TestDevice d;
  const Library library = builtin(d);
  const auto refused = [&](const std::function<void(MlpModel&)>& change, const char* what,
                           tw_status status = TW_INVALID_NETWORK) {
    MlpModel model = three_layers();
    change(model);
    const std::string message = thrown_message(library, model, status);
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
  };
  const auto layer = [](MlpModel& model, std::size_t i) -> AffineLayer& {
    return std::get<AffineLayer>(model.layers[i]);
  };
  refused([](MlpModel& m) { m.layers.clear(); }, "has no layers");
  refused([](MlpModel& m) { m.layers = {make_layer(MlpActivation::kRelu)}; },
          "an unknown number of columns in input 1");
  refused([&](MlpModel& m) { layer(m, 2).weights.pop_back(); }, "layer 3 has 1999 weights");
  refused([&](MlpModel& m) { layer(m, 2).bias.push_back(0); }, "layer 3 has 41 biases");
  refused([&](MlpModel& m) { m.layers.erase(m.layers.begin() + 2); },
          "layer 4 has 40 inputs, but the previous layer has 50 outputs");
  refused([&](MlpModel& m) { layer(m, 0).inputs = 0; }, "layer 1 has 0 inputs");
  refused([&](MlpModel& m) { layer(m, 4).outputs = -1; }, "layer 5 has -1 outputs");
  refused([&](MlpModel& m) { layer(m, 4).outputs = 3'000'000'000; }, "3000000000 outputs",
          TW_INVALID_DIMENSION);
  refused([&](MlpModel& m) { layer(m, 2).name = "fc2", layer(m, 2).weights.clear(); },
          "layer 3 ('fc2') has 0 weights");
  refused(
      [](MlpModel& m) { m.layers[1] = make_layer(static_cast<MlpActivation>(kNumActivations)); },
      "layer 2 has the unknown activation 15");
  refused([](MlpModel& m) { m.layers[1] = make_layer(MlpActivation::kLeakyRelu, std::nanf("")); },
          "layer 2 has slope nan");
  refused([](MlpModel& m) { m.layers[1] = make_layer(MlpActivation::kElu, HUGE_VALF); },
          "layer 2 has slope inf");
  refused(
      [](MlpModel& m) {
        m.layers[1] = ActivationLayer{"", MlpActivation::kHardSigmoid, 1.0f, HUGE_VALF};
      },
      "layer 2 has shift inf");
  refused(
      [](MlpModel& m) {
        m.layers[1] = ActivationLayer{"", MlpActivation::kClip, 0, 0, 1.0f, 0.5f};
      },
      "layer 2 has low 1 above high 0.5");
}

TEST_CASE("errors of a forward pass have their status, and nothing is written") {
  const TestDevice d;
  const TestDevice other;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  const MlpCase test(net, 7, 0, 0, 1);
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

TEST_CASE("a batch that exceeds a buffer between layers is refused before anything is allocated") {
  const TestDevice d;
  const Mlp net(builtin(d), {{affine(1, 4096, false, 1), affine(4096, 1, false, 2)}});
  CHECK(net.workspace_bytes(100) >= 100 * 4096 * sizeof(float));
  CHECK(error_status([&] { net.workspace_bytes(2'000'000'000); }) == TW_OUT_OF_MEMORY);
}

TEST_CASE("a plan for rows without gaps is not used for rows with gaps") {
  const TestDevice d;
  // A kernel that runs along memory is fastest where rows have no gaps.
  const std::string relu = " activation=relu";
  const Library library = Library::open(
      d.context, d.device,
      ProfileSource::text(make_profile_from_points(
          d, concatenated(
                 {fused_points(), {"activation id_order=flat" + relu, "activation" + relu}}))));
  const Mlp net(library, {{make_layer(MlpActivation::kRelu), affine(16, 16, false, 1)}});
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
  const Mlp net(builtin(d), three_layers());
  cl::UserEvent gate(d.context);
  const cl::Event done = net.forward(d.queue, {}, {}, 0, {gate});
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  CHECK(done.wait() == CL_SUCCESS);
  CHECK(net.describe(0).empty());
  CHECK(net.workspace_bytes(0) == 0);
}

TEST_CASE("a forward pass waits, and completes after network and library were destroyed") {
  const TestDevice d;
  const MlpModel model = three_layers();
  auto net = std::make_unique<Mlp>(fused_panels(d), model);
  const MlpCase test(*net, 7, 1, 2, 1);
  const Matrix input = upload(d, test.input);
  const Matrix output = upload(d, test.output);
  cl::UserEvent gate(d.context);
  const cl::Event done = net->forward(d.queue, input, output, 7, {gate});
  net.reset();
  CHECK(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  CHECK(test.wrong(model, download(d, output, {done})) == "");
}

TEST_CASE("two queues at once, in the library's memory", "[threads]") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  const cl::CommandQueue second(d.context, d.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  // The first forward pass waits while the second queue computes batches of the same and of
  // another size.
  cl::UserEvent gate(d.context);
  const MlpCase held(net, 7, 0, 0, 1);
  const Matrix held_output = upload(d, held.output);
  net.prepare(second, 7);
  const cl::Event later = net.forward(d.queue, upload(d, held.input), held_output, 7, {gate});
  for (const std::size_t batch : {7u, 3u}) {
    const MlpCase test(net, batch, 0, 0, 2);
    const Matrix output = upload(d, test.output);
    const cl::Event done = net.forward(second, upload(d, test.input), output, batch);
    done.wait();
    std::vector<float> got(test.output.data.size());
    second.enqueueReadBuffer(output.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data());
    CHECK(test.wrong(model, got) == "");
  }
  gate.setStatus(CL_COMPLETE);
  CHECK(held.wrong(model, download(d, held_output, {later})) == "");
}

// Polls the event with a deadline: a forward pass that never finishes fails the test and does not
// block it.
bool completes(const cl::Event& event) {
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(60.0 * patience());
  while (std::chrono::steady_clock::now() < limit) {
    const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status <= CL_COMPLETE) return status == CL_COMPLETE;
    std::this_thread::yield();
  }
  return false;
}

TEST_CASE("two queues at once: packing for a blocked queue does not block the other", "[threads]") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  const cl::CommandQueue second(d.context, d.device);
  cl::UserEvent gate(d.context);
  const std::vector<cl::Event> closed{gate};
  // The copy waits for `gate`, so all later commands of the queue wait, too. (OpenCL 1.1 has no
  // barrier with a wait list.)
  const cl::Buffer from(d.context, CL_MEM_READ_WRITE, sizeof(float));
  const cl::Buffer to(d.context, CL_MEM_READ_WRITE, sizeof(float));
  REQUIRE(second.enqueueCopyBuffer(from, to, 0, 0, sizeof(float), &closed) == CL_SUCCESS);
  // The first forward pass of batch size 7 packs the weights on this queue and is blocked. Batch
  // size 9 is prepared there, too.
  const MlpCase held(net, 7, 0, 0, 3);
  const Matrix held_output = upload(d, held.output);
  const cl::Event held_done = net.forward(second, upload(d, held.input), held_output, 7);
  net.prepare(second, 9);
  for (const std::size_t batch : {7u, 9u, 3u}) {
    INFO("batch of " << batch);
    const MlpCase test(net, batch, 0, 0, 1);
    const Matrix output = upload(d, test.output);
    const cl::Event done = net.forward(d.queue, upload(d, test.input), output, batch);
    d.queue.flush();
    const bool complete = completes(done);
    CHECK(complete);
    if (!complete) gate.setStatus(CL_COMPLETE);
    CHECK(test.wrong(model, download(d, output, {done})) == "");
  }
  CHECK(held_done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
  gate.setStatus(CL_COMPLETE);
  second.finish();
  CHECK(held.wrong(model, download(d, held_output, {held_done})) == "");
}

TEST_CASE("many threads use one network, each with its own queue and batch sizes", "[threads]") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const cl::CommandQueue queue(d.context, d.device);
      for (unsigned i = 0; i < 8; ++i) {
        const MlpCase test(net, 1 + (t + i) % 5, 0, 0, t * 10 + i);
        const Matrix output = upload(d, test.output);
        const std::vector<cl::Event> done{
            net.forward(queue, upload(d, test.input), output, test.batch)};
        std::vector<float> got(test.output.data.size());
        queue.enqueueReadBuffer(output.buffer, CL_TRUE, 0, got.size() * sizeof(float), got.data(),
                                &done);
        wrong[t] += test.wrong(model, got);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::string>(4));
}

TEST_CASE("a workspace of the caller is used for all results between layers") {
  const TestDevice d;
  const MlpModel model = three_layers();
  for (const auto& points : {fused_panel_points(), split_points(), morton_points()}) {
    const Mlp net(Library::open(d.context, d.device,
                                ProfileSource::text(make_profile_from_points(d, points))),
                  model);
    const MlpCase test(net, 7, 0, 0, 1);
    const std::size_t floats = net.workspace_bytes(7) / sizeof(float);
    REQUIRE(floats >= 7 * (64 + 48));
    const std::vector<float> guards(16 + floats + 16, 77.0f);
    const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            guards.size() * sizeof(float), const_cast<float*>(guards.data()));
    const Matrix output = upload(d, test.output);
    const cl::Event done =
        net.forward(d.queue, upload(d, test.input), output, 7, {}, {{buffer, 16}, {}});
    CHECK(test.wrong(model, download(d, output, {done})) == "");
    const std::vector<float> after = download(d, {buffer, 0, 1}, {done});
    CHECK(std::equal(after.begin(), after.begin() + 16, guards.begin()));
    CHECK(std::equal(after.end() - 16, after.end(), guards.begin()));
    CHECK(std::count(after.begin(), after.end(), 77.0f) < 32 + static_cast<long>(floats) / 2);
  }
}

// A residual connection and a layer normalisation, so that there are values between steps, too.
MlpModel normalised_layers() {
  const auto taken = [](MlpValue value) { return MlpOperand{value, {}}; };
  const auto of = [](MlpOperation operation, const std::vector<MlpOperand>& operands,
                     const std::vector<std::int64_t>& columns = {}) {
    return OperationLayer{"", operation, operands, columns};
  };
  AffineLayer last = affine(50, 10, true, 3);
  return {
      {affine(30, 50, true, 1), make_layer(MlpActivation::kTanh),
       of(MlpOperation::kMean, {taken(2)}, {1}), of(MlpOperation::kSubtract, {taken(2), taken(3)}),
       of(MlpOperation::kMultiply, {taken(4), taken(4)}), of(MlpOperation::kMean, {taken(5)}, {1}),
       of(MlpOperation::kSqrt, {taken(6)}), of(MlpOperation::kDivide, {taken(4), taken(7)}),
       affine(50, 50, true, 2), of(MlpOperation::kAdd, {taken(8), taken(9)}), last}};
}

TEST_CASE("a workspace for a maximum batch suffices for all batches, aligned or not") {
  const TestDevice d;
  constexpr std::size_t kMaxBatch = 33;
  std::vector<Library> libraries = {builtin(d)};
  for (const auto& points : {fused_panel_points(), split_points(), morton_points()}) {
    libraries.push_back(Library::open(d.context, d.device,
                                      ProfileSource::text(make_profile_from_points(d, points))));
  }
  for (const MlpModel& model : {three_layers(), normalised_layers()}) {
    for (const Library& library : libraries) {
      const Mlp net(library, model);
      const std::size_t bytes = net.max_workspace_bytes(kMaxBatch);
      CHECK(bytes >= net.workspace_bytes(kMaxBatch));
      const Workspace workspace = dirty_workspace(d, bytes);
      for (std::size_t batch = 1; batch <= kMaxBatch; ++batch) {
        INFO(batch);
        const MlpCase test(net, batch, batch % 3, batch % 2, 1);
        const Matrix output = upload(d, test.output);
        const cl::Event done =
            net.forward(d.queue, upload(d, test.input), output, batch, {}, {workspace, {}});
        CHECK(test.wrong(model, download(d, output, {done})) == "");
      }
    }
  }
}

TEST_CASE("a workspace without space for packed matrices is used without packing") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  // The results of both layers, as rows of whole vectors.
  const std::size_t least = 7 * (64 + 48) * sizeof(float);
  REQUIRE(net.workspace_bytes(7) > least);
  const MlpCase test(net, 7, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  const cl::Event done =
      net.forward(d.queue, upload(d, test.input), output, 7, {}, {dirty_workspace(d, least), {}});
  CHECK(test.wrong(model, download(d, output, {done})) == "");
  CHECK(net.max_workspace_bytes(0) == 0);
  CHECK(error_status([&] { net.max_workspace_bytes(SIZE_MAX); }) == TW_INVALID_DIMENSION);
}

TEST_CASE("a network without affine layers") {
  const TestDevice d;
  const Library library = builtin(d);
  MlpModel model{{make_layer(MlpActivation::kTanh), make_layer(MlpActivation::kSoftmax)}};
  model.inputs = {{"x", 40}};
  CHECK(wrong_forward(d, Mlp(library, model), model, MlpCase(Mlp(library, model), 5, 1, 1, 1)) ==
        "");
  // An output that is an input.
  model.layers.clear();
  model.outputs = {{"y", 0}};
  const Mlp copy(library, model);
  CHECK(wrong_forward(d, copy, model, MlpCase(copy, 5, 1, 1, 1)) == "");
}

TEST_CASE("a network without the first output of its file is used by naming its outputs") {
  const TestDevice d;
  const Library library = builtin(d);
  MlpModel model = three_layers();
  model.skipped_outputs = {{"label", "is not a float matrix", false}};
  CHECK(wrong_forward(d, Mlp(library, model), model, MlpCase(Mlp(library, model), 2, 0, 0, 1)) ==
        "");
  model.skipped_outputs = {{"policy", "operation 'LSTM' is not supported", true}};
  const Mlp net(library, model);
  const MlpCase test(net, 2, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  try {
    net.forward(d.queue, upload(d, test.input), output, 2);
    FAIL("another output was computed without a word");
  } catch (const Error& error) {
    CHECK(error.status() == TW_INVALID_VALUE);
    CHECK(std::string(error.what()).find("'policy': operation 'LSTM'") != std::string::npos);
  }
  const cl::Event done = net.forward_all(d.queue, {upload(d, test.input)}, {output}, 2);
  CHECK(test.wrong(model, download(d, output, {done})) == "");
}

TEST_CASE("an observer is called for each command, with its step") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  const MlpCase test(net, 7, 0, 0, 1);
  const Matrix output = upload(d, test.output);
  std::vector<std::vector<std::string>> kernels_by_step(net.describe(7).size());
  std::vector<cl::Event> events;
  MlpForward with;
  with.observer = [&](const MlpCommand& command) {
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
  const std::vector<MlpStep> steps = net.describe(7);
  for (std::size_t i = 0; i < kernels_by_step.size(); ++i)
    CHECK(kernels_by_step[i] == steps[i].kernels);
  CHECK(steps.back().kernels.size() == 1);
  CHECK(steps.back().name == "softmax");
  CHECK(steps[0].name == "affine 30x50 + tanh");
}

TEST_CASE("more batch sizes than plans are kept") {
  const TestDevice d;
  const MlpModel model = three_layers();
  const Mlp net(fused_panels(d), model);
  for (const std::size_t batch : {1u,  2u,  3u,  4u,  5u,  6u,  7u,  8u, 9u,  10u, 11u,
                                  12u, 13u, 14u, 15u, 16u, 17u, 18u, 1u, 18u, 2u}) {
    INFO(batch);
    CHECK(wrong_forward(d, net, model, MlpCase(net, batch, 0, 0, 1)) == "");
  }
}

}  // namespace
}  // namespace tilewright

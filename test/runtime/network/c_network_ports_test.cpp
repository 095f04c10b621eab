// Networks with several inputs and outputs through the C API.
#include <tilewright/network.h>
#include "runtime/network/network_create.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "api/c_open.hpp"
#include "catch.hpp"
#include "network_case.hpp"
#include "runtime/device/device_matrix.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// A network with two inputs and three outputs.
NetworkModel several_ports() {
  NetworkModel model;
  model.inputs = {{"state", 3}, {"action", 2}};
  model.layers = {OperationLayer{"", NetworkOperation::kConcat, {{0, {}}, {1, {}}}, {}},
                  affine(5, 4, true, 1)};
  model.outputs = {{"value", 3}, {"both", 2}, {"again", 0}};
  return model;
}

struct SeveralPorts {
  tw_network* net = nullptr;
  explicit SeveralPorts(tw_library* library) {
    REQUIRE(create_network(library, &net, [] { return TypedModel{several_ports()}; }) ==
            TW_SUCCESS);
  }
  ~SeveralPorts() { tw_network_free(net); }
};

TEST_CASE("C: a network with several inputs and outputs, by index and by name") {
  const TestDevice d;
  const OpenLibrary open(d);
  const SeveralPorts made(open.library);
  const tw_network* net = made.net;
  REQUIRE(tw_network_num_inputs(net) == 2);
  REQUIRE(tw_network_num_outputs(net) == 3);
  CHECK(std::string(tw_network_input_name(net, 1)) == "action");
  CHECK(std::string(tw_network_output_name(net, 0)) == "value");
  CHECK(tw_network_input_columns(net, 0) == 3);
  CHECK(tw_network_output_columns(net, 1) == 5);
  std::size_t index = 9;
  REQUIRE(tw_network_find_input(net, "action", &index) == TW_SUCCESS);
  CHECK(index == 1);
  REQUIRE(tw_network_find_output(net, "again", &index) == TW_SUCCESS);
  CHECK(index == 2);

  // Buffers for a batch of 6 are used for smaller ones.
  constexpr std::size_t kMaxBatch = 6;
  const std::vector<double> state = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<double> action = {-1, 1, -2, 2, -3, 3, -4, 4, -5, 5, -6, 6};
  const auto on_device = [&](const std::vector<double>& values) {
    return upload(d.context, Precision::kSingle, values);
  };
  const cl::Buffer x0 = on_device(state), x1 = on_device(action);
  const tw_matrix inputs[] = {tw_make_matrix(x0(), 0, 3), tw_make_matrix(x1(), 0, 0)};
  const std::vector<double> nan(kMaxBatch * 6, std::nan(""));
  const cl::Buffer y[] = {on_device(nan), on_device(nan), on_device(nan)};
  const tw_matrix outputs[] = {tw_make_matrix(y[0](), 0, 4), tw_make_matrix(y[1](), 1, 5),
                               tw_make_matrix(y[2](), 0, 0)};
  for (const std::size_t batch : {kMaxBatch, std::size_t{1}, std::size_t{4}}) {
    INFO(batch);
    std::size_t bytes = 0;
    REQUIRE(tw_network_workspace_bytes(net, batch, inputs, 2, outputs, 3, &bytes) == TW_SUCCESS);
    const cl::Buffer own(d.context, CL_MEM_READ_WRITE, bytes + 64);
    cl_event done = nullptr;
    const tw_memory workspace = {own(), 0};
    REQUIRE(tw_network_forward(net, d.queue(), batch, inputs, 2, outputs, 3,
                               batch == 4 ? nullptr : &workspace, 0, nullptr, &done) == TW_SUCCESS);
    const std::vector<cl::Event> waits{cl::Event(done)};
    const auto right = host_forward_all(
        several_ports(),
        {{state.begin(), state.begin() + static_cast<std::ptrdiff_t>(3 * batch)},
         {action.begin(), action.begin() + static_cast<std::ptrdiff_t>(2 * batch)}},
        static_cast<std::int64_t>(batch));
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<float> got(right[i].size() + outputs[i].offset);
      REQUIRE(read_as(d.queue, y[i], Precision::kSingle, got, waits) == CL_SUCCESS);
      for (std::size_t j = 0; j < right[i].size(); ++j) {
        CHECK(static_cast<double>(got[j + outputs[i].offset]) == Approx(right[i][j]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("C: errors with several inputs and outputs have their status and name the matrix") {
  const TestDevice d;
  const OpenLibrary open(d);
  const SeveralPorts made(open.library);
  const tw_network* net = made.net;
  const auto said = [](const std::string& text) {
    CAPTURE(tw_last_error());
    CHECK(std::string(tw_last_error()).find(text) != std::string::npos);
  };
  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 1024);
  const auto forward = [&](auto change) {
    std::vector<tw_matrix> inputs = {tw_make_matrix(buffer(), 0, 3),
                                     tw_make_matrix(buffer(), 16, 2)};
    std::vector<tw_matrix> outputs = {tw_make_matrix(buffer(), 32, 4),
                                      tw_make_matrix(buffer(), 64, 5),
                                      tw_make_matrix(buffer(), 96, 3)};
    change(inputs, outputs);
    return tw_network_forward(net, d.queue(), 2, inputs.data(), inputs.size(), outputs.data(),
                              outputs.size(), nullptr, 0, nullptr, nullptr);
  };
  CHECK(forward([](auto&, auto&) {}) == TW_SUCCESS);
  CHECK(forward([](auto& in, auto&) { in.pop_back(); }) == TW_INVALID_VALUE);
  said("the network has 2 inputs, but 1 matrices are given");
  CHECK(forward([](auto&, auto& out) { out.push_back(out.front()); }) == TW_INVALID_VALUE);
  said("the network has 3 outputs, but 4 matrices are given");
  CHECK(forward([](auto& in, auto&) { in[1].ld = 1; }) == TW_INVALID_LD_INPUT);
  said("leading dimension of input 2 ('action') is 1, but must be at least 2");
  CHECK(forward([](auto&, auto& out) { out[1].ld = 4; }) == TW_INVALID_LD_OUTPUT);
  said("leading dimension of output 2 ('both') is 4");
  CHECK(forward([](auto& in, auto&) { in[0].buffer = nullptr; }) == TW_INVALID_BUFFER_INPUT);
  said("the buffer of input 1 ('state') is null");
  CHECK(forward([](auto&, auto& out) { out[2].offset = 254; }) == TW_INSUFFICIENT_BUFFER_OUTPUT);
  said("the buffer of output 3 ('again') has 256 elements");
  CHECK(tw_network_forward(net, d.queue(), 2, nullptr, 2, nullptr, 3, nullptr, 0, nullptr,
                           nullptr) == TW_INVALID_VALUE);
  said("inputs is null");
  CHECK(tw_network_forward(nullptr, d.queue(), 2, nullptr, 0, nullptr, 0, nullptr, 0, nullptr,
                           nullptr) == TW_INVALID_VALUE);

  std::size_t index = 9;
  CHECK(tw_network_find_input(net, "value", &index) == TW_INVALID_VALUE);
  said("the network has no input 'value'; it has 'state', 'action'");
  CHECK(tw_network_find_output(net, "state", &index) == TW_INVALID_VALUE);
  said("the network has no output 'state'; it has 'value', 'both', 'again'");
  CHECK(tw_network_find_output(net, nullptr, &index) == TW_INVALID_VALUE);
  CHECK(tw_network_find_output(net, "value", nullptr) == TW_INVALID_VALUE);
  CHECK(tw_network_find_input(nullptr, "state", &index) == TW_INVALID_VALUE);
  CHECK(index == 9);
  CHECK(
      (tw_network_input_name(net, 2) == nullptr && tw_network_output_name(nullptr, 0) == nullptr));
  CHECK((tw_network_output_columns(net, 3) == 0 && tw_network_input_columns(nullptr, 0) == 0));
  CHECK((tw_network_num_inputs(nullptr) == 0 && tw_network_num_outputs(nullptr) == 0));
  std::size_t bytes = 9;
  CHECK(tw_network_workspace_bytes(net, 2, nullptr, 0, nullptr, 0, &bytes) == TW_SUCCESS);
  CHECK(tw_network_workspace_bytes(net, 2, nullptr, 0, nullptr, 0, nullptr) == TW_INVALID_VALUE);
  CHECK(tw_network_workspace_bytes(nullptr, 2, nullptr, 0, nullptr, 0, &bytes) == TW_INVALID_VALUE);
  std::size_t max_bytes = 9;
  CHECK(tw_network_max_workspace_bytes(net, 2, nullptr) == TW_INVALID_VALUE);
  CHECK(tw_network_max_workspace_bytes(nullptr, 2, &max_bytes) == TW_INVALID_VALUE);
  CHECK(max_bytes == 9);
  CHECK(tw_network_max_workspace_bytes(net, 2, &max_bytes) == TW_SUCCESS);
  CHECK(max_bytes >= bytes);
  d.queue.finish();
}

}  // namespace
}  // namespace tilewright

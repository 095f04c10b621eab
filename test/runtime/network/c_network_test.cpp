// Networks through the C API.
#include <tilewright/network.h>

#include <cmath>

#include "api/c_open.hpp"
#include "catch.hpp"
#include "network_case.hpp"
#include "runtime/device/device_matrix.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// The layers of a model for the C API. They point to the arrays of the model.
std::vector<tw_network_layer> c_layers(const NetworkModel& model) {
  std::vector<tw_network_layer> layers;
  for (const NetworkLayer& layer : model.layers) {
    tw_network_layer plain{};
    if (const auto* affine = std::get_if<AffineLayer>(&layer)) {
      plain = {TW_LAYER_AFFINE,
               affine->name.c_str(),
               static_cast<size_t>(affine->inputs),
               static_cast<size_t>(affine->outputs),
               affine->weights.data(),
               affine->bias.empty() ? nullptr : affine->bias.data(),
               0.0f,
               0.0f,
               0.0f,
               0.0f};
    } else {
      const auto& activation = std::get<ActivationLayer>(layer);
      plain.kind =
          static_cast<tw_layer_kind>(TW_LAYER_IDENTITY + static_cast<int>(activation.activation));
      plain.slope = activation.slope;
      plain.shift = activation.shift;
      plain.low = activation.low;
      plain.high = activation.high;
    }
    layers.push_back(plain);
  }
  return layers;
}

tw_status create_typed(tw_library* library, tw_type type,
                       const std::vector<tw_network_layer>& layers, tw_network** out) {
  const tw_network_desc desc = tw_make_network_desc(type, layers.data(), layers.size());
  return tw_network_create(library, &desc, out);
}

// Runs a network with one input and one output.
tw_status forward_one(const tw_network* net, cl_command_queue queue, std::size_t batch,
                      const tw_matrix& input, const tw_matrix& output, const tw_memory* workspace,
                      std::vector<cl_event> wait = {}, cl_event* done = nullptr) {
  return tw_network_forward(net, queue, batch, &input, 1, &output, 1, workspace,
                            static_cast<cl_uint>(wait.size()), wait.empty() ? nullptr : wait.data(),
                            done);
}

NetworkModel all_kinds() {
  NetworkModel model;
  for (int activation = 0; activation < static_cast<int>(kNumActivations); ++activation) {
    const std::size_t layers = model.layers.size();
    model.layers.push_back(affine(12, 12, layers % 4 != 0, static_cast<unsigned>(layers)));
    model.layers.push_back(make_layer(static_cast<Activation>(activation)));
  }
  return model;
}

TEST_CASE("C: a network in half precision") {
  const TestDevice d;
  const OpenLibrary open(d);
  NetworkModel model = all_kinds();
  const auto layers = c_layers(model);
  tw_network* net = nullptr;
  REQUIRE(create_typed(open.library, TW_HALF, layers, &net) == TW_SUCCESS);
  CHECK(tw_network_type(net) == TW_HALF);
  CHECK(tw_network_type(nullptr) == TW_FLOAT);
  std::mt19937 random(1);
  const auto input = stored_matrix<Half>(7, 12, 2, 1, random);
  const auto output = stored_matrix<Half>(7, 12, 1, 0, random);
  const Matrix in = upload(d, input);
  std::vector<float> dense;
  for (std::size_t i = 0; i < 7; ++i) {
    const auto row = input.data.begin() + static_cast<std::ptrdiff_t>(input.offset + i * input.ld);
    dense.insert(dense.end(), row, row + 12);
  }
  const std::vector<double> right =
      host_forward(round_to_precision(model, Precision::kHalf), dense, 7);
  double largest = 0.0;
  for (const double value : right) largest = std::max(largest, std::abs(value));
  std::size_t bytes = 0;
  const CMatrix c_in = to_c(in);
  const tw_matrix c_like = tw_make_matrix(nullptr, output.offset, output.ld);
  REQUIRE(tw_network_workspace_bytes(net, 7, &c_in, 1, &c_like, 1, &bytes) == TW_SUCCESS);
  // Room for two batches between layers is the minimum; a single-precision network needs more.
  REQUIRE(bytes >= 2 * 7 * 12 * sizeof(Half));
  tw_network* floats = nullptr;
  REQUIRE(create_typed(open.library, TW_FLOAT, layers, &floats) == TW_SUCCESS);
  std::size_t more = 0;
  CHECK(tw_network_workspace_bytes(floats, 7, &c_in, 1, &c_like, 1, &more) == TW_SUCCESS);
  CHECK(bytes < more);
  tw_network_free(floats);
  constexpr std::size_t kOffset = 384;  // bytes
  const cl::Buffer own(d.context, CL_MEM_READ_WRITE, kOffset + bytes);
  for (const bool mine : {false, true}) {
    const Matrix out = upload(d, output);
    cl_event done = nullptr;
    const CMatrix c_out = to_c(out);
    const tw_memory workspace = {own(), kOffset};
    REQUIRE(forward_one(net, d.queue(), 7, c_in, c_out, mine ? &workspace : nullptr, {}, &done) ==
            TW_SUCCESS);
    const std::vector<Half> got = download<Half>(d, out, {cl::Event(done)});
    for (std::size_t i = 0; i < right.size(); ++i) {
      const double element = static_cast<double>(float{got[output.offset + i]});
      CHECK(std::abs(element - right[i]) <= max_relative_error(model, Precision::kHalf) * largest);
    }
    // With a larger offset, the workspace does not fit into the buffer.
    const tw_memory later = {own(), kOffset + 128};
    CHECK(forward_one(net, d.queue(), 7, c_in, c_out, &later) == TW_INSUFFICIENT_WORKSPACE);
  }
  tw_network_free(net);
  std::get<AffineLayer>(model.layers[0]).weights[3] = 1e5f;
  CHECK(create_typed(open.library, TW_HALF, c_layers(model), &net) == TW_INVALID_NETWORK);
  CHECK(std::string(tw_last_error()).find("layer 1 has the weight 100000") != std::string::npos);
}

TEST_CASE("C: a network with all kinds of layers, with memory of the library and of the caller") {
  const TestDevice d;
  const NetworkModel model = all_kinds();
  tw_network* net = nullptr;
  {
    const OpenLibrary open(d);
    const auto layers = c_layers(model);
    REQUIRE(create_typed(open.library, TW_FLOAT, layers, &net) == TW_SUCCESS);
  }
  CHECK(tw_network_input_columns(net, 0) == 12);
  CHECK(tw_network_output_columns(net, 0) == 12);
  const NetworkCase test(Network(Library::open(d.context, d.device), model), 7, 2, 1, 1);
  const Matrix in = upload(d, test.input);
  REQUIRE(tw_network_prepare(net, d.queue(), 7) == TW_SUCCESS);
  std::size_t bytes = 0;
  const CMatrix c_in = to_c(in);
  const tw_matrix c_like = tw_make_matrix(nullptr, test.output.offset, test.output.ld);
  REQUIRE(tw_network_workspace_bytes(net, 7, &c_in, 1, &c_like, 1, &bytes) == TW_SUCCESS);
  REQUIRE(bytes >= 2 * 7 * 12 * sizeof(float));
  const cl::Buffer own(d.context, CL_MEM_READ_WRITE, 128 + bytes);
  for (const bool mine : {false, true}) {
    const Matrix out = upload(d, test.output);
    cl::UserEvent gate(d.context);
    const cl_event wait = gate();
    cl_event done = nullptr;
    const CMatrix c_out = to_c(out);
    const tw_memory workspace = {own(), 128};
    REQUIRE(forward_one(net, d.queue(), 7, c_in, c_out, mine ? &workspace : nullptr, {wait},
                        &done) == TW_SUCCESS);
    const cl::Event event(done);
    CHECK(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    CHECK(test.wrong(model, download(d, out, {event})) == "");
    const tw_memory later = {own(), 256};
    CHECK(forward_one(net, d.queue(), 7, c_in, c_out, &later) == TW_INSUFFICIENT_WORKSPACE);
  }
  tw_network_free(net);
}

// A layer of a later version of the header.
struct LaterLayer {
  tw_network_layer layer;
  double later;
};

TEST_CASE("C: layers of later headers are accepted if they use nothing new") {
  const TestDevice d;
  const OpenLibrary open(d);
  const NetworkModel model = all_kinds();
  std::vector<LaterLayer> layers;
  for (const tw_network_layer& layer : c_layers(model)) layers.push_back({layer, 0.0});
  tw_network_desc desc = tw_make_network_desc(TW_FLOAT, &layers.front().layer, layers.size());
  desc.layer_size = sizeof(LaterLayer);
  tw_network* net = nullptr;
  REQUIRE(tw_network_create(open.library, &desc, &net) == TW_SUCCESS);
  CHECK(tw_network_output_columns(net, 0) == 12);
  tw_network_free(net);
  layers[2].later = 1.0;
  CHECK(tw_network_create(open.library, &desc, &net) == TW_INVALID_VALUE);
  CHECK(std::string(tw_last_error()).find("layer 3 has members") != std::string::npos);
}

TEST_CASE("C: errors of networks and forward passes have their status") {
  const TestDevice d;
  const OpenLibrary open(d);
  const NetworkModel model = all_kinds();
  const auto good = c_layers(model);
  tw_network* net = reinterpret_cast<tw_network*>(&net);
  const auto create = [&](auto change) {
    auto layers = good;
    change(layers);
    return create_typed(open.library, TW_FLOAT, layers, &net);
  };
  CHECK(create([](auto& l) { l[2].weights = nullptr; }) == TW_INVALID_NETWORK);
  CHECK(net == nullptr);
  CHECK(std::string(tw_last_error()) == "layer 3 has no weights");
  CHECK(create([](auto& l) { l[1].kind = static_cast<tw_layer_kind>(16); }) == TW_INVALID_NETWORK);
  CHECK(std::string(tw_last_error()) == "layer 2 has the unknown kind 16");
  CHECK(create([](auto& l) { l[2].inputs = 11; }) == TW_INVALID_NETWORK);
  CHECK(create([](auto& l) { l[2].outputs = SIZE_MAX; }) == TW_INVALID_DIMENSION);
  CHECK(create([](auto& l) { l[5].slope = HUGE_VALF; }) == TW_INVALID_NETWORK);
  CHECK(create([](auto& l) { l.clear(); }) == TW_INVALID_NETWORK);
  CHECK(create_typed(nullptr, TW_FLOAT, good, &net) == TW_INVALID_VALUE);
  CHECK(create_typed(open.library, TW_FLOAT, good, nullptr) == TW_INVALID_VALUE);
  tw_network_desc desc = tw_make_network_desc(TW_FLOAT, nullptr, 1);
  CHECK(tw_network_create(open.library, &desc, &net) == TW_INVALID_VALUE);
  desc = tw_make_network_desc(TW_FLOAT, good.data(), good.size());
  desc.layer_size = 8;
  CHECK(tw_network_create(open.library, &desc, &net) == TW_INVALID_VALUE);
  desc.layer_size = sizeof(tw_network_layer);
  desc.struct_size = 0;
  CHECK(tw_network_create(open.library, &desc, &net) == TW_INVALID_VALUE);
  CHECK(net == nullptr);
  REQUIRE(create([](auto&) {}) == TW_SUCCESS);

  const cl::Buffer buffer(d.context, CL_MEM_READ_WRITE, 1024);
  const auto forward = [&](const tw_network* with, cl_command_queue queue, std::size_t ld,
                           cl_mem out, cl_uint num_wait) {
    const tw_matrix x = tw_make_matrix(buffer(), 0, ld);
    const tw_matrix y = tw_make_matrix(out, 100, 12);
    return tw_network_forward(with, queue, 2, &x, 1, &y, 1, nullptr, num_wait, nullptr, nullptr);
  };
  CHECK(forward(nullptr, d.queue(), 12, buffer(), 0) == TW_INVALID_VALUE);
  CHECK(forward(net, nullptr, 12, buffer(), 0) == TW_INVALID_QUEUE);
  CHECK(forward(net, d.queue(), 11, buffer(), 0) == TW_INVALID_LD_INPUT);
  CHECK(forward(net, d.queue(), 12, nullptr, 0) == TW_INVALID_BUFFER_OUTPUT);
  CHECK(forward(net, d.queue(), 12, buffer(), 1) == TW_INVALID_VALUE);
  CHECK(forward(net, d.queue(), 12, buffer(), 0) == TW_SUCCESS);
  const tw_matrix packed = tw_make_packed_matrix(reinterpret_cast<const tw_packed*>(&net));
  const tw_matrix y = tw_make_matrix(buffer(), 100, 12);
  CHECK(forward_one(net, d.queue(), 2, packed, y, nullptr) == TW_INVALID_VALUE);
  CHECK(std::string(tw_last_error()).find("an input is packed") != std::string::npos);
  // The first of the listed offsets counts, and lets the output end after the buffer.
  const std::size_t last = 1024 / sizeof(float) - 100 - 24;
  for (const std::size_t offset : {last, last + 1}) {
    tw_matrix listed = y;
    listed.offsets = &offset;
    CHECK(forward_one(net, d.queue(), 2, tw_make_matrix(buffer(), 0, 12), listed, nullptr) ==
          (offset == last ? TW_SUCCESS : TW_INSUFFICIENT_BUFFER_OUTPUT));
  }
  std::size_t bytes = 0;
  const tw_matrix narrow = tw_make_matrix(nullptr, 0, 11);
  CHECK(tw_network_workspace_bytes(net, 2, &narrow, 1, nullptr, 0, &bytes) == TW_INVALID_LD_INPUT);
  CHECK(tw_network_prepare(nullptr, d.queue(), 2) == TW_INVALID_VALUE);
  CHECK(tw_network_prepare(net, nullptr, 2) == TW_INVALID_QUEUE);
  d.queue.finish();
  tw_network_free(net);
  tw_network_free(nullptr);
}

}  // namespace
}  // namespace tilewright

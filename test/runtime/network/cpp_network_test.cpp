// Networks through the C++ interface.
#include <tilewright/network.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "models/model_files.hpp"
#include "network_case.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

TEST_CASE("C++: the default slopes of activations are those of ONNX") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const auto is_at = [&](const tw::Layer& layer, float x, float right) {
    const tw::Network net(library, {tw::Layer::affine(1, 1, {1.0f}), layer});
    std::vector<float> in{x}, out{0.0f};
    const cl::Buffer from(d.queue, in.begin(), in.end(), true);
    const cl::Buffer to(d.context, CL_MEM_READ_WRITE, sizeof(float));
    net.forward(d.queue, 1, from, to).wait();
    cl::copy(d.queue, to, out.begin(), out.end());
    return std::abs(out[0] - right) < 1e-5f;
  };
  CHECK(is_at({TW_LAYER_ELU}, -1.0f, std::exp(-1.0f) - 1.0f));
  CHECK(is_at({TW_LAYER_LEAKY_RELU}, -1.0f, -0.01f));
  CHECK(is_at({TW_LAYER_HARD_SIGMOID}, 1.0f, 0.7f));
  CHECK(is_at({TW_LAYER_CLIP}, 7.0f, 6.0f));
  tw::Layer elu{TW_LAYER_ELU};
  CHECK(elu.slope == tw::Layer::default_slope());  // no NaN, which -ffast-math would not see
  elu.slope = 2.0f;
  CHECK(is_at(elu, -1.0f, 2.0f * (std::exp(-1.0f) - 1.0f)));
}

// y = 2 x + 1 for x >= 0.
std::vector<tw::Layer> small_layers() {
  return {tw::Layer::affine(1, 1, {2.0f}, {1.0f}, "first"), {TW_LAYER_RELU}};
}

struct Batch {
  explicit Batch(const TestDevice& device)
      : d(device),
        x(d.queue, inputs.begin(), inputs.end(), true),
        y(d.context, CL_MEM_READ_WRITE, 2 * sizeof(float)) {}
  std::vector<float> read(const tw::Event& done) const {
    done.wait();
    std::vector<float> outputs(2);
    cl::copy(d.queue, y, outputs.begin(), outputs.end());
    return outputs;
  }

  const TestDevice& d;
  std::vector<float> inputs{3.0f, -3.0f};
  cl::Buffer x, y;
};

TEST_CASE("C++: a network of layers") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const Batch batch(d);
  const tw::Network net(library, small_layers());
  CHECK(net.num_inputs() == 1);
  CHECK(net.num_outputs() == 1);
  CHECK(net.input_columns() == 1);
  CHECK(net.output_columns() == 1);
  CHECK(net.output_columns(1) == 0);
  CHECK(net.input_name(0).empty());
  CHECK(net.input_name(1).empty());
  net.prepare(d.queue, 2);
  const std::vector<float> expected{7.0f, 0.0f};
  CHECK(batch.read(net.forward(d.queue, 2, batch.x, batch.y)) == expected);
  const std::size_t bytes = net.max_workspace_bytes(2);
  CHECK(bytes >= net.workspace_bytes(2));
  CHECK(net.workspace_bytes(2) ==
        net.workspace_bytes(2, {tw::Matrix(batch.x)}, {tw::Matrix(batch.y)}));
  const cl::Buffer workspace(d.context, CL_MEM_READ_WRITE, bytes + 4);
  CHECK(batch.read(net.forward_all(d.queue, 2, {tw::Matrix(batch.x)}, {tw::Matrix(batch.y)},
                                   workspace)) == expected);
  const std::string explained = net.explain(2);
  CHECK(explained.rfind("1  first", 0) == 0);
  CHECK_THAT(net.explain(0), Catch::Matchers::ContainsSubstring("batch is empty"));
}

TEST_CASE("C++: a network from a file, with inputs and outputs by name") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const Batch batch(d);
  const TemporaryFolder folder;
  const std::string path = folder.file("net.json");
  write_network_model(
      {{AffineLayer{"first", 1, 1, {2.0f}, {1.0f}}, ActivationLayer{"", Activation::kRelu}}}, path);
  const tw::Network net = tw::Network::load(library, path);
  CHECK(batch.read(net.forward(d.queue, 2, batch.x, batch.y)) == std::vector<float>{7.0f, 0.0f});
  CHECK(net.find_input(net.input_name(0)) == 0);
  CHECK(net.find_output(net.output_name(0)) == 0);
  const auto status = [](const std::function<void()>& body) {
    try {
      body();
    } catch (const tw::Error& error) {
      return error.status();
    }
    return TW_SUCCESS;
  };
  CHECK(status([&] { net.find_input("absent"); }) == TW_INVALID_VALUE);
  CHECK(status([&] { net.find_output("absent"); }) == TW_INVALID_VALUE);
  CHECK(status([&] { net.forward(d.queue, 2, tw::Matrix(), batch.y); }) == TW_INVALID_BUFFER_INPUT);
  CHECK(status([&] { net.forward_all(d.queue, 2, {}, {}); }) == TW_INVALID_VALUE);
  CHECK(status([&] { tw::Network::load(library, "absent.onnx"); }) == TW_INVALID_NETWORK);
  CHECK(status([&] { tw::Network::load(library, "absent.onnx", TW_HALF); }) == TW_INVALID_NETWORK);
  CHECK(status([&] { tw::Network::load_memory(library, "text", 4); }) == TW_INVALID_NETWORK);
  CHECK(status([&] { tw::Network(library, small_layers(), TW_DOUBLE); }) == TW_UNSUPPORTED_TYPE);
  CHECK(status([&] { tw::Network(tw::Library(), small_layers()); }) == TW_INVALID_VALUE);
  // The sizes of arrays, which the C interface cannot check.
  CHECK(status([&] { tw::Network(library, {tw::Layer::affine(2, 3, {1.0f})}); }) ==
        TW_INVALID_NETWORK);
  CHECK(status([&] {
          tw::Network(library, {tw::Layer::affine(1, 1, {1.0f}, {1.0f, 2.0f})});
        }) == TW_INVALID_NETWORK);
}

TEST_CASE("C++: outputs of a file are chosen by name, in any order") {
  const TestDevice d;
  const tw::Library library(d.queue);
  const TemporaryFolder folder;
  const std::string path = write_without_policy(folder);
  const std::string bytes = read_content(path);
  CHECK_THROWS_AS(tw::Network::load(library, path), tw::Error);
  const std::vector<std::string> outputs = {"advantage", "value"};
  for (const tw::Network& net :
       {tw::Network::load(library, path, TW_HALF, outputs),
        tw::Network::load_memory(library, bytes.data(), bytes.size(), TW_HALF, outputs)}) {
    REQUIRE(net.num_outputs() == 2);
    CHECK(net.output_name(0) == "advantage");
    CHECK(net.output_name(1) == "value");
    CHECK(net.num_inputs() == 1);
    CHECK(net.type() == TW_HALF);
  }
}

TEST_CASE("C++: outputs that are left out are logged, and the log outlives the library") {
  const TestDevice d;
  const TemporaryFolder folder;
  NetworkModel model = policy_model();
  std::rotate(model.outputs.begin(), model.outputs.begin() + 1, model.outputs.end());
  const std::string path = written_without_tanh(model, folder);
  std::vector<std::string> lines;
  const auto is_logged = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  tw::Network net;
  {
    const tw::Library library(
        d.queue, tw::Options().log(
                     [&](tw_log_severity, const std::string& line) { lines.push_back(line); }));
    net = tw::Network::load(library, path);
    CHECK(net.num_outputs() == 2);
    CHECK(is_logged("the network has no output 'policy': "));
    CHECK(is_logged("operation 'LSTM' is not supported"));
  }
  lines.clear();
  net.prepare(d.queue, 3);
  CHECK_FALSE(lines.empty());
}

TEST_CASE("C++: a network that is empty or was moved from, and one that outlives its library") {
  const TestDevice d;
  const Batch batch(d);
  tw::Network net(tw::Library(d.queue), small_layers());
  tw::Network other = std::move(net);
  const std::vector<std::function<void()>> uses{
      [&] { net.num_inputs(); },
      [&] { net.num_outputs(); },
      [&] { net.input_name(0); },
      [&] { net.output_name(0); },
      [&] { net.input_columns(); },
      [&] { net.output_columns(); },
      [&] { net.find_input(""); },
      [&] { net.find_output(""); },
      [&] { net.prepare(d.queue, 1); },
      [&] { net.workspace_bytes(1); },
      [&] { net.max_workspace_bytes(1); },
      [&] { net.explain(1); },
      [&] { net.forward(d.queue, 2, batch.x, batch.y); },
      [&] { net.forward_all(d.queue, 2, {tw::Matrix(batch.x)}, {tw::Matrix(batch.y)}); }};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    INFO("use " << i);
    tw_status status = TW_SUCCESS;
    try {
      uses[i]();
    } catch (const tw::Error& error) {
      status = error.status();
    }
    CHECK(status == TW_INVALID_VALUE);
  }
  net = std::move(other);
  CHECK(batch.read(net.forward(d.queue, 2, batch.x, batch.y)) == std::vector<float>{7.0f, 0.0f});
}

}  // namespace
}  // namespace tilewright

// Networks from files through the C API.
#include <tilewright/network.h>

#include <string>
#include <vector>

#include "api/c_open.hpp"
#include "catch.hpp"
#include "model_files.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/network/model/host_network.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

// A network that is freed at the end of the scope, and the status of loading it.
struct LoadedNetwork {
  LoadedNetwork(const OpenLibrary& open, const std::string& path,
                const tw_network_load_options* options = nullptr)
      : status(tw_network_load(open.library, path.c_str(), options, &net)) {}
  ~LoadedNetwork() { tw_network_free(net); }
  LoadedNetwork(const LoadedNetwork&) = delete;
  LoadedNetwork& operator=(const LoadedNetwork&) = delete;

  tw_network* net = nullptr;
  tw_status status;
};

struct ChosenOutputs {
  explicit ChosenOutputs(std::vector<const char*> outputs) : names(std::move(outputs)) {
    options.outputs = names.data();
    options.num_outputs = names.size();
  }
  std::vector<const char*> names;
  tw_network_load_options options = tw_make_network_load_options();
};

bool contains_error(const std::string& text) {
  UNSCOPED_INFO(tw_last_error());
  return std::string(tw_last_error()).find(text) != std::string::npos;
}

// Returns the outputs for one sample.
std::vector<std::vector<float>> run_sample(const TestDevice& d, const tw_network* net,
                                           const std::vector<std::vector<double>>& inputs) {
  std::vector<cl::Buffer> x, y;
  std::vector<tw_matrix> in, out;
  for (const std::vector<double>& input : inputs) {
    x.push_back(upload(d.context, Precision::kSingle, input));
    in.push_back(tw_make_matrix(x.back()(), 0, 0));
  }
  for (std::size_t i = 0; i < tw_network_num_outputs(net); ++i) {
    y.emplace_back(d.context, CL_MEM_READ_WRITE, tw_network_output_columns(net, i) * sizeof(float));
    out.push_back(tw_make_matrix(y.back()(), 0, 0));
  }
  cl_event done = nullptr;
  REQUIRE(tw_network_forward(net, d.queue(), 1, in.data(), in.size(), out.data(), out.size(),
                             nullptr, 0, nullptr, &done) == TW_SUCCESS);
  const std::vector<cl::Event> waits{cl::Event(done)};
  std::vector<std::vector<float>> results;
  for (std::size_t i = 0; i < y.size(); ++i) {
    results.emplace_back(tw_network_output_columns(net, i));
    REQUIRE(read_as(d.queue, y[i], Precision::kSingle, results.back(), waits) == CL_SUCCESS);
  }
  return results;
}

void check_equal(const std::vector<float>& result, const std::vector<double>& expected) {
  REQUIRE(result.size() == expected.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    CHECK(static_cast<double>(result[i]) == Approx(expected[i]).epsilon(1e-5));
  }
}

TEST_CASE("C: networks from files and from memory") {
  const TestDevice d;
  const OpenLibrary open(d);
  const TemporaryFolder folder;
  const std::string path = folder.file("net.json");
  write_network_model(sample_model(), path);
  tw_network_load_options options = tw_make_network_load_options();
  for (const tw_type type : {TW_FLOAT, TW_HALF}) {
    options.type = type;
    const LoadedNetwork loaded(open, path, &options);
    REQUIRE(loaded.status == TW_SUCCESS);
    CHECK(tw_network_input_columns(loaded.net, 0) == 3);
  }
  const auto refused = [&](tw_status status, tw_network*& net, const std::string& text,
                           tw_status expected = TW_INVALID_NETWORK) {
    CHECK(status == expected);
    CHECK(net == nullptr);
    CHECK(contains_error(text));
  };
  tw_network* net = reinterpret_cast<tw_network*>(&net);
  options.type = TW_DOUBLE;
  refused(tw_network_load(open.library, path.c_str(), &options, &net), net,
          "networks support single and half precision", TW_UNSUPPORTED_TYPE);
  refused(tw_network_load(open.library, "net.pt", nullptr, &net), net, "'.pt'");
  refused(tw_network_load(open.library, folder.file("none.json").c_str(), nullptr, &net), net,
          "none.json");
  refused(tw_network_load(open.library, nullptr, nullptr, &net), net, "the path is null",
          TW_INVALID_VALUE);
  refused(tw_network_load(nullptr, "net.json", nullptr, &net), net, "the library is null",
          TW_INVALID_VALUE);
  refused(tw_network_load_memory(open.library, nullptr, 1, nullptr, &net), net, "data is null",
          TW_INVALID_VALUE);
  refused(tw_network_load_memory(open.library, "{}", 2, nullptr, &net), net, "'layers'");
  refused(tw_network_load_memory(open.library, "???", 3, nullptr, &net), net,
          "in memory: is not an ONNX");
  CHECK(tw_network_load(open.library, "net.json", nullptr, nullptr) == TW_INVALID_VALUE);
  write_network_model(sample_model(), folder.file("net.onnx"));
  const std::string bytes = read_content(folder.file("net.onnx"));
  REQUIRE(tw_network_load_memory(open.library, bytes.data(), bytes.size(), nullptr, &net) ==
          TW_SUCCESS);
  CHECK(tw_network_output_columns(net, 0) == 2);
  tw_network_free(net);
  refused(tw_network_load_memory(open.library, bytes.data(), bytes.size() / 2, nullptr, &net), net,
          "truncated");
}

TEST_CASE("C: a JSON definition with its matrices is loaded from memory") {
  const TestDevice d;
  const OpenLibrary open(d);
  const std::string text =
      R"({"layers": [{"layer": "AffineLayer", "weights":
          {"rows": 1, "cols": 2, "data_type": "values", "values": [0.5, -1]}}]})";
  tw_network* net = nullptr;
  REQUIRE(tw_network_load_memory(open.library, text.data(), text.size(), nullptr, &net) ==
          TW_SUCCESS);
  CHECK(tw_network_input_columns(net, 0) == 2);
  CHECK(tw_network_output_columns(net, 0) == 1);
  tw_network_free(net);
}

TEST_CASE("C: outputs of a file are chosen by name, in any order") {
  const TestDevice d;
  const OpenLibrary open(d);
  const TemporaryFolder folder;
  const std::string path = folder.file("net.onnx");
  write_network_model(policy_model(), path);
  const std::vector<double> goal = {0.5}, state = {-4.0, 8.0, -12.0};
  const auto expected = host_forward_all(policy_model(), {goal, state}, 1);
  REQUIRE(expected[1] != expected[2]);
  const LoadedNetwork all(open, path);
  REQUIRE(all.status == TW_SUCCESS);
  REQUIRE(tw_network_num_outputs(all.net) == 3);
  const auto whole = run_sample(d, all.net, {goal, state});
  for (std::size_t i = 0; i < 3; ++i) check_equal(whole[i], expected[i]);

  const ChosenOutputs two({"advantage", "policy"});
  const LoadedNetwork reversed(open, path, &two.options);
  REQUIRE(reversed.status == TW_SUCCESS);
  REQUIRE(tw_network_num_outputs(reversed.net) == 2);
  CHECK(std::string(tw_network_output_name(reversed.net, 0)) == "advantage");
  CHECK(std::string(tw_network_output_name(reversed.net, 1)) == "policy");
  const auto results = run_sample(d, reversed.net, {goal, state});
  check_equal(results[0], expected[2]);
  check_equal(results[1], expected[0]);

  // Inputs that the output does not need are left out.
  const ChosenOutputs one({"value"});
  const std::string bytes = read_content(path);
  tw_network* value = nullptr;
  REQUIRE(tw_network_load_memory(open.library, bytes.data(), bytes.size(), &one.options, &value) ==
          TW_SUCCESS);
  REQUIRE(tw_network_num_inputs(value) == 1);
  CHECK(std::string(tw_network_input_name(value, 0)) == "state");
  check_equal(run_sample(d, value, {state}).at(0), expected[1]);
  tw_network_free(value);
}

TEST_CASE("C: a file whose first output cannot be computed is refused unless outputs are chosen") {
  const TestDevice d;
  const OpenLibrary open(d);
  const TemporaryFolder folder;
  const std::string path = write_without_policy(folder);
  const LoadedNetwork first(open, path);
  CHECK(first.status == TW_INVALID_NETWORK);
  CHECK(first.net == nullptr);
  CHECK(contains_error("without.onnx': the first output, 'policy'"));
  CHECK(contains_error("'value', 'advantage'"));
  const std::string bytes = read_content(path);
  tw_network* net = nullptr;
  CHECK(tw_network_load_memory(open.library, bytes.data(), bytes.size(), nullptr, &net) ==
        TW_INVALID_NETWORK);
  CHECK(contains_error("model: the first output, 'policy'"));

  const ChosenOutputs advantage({"advantage"});
  const LoadedNetwork chosen(open, path, &advantage.options);
  REQUIRE(chosen.status == TW_SUCCESS);
  const std::vector<double> state = {-4.0, 8.0, -12.0};
  const auto expected = host_forward_all(policy_model(), {{0.0}, state}, 1);
  REQUIRE(expected[1] != expected[2]);
  check_equal(run_sample(d, chosen.net, {state}).at(0), expected[2]);

  const ChosenOutputs policy({"value", "policy"});
  CHECK(LoadedNetwork(open, path, &policy.options).status == TW_INVALID_NETWORK);
  CHECK(contains_error("without.onnx': the output 'policy'"));
  const ChosenOutputs unknown({"price"});
  CHECK(LoadedNetwork(open, path, &unknown.options).status == TW_INVALID_NETWORK);
  CHECK(contains_error("no output 'price'"));
}

// Options of a later version of the header.
struct LaterOptions {
  tw_network_load_options options;
  size_t later;
};

TEST_CASE("C: options for loading networks are checked") {
  const TestDevice d;
  const OpenLibrary open(d);
  const TemporaryFolder folder;
  const std::string path = folder.file("net.onnx");
  write_network_model(policy_model(), path);
  const auto status = [&](const tw_network_load_options& options) {
    return LoadedNetwork(open, path, &options).status;
  };
  ChosenOutputs chosen({"value", nullptr});
  CHECK(status(chosen.options) == TW_INVALID_VALUE);
  CHECK(contains_error("the name of an output is null"));
  chosen.options.num_outputs = 0;
  CHECK(status(chosen.options) == TW_INVALID_VALUE);
  chosen.options.outputs = nullptr;
  CHECK(status(chosen.options) == TW_SUCCESS);
  chosen.options.num_outputs = 1;
  CHECK(status(chosen.options) == TW_INVALID_VALUE);
  tw_network_load_options uninitialised = {};
  CHECK(status(uninitialised) == TW_INVALID_VALUE);
  LaterOptions later = {tw_make_network_load_options(), 0};
  later.options.struct_size = sizeof(later);
  CHECK(status(later.options) == TW_SUCCESS);
  later.later = 1;
  CHECK(status(later.options) == TW_INVALID_VALUE);
  CHECK(contains_error("options"));
}

}  // namespace
}  // namespace tilewright

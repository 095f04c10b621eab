// Networks drawn over the whole language of graphs (graph_maker.hpp): a forward on a device is
// compared with an interpreter of the model in double precision (host_network.hpp), which knows
// nothing of steps and kernels.
#include "runtime/models/network_files.hpp"
#include "runtime/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "catch.hpp"
#include "graph_maker.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/model/operations.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

constexpr unsigned kGraphs = 100;  // from the seeds 1 to kGraphs; the quick test runs the first ten

// One matrix for each port, with offsets and gaps.
struct GraphBatch {
  std::vector<std::vector<double>> dense;  // batch x columns
  std::vector<Matrix> matrices;
};

template <class Element>
GraphBatch make_batch(const TestDevice& d, const std::vector<NetworkPort>& ports, std::size_t rows,
                      unsigned seed, const Element& element) {
  GraphBatch batch;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::size_t columns = ports[i].columns;
    const std::size_t offset = (seed + i) % 3;
    const std::size_t ld = columns + (seed + 2 * i) % 2;
    std::vector<double> all(offset + rows * ld, std::nan(""));
    batch.dense.emplace_back();
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        const double value = element();
        batch.dense.back().push_back(value);
        all[offset + row * ld + column] = value;
      }
    }
    batch.matrices.push_back({upload(d.context, Precision::kSingle, all), offset, ld});
  }
  return batch;
}

// Compares the outputs of `model` on the device with those of the interpreter for `right`, which is
// the same network. Returns what is wrong, or "".
std::string wrong_outputs(const TestDevice& d, const LibraryHandle& library,
                          const NetworkModel& model, const NetworkModel& right_model,
                          std::size_t rows, unsigned seed) {
  const Network net(library, model);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> element(-1.0f, 1.0f);
  const GraphBatch inputs = make_batch(d, net.input_ports(), rows, seed,
                                       [&] { return static_cast<double>(element(random)); });
  const GraphBatch outputs =
      make_batch(d, net.output_ports(), rows, seed + 1, [] { return std::nan(""); });
  // Half of the seeds use the workspace for all batches of up to 7 rows.
  const std::size_t bytes = seed % 2 == 0 && rows <= 7
                                ? net.max_workspace_bytes(7)
                                : net.workspace_bytes_all(rows, inputs.matrices, outputs.matrices);
  NetworkForward with;
  with.workspace = dirty_workspace(d, bytes);
  const cl::Event done =
      net.forward_all(d.queue, inputs.matrices, outputs.matrices, rows, {}, with);
  const auto right = host_forward_all(right_model, inputs.dense, static_cast<std::int64_t>(rows));
  for (std::size_t i = 0; i < right.size(); ++i) {
    const Matrix& output = outputs.matrices[i];
    const std::size_t columns = right[i].size() / rows;
    std::vector<float> got(output.offset + rows * output.ld);
    if (read_as(d.queue, output.buffer, Precision::kSingle, got, {done}) != CL_SUCCESS) {
      return "an output cannot be read";
    }
    double largest = 1e-3;
    for (const double value : right[i]) largest = std::max(largest, std::abs(value));
    for (std::size_t j = 0; j < right[i].size(); ++j) {
      const std::size_t place = output.offset + j / columns * output.ld + j % columns;
      const double off = std::abs(static_cast<double>(got[place]) - right[i][j]);
      if (!(off <= 1e-4 * largest)) {
        return "output " + std::to_string(i) + ": element " + std::to_string(j) + " is " +
               std::to_string(got[place]) + " instead of " + std::to_string(right[i][j]);
      }
      got[place] = std::nanf("");
    }
    if (!std::all_of(got.begin(), got.end(), [](float value) { return std::isnan(value); })) {
      return "output " + std::to_string(i) + ": something between the rows was written";
    }
  }
  return "";
}

std::string wrong_outputs(const TestDevice& d, const LibraryHandle& library,
                          const NetworkModel& model, std::size_t rows, unsigned seed) {
  return wrong_outputs(d, library, model, model, rows, seed);
}

// ONNX files hold no constants in concatenations.
bool can_be_written(const NetworkModel& model) {
  return std::none_of(model.layers.begin(), model.layers.end(), [](const NetworkLayer& layer) {
    const auto* operation = std::get_if<OperationLayer>(&layer);
    return operation != nullptr && operation->operation == NetworkOperation::kConcat &&
           std::any_of(operation->operands.begin(), operation->operands.end(),
                       [](const NetworkOperand& operand) { return !operand.constant.empty(); });
  });
}

// The network after it was written to a file, and read with all rewrites for speed.
NetworkModel read_again(const NetworkModel& model) {
  const TemporaryFolder folder;
  write_network_model(model, folder.file("net.onnx"));
  return read_network_model(folder.file("net.onnx"));
}

// Without the layers that no output needs: readers of files drop these, and the inputs.
NetworkModel needed_part(const NetworkModel& model) {
  std::vector<std::size_t> all(model.outputs.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return select_network_outputs(model, all);
}

void check_graphs(unsigned first, unsigned last) {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (unsigned seed = first; seed <= last; ++seed) {
    const NetworkModel model = GraphMaker(seed).make();
    CAPTURE(seed);
    REQUIRE_FALSE(find_fault(model));
    const std::size_t rows = 1 + seed % 7;
    CHECK(wrong_outputs(d, library, model, rows, seed) == "");
    const NetworkModel needed = needed_part(model);
    if (find_fault(needed) || !can_be_written(needed)) continue;
    CHECK(wrong_outputs(d, library, read_again(needed), needed, rows, seed) == "");
  }
}

TEST_CASE("random graphs of all operations have the results of the interpreter") {
  check_graphs(1, 10);
}

TEST_CASE("many random graphs of all operations", "[full]") {
  check_graphs(11, kGraphs);
}

TEST_CASE("the random graphs have every operation and every activation") {
  std::set<NetworkOperation> operations;
  std::set<Activation> activations;
  for (unsigned seed = 1; seed <= kGraphs; ++seed) {
    for (const NetworkLayer& layer : GraphMaker(seed).make().layers) {
      if (const auto* operation = std::get_if<OperationLayer>(&layer)) {
        operations.insert(operation->operation);
      } else if (const auto* activation = std::get_if<ActivationLayer>(&layer)) {
        activations.insert(activation->activation);
      }
    }
  }
  CHECK(operations.size() == kNumOperations);
  CHECK(activations.size() == kNumActivations);
}

TEST_CASE("a constant that is added counts with all digits of a double") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  // Floats of this size are multiples of 128.
  const std::vector<double> x = {1.7e9, 1.7e9 + 128.0, 1.7e9 - 128.0};
  const double mean = 1.7e9 + 3.25;
  const NetworkOperand value{kPreviousValue, {}};
  for (const std::vector<double>& constant :
       {std::vector<double>{mean}, {mean, mean - 1.0, mean}}) {
    const NetworkOperand number{kPreviousValue, constant};
    std::vector<double> negative = constant;
    for (double& each : negative) each = -each;
    for (const OperationLayer& layer :
         {OperationLayer{"", NetworkOperation::kSubtract, {value, number}, {}},
          OperationLayer{"", NetworkOperation::kSubtract, {number, value}, {}},
          OperationLayer{"", NetworkOperation::kAdd, {value, {kPreviousValue, negative}}, {}}}) {
      AffineLayer same{"", 3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {}};
      const NetworkModel model{{layer, same}};
      const Network net(library, model);
      const Matrix y{upload(d.context, Precision::kSingle, x), 0, 3};
      const cl::Event done =
          net.forward(d.queue, {upload(d.context, Precision::kSingle, x), 0, 3}, y, 1);
      std::vector<float> got(3);
      REQUIRE(read_as(d.queue, y.buffer, Precision::kSingle, got, {done}) == CL_SUCCESS);
      CHECK(std::vector<double>(got.begin(), got.end()) == host_forward_all(model, {x}, 1).front());
    }
  }
}

TEST_CASE("a network with several inputs and outputs needs a matrix for each") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  NetworkModel model;
  model.inputs = {{"state", 3}, {"action", 2}};
  model.layers = {OperationLayer{"", NetworkOperation::kConcat, {{0, {}}, {1, {}}}, {}},
                  affine(5, 4, true, 1)};
  model.outputs = {{"value", 3}, {"both", 2}, {"again", 0}};
  const Network net(library, model);
  REQUIRE(net.input_ports().size() == 2);
  CHECK(net.input_ports()[1].name == "action");
  CHECK(net.input_ports()[1].columns == 2);
  REQUIRE(net.output_ports().size() == 3);
  CHECK(net.output_ports()[0].columns == 4);
  CHECK(net.output_ports()[2].columns == 3);
  CHECK(wrong_outputs(d, library, model, 5, 1) == "");
  const cl::Buffer any(d.context, CL_MEM_READ_WRITE, 1024);
  CHECK_THROWS_AS(net.forward(d.queue, {any, 0, 3}, {any, 0, 4}, 5), Error);
  CHECK_THROWS_AS(net.forward_all(d.queue, std::vector<Matrix>{{any, 0, 3}},
                                  std::vector<Matrix>{{any, 0, 4}}, 5),
                  Error);
}

}  // namespace
}  // namespace tilewright

// Networks in files that common exporters wrote (models/exported). Each must give the outputs of
// onnxruntime, or of double precision where single precision loses digits by cancellation.
#include <tilewright/matrix_file.hpp>
#include <tilewright/mlp.hpp>
#include <tilewright/mlp_files.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "catch.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/net/host_mlp.hpp"
#include "runtime/net/model_rules.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Allowed error as a share of the largest element. onnxruntime computes half-precision networks in
// half precision, so for these the error of a network of two layers in half precision is allowed.
double share_for(const std::string& name) {
  return name.find("-float16") != std::string::npos ? 2 * std::ldexp(1.0, -9) : 2e-5;
}

struct Exported {
  std::string name;
  MlpModel model;
  FloatMatrix x;
  FloatMatrix want;  // of the first output with so many columns
};

// Networks with inputs of type float64 that have more digits than a float. The digits are lost
// before the network runs, so the outputs differ.
const std::set<std::string> kDouble = {"1g-double-net-unix-time-in-a-float64-npy-std-1e5-s"};

std::vector<Exported> exported_nets(MlpReading reading = MlpReading::kForSpeed) {
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(TILEWRIGHT_EXPORTED_NETS)) {
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Exported> nets;
  for (const std::string& path : paths) {
    const std::string base = path.substr(0, path.size() - std::string(".onnx").size());
    Exported net;
    net.name = fs::path(base).filename().string();
    if (kDouble.count(net.name)) continue;
    INFO(net.name);
    REQUIRE_NOTHROW(net.model = read_mlp_model(path, nullptr, reading));
    net.x = read_matrix(base + ".x.npy");
    net.want = read_matrix(base + ".want.npy");
    nets.push_back(std::move(net));
  }
  return nets;
}

// The first input gets the matrix of the case, the others get zeros: the first output does not
// depend on them.
std::vector<std::vector<float>> inputs_of(const Exported& net, const std::vector<MlpPort>& ports) {
  std::vector<std::vector<float>> inputs = {net.x.values};
  for (std::size_t i = 1; i < ports.size(); ++i) {
    inputs.emplace_back(static_cast<std::size_t>(net.x.rows) * ports[i].columns, 0.0f);
  }
  return inputs;
}

template <class Values>
void check_close(const Values& got, const std::vector<float>& want, double share) {
  REQUIRE(got.size() == want.size());
  double largest = 0.0;
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
    largest = std::max(largest, std::abs(static_cast<double>(want[i])));
    worst = std::isnan(difference) ? HUGE_VAL : std::max(worst, difference);
  }
  CHECK(worst <= share * largest);
}

TEST_CASE("networks of all exporters: the graph as written, in double precision") {
  const std::vector<Exported> nets = exported_nets(MlpReading::kAsWritten);
  CHECK(nets.size() == 66);
  for (const Exported& net : nets) {
    INFO(net.name);
    std::vector<std::vector<double>> inputs = {{net.x.values.begin(), net.x.values.end()}};
    for (std::size_t i = 1; i < net.model.inputs.size(); ++i) {
      inputs.emplace_back(net.x.rows * net.model.inputs[i].columns, 0.0);
    }
    const std::vector<std::int64_t> widths = layer_widths(net.model);
    const std::vector<MlpOutput> ports = numbered_outputs(net.model);
    const auto output = std::find_if(ports.begin(), ports.end(), [&](const MlpOutput& port) {
      return widths[static_cast<std::size_t>(port.value)] == net.want.columns;
    });
    REQUIRE(output != ports.end());
    const auto outputs = host_forward_all(net.model, inputs, net.x.rows);
    check_close(outputs[static_cast<std::size_t>(output - ports.begin())], net.want.values,
                share_for(net.name));
  }
}

TEST_CASE("networks of all exporters, on a device with the built-in profile") {
  const TestDevice d;
  const Library library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const Exported& exported : exported_nets()) {
    INFO(exported.name);
    const Mlp net(library, exported.model);
    const auto rows = static_cast<std::size_t>(exported.x.rows);
    std::vector<Matrix> inputs;
    for (const std::vector<float>& input : inputs_of(exported, net.input_ports())) {
      inputs.push_back({upload(d.context, Precision::kSingle, {input.begin(), input.end()}), 0,
                        input.size() / rows});
    }
    std::vector<Matrix> outputs;
    for (const MlpPort& port : net.output_ports()) {
      const std::vector<double> nan(rows * port.columns, std::nan(""));
      outputs.push_back({upload(d.context, Precision::kSingle, nan), 0, port.columns});
    }
    const cl::Event done = net.forward_all(d.queue, inputs, outputs, rows);
    const auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Matrix& matrix) {
      return std::cmp_equal(matrix.ld, exported.want.columns);
    });
    REQUIRE(output != outputs.end());
    std::vector<float> got(exported.want.values.size());
    REQUIRE(read_as(d.queue, output->buffer, Precision::kSingle, got, {done}) == CL_SUCCESS);
    check_close(got, exported.want.values, share_for(exported.name));
  }
}

}  // namespace
}  // namespace tilewright

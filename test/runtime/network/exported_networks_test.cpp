// Networks in files that common exporters wrote (models/exported). Each must give the outputs of
// onnxruntime, or of double precision where single precision loses digits by cancellation.
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"
#include "runtime/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "catch.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/network/model/divided_model.hpp"
#include "runtime/network/model/host_network.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Allowed error as a share of the largest element. onnxruntime computes networks of half precision
// in half precision, and we compute them in single precision: they differ by as much as onnxruntime
// rounds, which is at most the error of a network of two layers in half precision.
double share_for(const std::string& name) {
  return name.find("-float16") != std::string::npos ? 2 * std::ldexp(1.0, -9) : 2e-5;
}

struct Exported {
  std::string name;
  NetworkModel model;
  DoubleMatrix x;
  FloatMatrix want;  // the first output, or that of kOutputs
};

// Cases whose expected matrix is another output than the first.
const std::map<std::string, std::size_t> kOutputs = {{"outputs-hidden-features-and-logits", 1}};

// Inputs of float64 with more digits than a float has. The first operations of the network are
// computed on the host, in double precision.
const std::set<std::string> kDouble = {"double-net-with-unix-times"};

std::vector<Exported> exported_networks(NetworkReading reading = NetworkReading::kForSpeed) {
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
    INFO(net.name);
    REQUIRE_NOTHROW(net.model = read_network_model(path, nullptr, reading));
    if (const auto output = kOutputs.find(net.name); output != kOutputs.end()) {
      net.model = select_network_outputs(net.model, {output->second});
    }
    net.x = read_matrix<double>(base + ".x.npy");
    net.want = read_matrix(base + ".want.npy");
    nets.push_back(std::move(net));
  }
  return nets;
}

// The first input gets the matrix of the case, the others get zeros: the first output does not
// depend on them.
std::vector<std::vector<double>> input_values(const Exported& net) {
  std::vector<std::vector<double>> inputs = {net.x.values};
  const std::vector<std::int64_t> widths = layer_widths(net.model);
  for (std::size_t i = 1; i < net.model.inputs.size(); ++i) {
    inputs.emplace_back(static_cast<std::size_t>(net.x.rows * widths[i]), 0.0);
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
  const std::vector<Exported> nets = exported_networks(NetworkReading::kAsWritten);
  CHECK(nets.size() == 67);
  for (const Exported& net : nets) {
    INFO(net.name);
    const auto outputs = host_forward_all(net.model, input_values(net), net.x.rows);
    check_close(outputs.front(), net.want.values, share_for(net.name));
  }
}

// The first output of the network.
std::vector<float> run_on_device(const TestDevice& d, const LibraryHandle& library,
                                 const NetworkModel& model,
                                 const std::vector<std::vector<double>>& given,
                                 const FloatMatrix& want) {
  const Network net(library, model);
  const auto rows = static_cast<std::size_t>(want.rows);
  std::vector<Matrix> inputs;
  for (const std::vector<double>& input : given) {
    inputs.push_back({upload(d.context, Precision::kSingle, input), 0, input.size() / rows});
  }
  std::vector<Matrix> outputs;
  for (const NetworkPort& port : net.output_ports()) {
    const std::vector<double> nan(rows * port.columns, std::nan(""));
    outputs.push_back({upload(d.context, Precision::kSingle, nan), 0, port.columns});
  }
  const cl::Event done = net.forward_all(d.queue, inputs, outputs, rows);
  std::vector<float> got(want.values.size());
  REQUIRE(rows * outputs.front().ld == got.size());
  REQUIRE(read_as(d.queue, outputs.front().buffer, Precision::kSingle, got, {done}) == CL_SUCCESS);
  return got;
}

TEST_CASE("networks of all exporters, on a device with the built-in profile") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const Exported& net : exported_networks()) {
    INFO(net.name);
    if (kDouble.count(net.name)) continue;
    check_close(run_on_device(d, library, net.model, input_values(net), net.want), net.want.values,
                share_for(net.name));
  }
}

TEST_CASE("networks of all exporters that start on the host, in double precision") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  std::set<std::string> divided;
  for (const Exported& net : exported_networks()) {
    INFO(net.name);
    const DividedModel parts = divided_model(net.model);
    if (parts.host.layers.empty()) continue;
    divided.insert(net.name);
    const auto inputs = host_forward_all(parts.host, input_values(net), net.x.rows);
    check_close(run_on_device(d, library, parts.device, inputs, net.want), net.want.values,
                share_for(net.name));
  }
  for (const std::string& name : kDouble) CHECK(divided.count(name));
}

}  // namespace
}  // namespace tilewright

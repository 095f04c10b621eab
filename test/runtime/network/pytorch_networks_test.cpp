// Networks as both ONNX exporters of PyTorch write them give the outputs of onnxruntime
// (models/pytorch/export.py).
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "network_case.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

struct ExportedNetwork {
  std::string name;  // gelu.dynamo-18
  NetworkModel model;
  FloatMatrix x;
  FloatMatrix y;
};

std::vector<ExportedNetwork> pytorch_networks() {
  const fs::path folder = TILEWRIGHT_PYTORCH_NETS;
  std::vector<ExportedNetwork> nets;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    const std::string name = entry.path().stem().string();
    const std::string net = name.substr(0, name.find('.'));
    INFO(name);
    ExportedNetwork exported;
    exported.name = name;
    REQUIRE_NOTHROW(exported.model = read_network_model(entry.path().string()));
    exported.x = read_matrix((folder / (net + ".x.npy")).string());
    exported.y = read_matrix((folder / (name + ".y.npy")).string());
    nets.push_back(std::move(exported));
  }
  return nets;
}

TEST_CASE(
    "networks exported by PyTorch: the results in double precision equal those of onnxruntime") {
  const std::vector<ExportedNetwork> nets = pytorch_networks();
  REQUIRE(nets.size() == 26);
  for (const ExportedNetwork& net : nets) {
    INFO(net.name);
    const std::vector<double> got = host_forward(net.model, net.x.values, net.x.rows);
    REQUIRE(got.size() == net.y.values.size());
    double largest = 0.0;
    double worst = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto want = static_cast<double>(net.y.values[i]);
      largest = std::max(largest, std::abs(want));
      worst = std::max(worst, std::abs(got[i] - want));
    }
    CHECK(largest > 0.0);
    CHECK(worst <= max_relative_error(net.model) * largest);
  }
}

TEST_CASE("networks exported by PyTorch, on a device with the built-in profile") {
  const TestDevice d;
  const LibraryHandle library = Library::open(d.context, d.device, ProfileSource::builtin());
  for (const ExportedNetwork& exported : pytorch_networks()) {
    INFO(exported.name);
    const Network net(library, exported.model);
    const auto batch = static_cast<std::size_t>(exported.x.rows);
    NetworkCase test(net, batch, 0, 0, 1);
    test.input.data = exported.x.values;
    const Matrix output = upload(d, test.output);
    const cl::Event done = net.forward(d.queue, upload(d, test.input), output, batch);
    const std::vector<double> right(exported.y.values.begin(), exported.y.values.end());
    CHECK(test.wrong_against(right, 2 * max_relative_error(exported.model),
                             download(d, output, {done})) == "");
  }
}

}  // namespace
}  // namespace tilewright

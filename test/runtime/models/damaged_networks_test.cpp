// Damaged copies of every network file in the repository: each must be read as another network or
// refused. scripts/check --full runs these with sanitizers.
#include <algorithm>
#include <filesystem>
#include <random>

#include "catch.hpp"
#include "model_files.hpp"
#include "onnx/onnx_codec.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr int kCopies = 60;

class Damage {
 public:
  explicit Damage(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t end) { return end == 0 ? 0 : engine_() % end; }

  // Changes, removes or repeats up to three parts of a file.
  std::string of_bytes(std::string bytes) {
    for (std::size_t i = below(3) + 1; i-- > 0 && !bytes.empty();) {
      const std::size_t at = below(bytes.size());
      const std::size_t length = std::min(below(16) + 1, bytes.size() - at);
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
          break;
        case 1:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 2:
          bytes.erase(at, length);
          break;
        default:
          bytes.insert(below(bytes.size()), bytes.substr(at, length));
      }
    }
    return bytes;
  }

  // Changes one node or tensor into something that may be valid or not.
  void of_graph(onnx::Graph& graph) {
    if (graph.node.empty()) return;
    onnx::Node& node = graph.node[below(graph.node.size())];
    const onnx::Node other = graph.node[below(graph.node.size())];
    switch (below(8)) {
      case 0:
        node.op_type = other.op_type;
        break;
      case 1:
        node.input = other.input;
        break;
      case 2:
        node.input.push_back(any_value(graph));
        break;
      case 3:
        if (!node.input.empty()) node.input[below(node.input.size())] = any_value(graph);
        break;
      case 4:
        node.attribute = other.attribute;
        break;
      case 5:
        std::ranges::reverse(node.input);
        break;
      case 6:
        if (graph.initializer.empty()) break;
        std::ranges::reverse(graph.initializer[below(graph.initializer.size())].dims);
        break;
      default:
        graph.node.insert(
            graph.node.begin() + static_cast<std::ptrdiff_t>(below(graph.node.size())), other);
    }
  }

 private:
  std::string any_value(const onnx::Graph& graph) {
    std::vector<std::string> values = {""};
    for (const auto& each : graph.input) values.push_back(each.name);
    for (const auto& each : graph.initializer) values.push_back(each.name);
    for (const auto& each : graph.node) {
      values.insert(values.end(), each.output.begin(), each.output.end());
    }
    return values[below(values.size())];
  }

  std::mt19937 engine_;
};

std::vector<std::string> network_files() {
  std::vector<std::string> paths;
  for (const char* const folder :
       {TILEWRIGHT_TEST_MODELS "/exported", TILEWRIGHT_TEST_MODELS "/pytorch", TILEWRIGHT_DIGITS}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".onnx") paths.push_back(entry.path().string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

// Other exceptions than ModelError fail the test.
bool is_read(const std::string& path, const std::vector<std::string>& outputs) {
  try {
    network_steps(read_network_model(path, nullptr, NetworkReading::kForSpeed, outputs));
  } catch (const ModelError&) {
    return false;
  }
  return true;
}

TEST_CASE("damaged copies of the networks in the repository are read or refused") {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = network_files();
  REQUIRE(paths.size() > 60);
  int num_read = 0, num_refused = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string whole = read_content(paths[i]);
    for (int copy = 0; copy < kCopies; ++copy) {
      INFO(paths[i] << ", copy " << copy);
      Damage damage(static_cast<std::uint32_t>(i * kCopies) + static_cast<std::uint32_t>(copy));
      std::string bytes;
      std::vector<std::string> outputs;
      if (copy % 3 == 0) {
        bytes = damage.of_bytes(whole);
      } else {
        onnx::Model model = onnx::decode(whole, {});
        for (int change = 0; change <= copy % 2; ++change) damage.of_graph(*model.graph);
        if (copy % 4 == 1 && !model.graph->node.empty()) {
          outputs = model.graph->node[damage.below(model.graph->node.size())].output;
        }
        bytes = onnx::encode(model);
      }
      const std::string path = written(folder, "net.onnx", bytes);
      bool was_read = false;
      REQUIRE_NOTHROW(was_read = is_read(path, outputs));
      ++(was_read ? num_read : num_refused);
    }
  }
  CHECK(num_read > 500);
  CHECK(num_refused > 500);
}

TEST_CASE("damaged copies of a JSON definition and its matrices are read or refused") {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(TILEWRIGHT_DIGITS)) {
    const std::string name = entry.path().filename().string();
    const bool is_matrix = name.starts_with("digits.layer");
    if (is_matrix || name == "digits.json") names.push_back(name);
  }
  std::ranges::sort(names);
  REQUIRE(names.size() == 9);
  for (const std::string& name : names) {
    written(folder, name, read_content(TILEWRIGHT_DIGITS "/" + name));
  }
  REQUIRE(is_read(folder.file("digits.json"), {}));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string whole = read_content(TILEWRIGHT_DIGITS "/" + names[i]);
    for (int copy = 0; copy < kCopies; ++copy) {
      INFO(names[i] << ", copy " << copy);
      Damage damage(static_cast<std::uint32_t>(i * kCopies) + static_cast<std::uint32_t>(copy));
      written(folder, names[i], damage.of_bytes(whole));
      REQUIRE_NOTHROW(is_read(folder.file("digits.json"), {}));
    }
    written(folder, names[i], whole);
  }
}

}  // namespace
}  // namespace tilewright

// Lists the layers of a network with their parameters and operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

struct LayerFacts {
  std::string kind;  // affine, relu ...
  std::string name;  // may be empty
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t parameters = 0;  // weights and biases
  double flops = 0.0;           // per sample; affine layer: 2 inputs outputs; otherwise 0
};

// An input or output of a network.
struct PortFacts {
  std::string name;  // may be empty
  std::int64_t columns = 0;
  bool is_transposed = false;  // an output: see NetworkOutput
};

struct NetworkFacts {
  std::vector<LayerFacts> layers;
  std::int64_t inputs = 0;   // columns of the first input
  std::int64_t outputs = 0;  // columns of the first output
  std::vector<PortFacts> input_ports;
  std::vector<PortFacts> output_ports;
  std::vector<NetworkSkippedOutput> skipped_outputs;
  std::int64_t parameters = 0;
  double flops = 0.0;  // per sample
  // Size of the parameters as floats.
  std::int64_t bytes() const { return parameters * static_cast<std::int64_t>(sizeof(float)); }
};

// The model must pass check_network_model().
NetworkFacts make_network_facts(const NetworkModel& model);

// Returns "784, 2500, 2000, 10": columns of the input and of the output of each affine layer.
std::string widths_text(const NetworkFacts& facts);

// Return the table and the JSON object that `net info` prints. `name`: the argument of the user.
std::string to_table(const std::string& name, const NetworkFacts& facts);
std::string to_json(const std::string& name, const NetworkFacts& facts);

}  // namespace tilewright

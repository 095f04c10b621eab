// What is a net made of, and what does a sample cost?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

struct LayerFacts {
  std::string kind;  // affine, relu ...
  std::string name;  // may be empty
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t parameters = 0;  // weights and biases
  double flops = 0.0;           // of a sample: 2 inputs outputs of an affine layer, else 0
};

// An input or output of a net.
struct PortFacts {
  std::string name;  // may be empty
  std::int64_t columns = 0;
};

struct NetFacts {
  std::vector<LayerFacts> layers;
  std::int64_t inputs = 0;   // columns of the first input
  std::int64_t outputs = 0;  // columns of the first output
  std::vector<PortFacts> input_ports;
  std::vector<PortFacts> output_ports;
  std::vector<MlpSkippedOutput> skipped_outputs;
  std::int64_t parameters = 0;
  double flops = 0.0;  // of a sample
  // Of the parameters, as floats.
  std::int64_t bytes() const { return parameters * static_cast<std::int64_t>(sizeof(float)); }
};

// Of a model that check_mlp_model() accepts.
NetFacts make_net_facts(const MlpModel& model);

// "784, 2500, 2000, 10": the input's width and that of each affine layer's output.
std::string widths_text(const NetFacts& facts);

// The table, and the JSON object, that `mlp info` prints of the net that the user calls `name`.
std::string to_table(const std::string& name, const NetFacts& facts);
std::string to_json(const std::string& name, const NetFacts& facts);

}  // namespace tilewright

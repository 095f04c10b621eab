// What does a network need of a tuning?
//
// Pure: a model, or words, in; shapes and activations out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

struct NetworkNeeds {
  std::vector<GemmShape> shapes;  // batch x outputs x inputs of each layer and batch, each once
  std::vector<Activation> activations;  // beside a bias, each once, in the order of the layers
  bool softmax = false;
  bool operator==(const NetworkNeeds&) const = default;
};

// Of a net that can be run (check_mlp_model()), for these batch sizes: products X W of op NN, and
// what is done with their results.
NetworkNeeds network_needs(const MlpModel& model, const std::vector<std::int64_t>& batches);

// Activations from a comma-separated list such as "relu,identity", each once; none from "none".
// Throws UsageError that names the option.
std::vector<Activation> parse_activations(const std::string& option, const std::string& argument);

}  // namespace tilewright

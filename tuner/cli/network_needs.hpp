// Determines what a tuning for a network must measure.
//
// The input is a model or a list of words, the output shapes and activations. These functions do
// not access a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// What a tuning must measure for a network.
struct NetworkNeeds {
  // Batch x outputs x inputs for each layer and batch size, without duplicates.
  std::vector<GemmShape> shapes;
  // Applied after a bias, without duplicates, in the order of the layers.
  std::vector<Activation> activations;
  bool softmax = false;
  bool operator==(const NetworkNeeds&) const = default;
};

// Returns the products X W (op NN) of a valid model (check_network_model()) for these batch sizes,
// and what is applied to their results.
NetworkNeeds network_needs(const NetworkModel& model, const std::vector<std::int64_t>& batches);

// Parses a comma-separated list of activations such as "relu,identity", without duplicates; "none"
// stands for an empty list. Throws UsageError that names the option.
std::vector<Activation> parse_activations(const std::string& option, const std::string& argument);

}  // namespace tilewright

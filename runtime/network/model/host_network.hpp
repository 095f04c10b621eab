// Computes a network on the host, naively and in double precision. Results of devices are compared
// with it.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/precision.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Returns the outputs (batch x outputs, row-major) for the inputs (batch x inputs, row-major). The
// model must pass find_fault(). For networks with one input and one output.
std::vector<double> host_forward(const NetworkModel& model, const std::vector<float>& inputs,
                                 std::int64_t batch);
// The same for any number of inputs and outputs, in the order of the model.
std::vector<std::vector<double>> host_forward_all(const NetworkModel& model,
                                                  const std::vector<std::vector<double>>& inputs,
                                                  std::int64_t batch);

// Returns the largest error that a correct result of a device may have, relative to the largest
// element: 1e-5 per affine layer, and at least that; in half precision 2^-9 per affine layer,
// because results between layers are rounded to 11 bits, after each affine layer and after each
// separate activation.
double max_relative_error(const NetworkModel& model, Precision precision = Precision::kSingle);

// Rounds weights or inputs to a precision, to nearest with ties to even, as a device stores them.
// Biases stay unchanged. host_forward() does not round the results between layers;
// max_relative_error() allows for their rounding on the device.
NetworkModel round_to_precision(NetworkModel model, Precision precision);
std::vector<float> round_to_precision(std::vector<float> elements, Precision precision);

}  // namespace tilewright

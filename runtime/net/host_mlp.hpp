// What is the right result of a net?
//
// The naive forward in double precision: the specification that forwards on devices are compared
// with.
#pragma once

#include <cstdint>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "profiles/precision.hpp"

namespace tilewright {

// The net's outputs (batch x outputs, row-major) for inputs (batch x inputs, row-major). The model
// must be a net (check_model() of mlp_stages.hpp), and the inputs as many as the batch has.
std::vector<double> host_forward(const MlpModel& model, const std::vector<float>& inputs,
                                 std::int64_t batch);
// The same for all inputs and outputs, in their order.
std::vector<std::vector<double>> host_forward_all(const MlpModel& model,
                                                  const std::vector<std::vector<double>>& inputs,
                                                  std::int64_t batch);

// How far off an element of a right forward on a device may be, as a share of the largest: 1e-5 for
// each affine layer; of halfs 2^-9, since what lies between the layers is rounded to 11 bits, once
// behind an affine layer and once behind each further activation.
double share_off(const MlpModel& model, Precision precision = Precision::kSingle);

// The model as a net of these elements has it, and such a net's inputs: of halfs, weights and
// inputs are rounded to nearest, ties to even; biases are not. What lies between the layers is not
// rounded by host_forward(): that is part of what a device may be off.
MlpModel as_stored(MlpModel model, Precision precision);
std::vector<float> as_stored(std::vector<float> elements, Precision precision);

}  // namespace tilewright

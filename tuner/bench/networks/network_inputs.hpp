// Prepares a network and its inputs for a device, which computes in single or half precision.
#pragma once

#include <vector>

#include "profiles/precision.hpp"
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/network/model/mlp_model.hpp"

namespace tilewright {

struct NetworkInputs {
  MlpModel model;                     // what the device runs
  std::vector<FloatMatrix> matrices;  // one for each input of `model`
  // Whether the first operations of the network were computed on the host, in double precision.
  bool is_started_on_host = false;
};

// Whether double-precision inputs make a difference: the network adds or subtracts before its first
// affine layers (divided_model.hpp).
bool takes_double_inputs(const MlpModel& model);

// `inputs` are one matrix for each input of the model, all with the same number of rows. If they
// have more digits than the precision has, the operations that would lose these are computed here.
NetworkInputs make_network_inputs(const MlpModel& model, const std::vector<DoubleMatrix>& inputs,
                                  Precision precision);

}  // namespace tilewright

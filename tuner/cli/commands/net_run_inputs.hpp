// Reads the samples of `tilewright net run`, and prepares them for a device, which computes in
// single or half precision.
#pragma once

#include <string>
#include <vector>

#include "profiles/precision.hpp"
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/network/model/network_model.hpp"
#include "tuner/bench/networks/network_facts.hpp"

namespace tilewright {

struct NetworkInputs {
  NetworkModel model;                 // what the device runs
  std::vector<FloatMatrix> matrices;  // one for each input of `model`
  // Whether the first operations of the network were computed on the host, in double precision.
  bool is_started_on_host = false;
};

// Whether double-precision inputs make a difference: the network adds or subtracts before its first
// affine layers (divided_model.hpp).
bool takes_double_inputs(const NetworkModel& model);

// `inputs` are one matrix for each input of the model, all with the same number of rows. If they
// have more digits than the precision has, the operations that would lose these are computed here.
NetworkInputs make_network_inputs(const NetworkModel& model,
                                  const std::vector<DoubleMatrix>& inputs, Precision precision);

// `files` and `names` are the values of --input and --input-name. Throws UsageError if they do not
// fit the inputs of the network, MatrixFileError if a file cannot be read or does not fit.
NetworkInputs read_network_inputs(const std::vector<std::string>& files,
                                  const std::vector<std::string>& names, const NetworkModel& model,
                                  Precision precision);

// Prints the names of columns that a CSV file has in its first line, so that a lost row is noticed.
template <typename Element>
void note_column_names(const HostMatrix<Element>& matrix, const std::string& file);

// Whether the extension of the path is .npz, in upper or lower case.
bool is_npz(const std::string& path);

}  // namespace tilewright

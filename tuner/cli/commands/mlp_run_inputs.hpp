// Reads the samples of `tilewright mlp run`.
#pragma once

#include <string>
#include <vector>

#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/network/model/mlp_model.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/bench/networks/network_inputs.hpp"

namespace tilewright {

// `files` and `names` are the values of --input and --input-name. Throws UsageError if they do not
// fit the inputs of the network, MatrixFileError if a file cannot be read or does not fit.
NetworkInputs read_network_inputs(const std::vector<std::string>& files,
                                  const std::vector<std::string>& names, const MlpModel& model,
                                  Precision precision);

// Prints the names of columns that a CSV file has in its first line, so that a lost row is noticed.
template <typename Element>
void note_column_names(const HostMatrix<Element>& matrix, const std::string& file);

// Whether the extension of the path is .npz, in upper or lower case.
bool is_npz(const std::string& path);

}  // namespace tilewright

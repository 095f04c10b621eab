// Runs a network on a matrix of samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/network/model/network_model.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

struct NetworkRun {
  std::vector<NamedMatrix<float>> outputs;  // in the order of the model, a row for each sample
  std::string profile;                      // a sentence with the origin of the kernels
  std::int64_t batches = 0;
};

// Runs a network on matrices with one sample per row, one matrix for each input of the network. It
// processes `batch` rows at a time, and fewer in the last batch. In half precision, inputs are
// rounded to the nearest half-precision number, ties to even. Throws Error like Network.
NetworkRun run_network(const ListedDevice& device, const ProfileSource& profile,
                       const NetworkModel& model, const std::vector<FloatMatrix>& inputs,
                       std::int64_t batch, Precision precision = Precision::kSingle);

// Returns the class of each of `rows` rows, in one column. `given` has a whole number from 0 to
// `classes` - 1 for each row, in one row or in one column, or a row in which one column is 1 and
// the other columns are 0. Throws MatrixFileError that names the file and the first wrong label.
FloatMatrix make_labels(FloatMatrix given, const std::string& file, std::int64_t rows,
                        std::int64_t classes);

// A row whose largest output (the first of equal ones) is not that of its label, or that contains
// NaN.
struct OtherClass {
  std::int64_t row = 0;  // from 0
  std::int64_t label = 0;
  std::int64_t largest = 0;  // the first of equal ones
  float margin = 0.0f;       // difference to the output of the label; NaN if an output is NaN
};
std::vector<OtherClass> other_classes(const FloatMatrix& outputs, const FloatMatrix& labels);

}  // namespace tilewright

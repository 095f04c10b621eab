// What does a net make of a matrix of samples?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tilewright/library.hpp>
#include <tilewright/matrix_file.hpp>
#include <tilewright/mlp_model.hpp>
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

struct NetRun {
  FloatMatrix outputs;  // of the first output: a row for each row of the inputs
  std::string profile;  // where the kernels came from, a sentence
  std::int64_t batches = 0;
};

// Runs a net on matrices with a sample in each row, one for each input of the net, with its
// columns, `batch` rows at a time; the last batch is what is left. A net of half precision gets the
// nearest half-precision values, ties to even. Throws Error as Mlp does.
NetRun run_net(const ListedDevice& device, const ProfileSource& profile, const MlpModel& model,
               const std::vector<FloatMatrix>& inputs, std::int64_t batch,
               Precision precision = Precision::kSingle);

// Which class does each row have?
//
// Throws MatrixFileError that names the file unless `labels` holds, in one row or in one column, a
// whole number from 0 to `classes` - 1 for each of `rows` rows.
void check_labels(const FloatMatrix& labels, const std::string& file, std::int64_t rows,
                  std::int64_t classes);

// A row whose largest output (the first of equal ones) is not that of its label; so is each with a
// NaN.
struct OtherClass {
  std::int64_t row = 0;  // from 0
  std::int64_t label = 0;
  std::int64_t largest = 0;  // the first of equal ones
  float margin = 0.0f;       // by which it is larger; NaN where an output is
};
std::vector<OtherClass> other_classes(const FloatMatrix& outputs, const FloatMatrix& labels);

}  // namespace tilewright

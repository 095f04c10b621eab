// Checks the outputs of competitors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/precision.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Contains some rows of the correct output: the forward pass in double precision, with model and
// input rounded to the network's precision. An element may differ by max_relative_error() times the
// largest element of these rows.
class NetworkCheck {
 public:
  // `input`: batch x inputs, row-major; batch is at least 1.
  NetworkCheck(const NetworkModel& model, const std::vector<float>& input, std::size_t batch,
               Precision precision = Precision::kSingle);

  // Checks an output (batch x outputs, row-major) of a competitor. Returns a sentence that says
  // what is wrong, or "". The complete output is also compared with the first correct one.
  std::string wrong(const std::string& name, const std::vector<float>& output);

 private:
  std::string difference(const std::string& name, const std::vector<float>& output,
                         std::size_t place, double right, double bound) const;

  std::size_t columns_;
  std::vector<std::size_t> rows_;
  std::vector<double> expected_;  // the correct output of these rows
  double bound_ = 0.0;
  std::string first_name_;
  std::vector<float> first_;
};

}  // namespace tilewright

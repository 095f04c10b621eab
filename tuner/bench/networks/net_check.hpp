// Do competitors compute what the net says?
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "profiles/precision.hpp"

namespace tilewright {

// Knows some rows of the right output: by the forward in double precision, of the model and the
// input as a net of that precision stores them. An element may be off by share_off() of the largest
// that is known.
class NetCheck {
 public:
  // `input`: batch x inputs, row-major; batch is at least 1.
  NetCheck(const MlpModel& model, const std::vector<float>& input, std::size_t batch,
           Precision precision = Precision::kSingle);

  // What is wrong with an output (batch x outputs, row-major) of the competitor of that name, as a
  // sentence; "" if nothing. All of it is compared with the first that was right, too.
  std::string wrong(const std::string& name, const std::vector<float>& output);

 private:
  std::string difference(const std::string& name, const std::vector<float>& output,
                         std::size_t place, double right, double bound) const;

  std::size_t columns_;
  std::vector<std::size_t> rows_;
  std::vector<double> expected_;  // of these rows
  double bound_ = 0.0;
  std::string first_name_;
  std::vector<float> first_;
};

}  // namespace tilewright

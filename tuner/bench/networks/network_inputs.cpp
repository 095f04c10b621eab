#include "tuner/bench/networks/network_inputs.hpp"

#include <algorithm>
#include <utility>

#include "runtime/network/model/divided_model.hpp"
#include "runtime/network/model/host_mlp.hpp"

namespace tilewright {
namespace {

FloatMatrix to_floats(std::int64_t rows, std::int64_t columns, const std::vector<double>& values) {
  return {rows, columns, {values.begin(), values.end()}};
}

bool have_more_digits(const std::vector<DoubleMatrix>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const DoubleMatrix& input) {
    return std::any_of(input.values.begin(), input.values.end(), [](double value) {
      return static_cast<double>(static_cast<float>(value)) != value;
    });
  });
}

}  // namespace

bool takes_double_inputs(const MlpModel& model) {
  return !divided_model(model).host.layers.empty();
}

NetworkInputs make_network_inputs(const MlpModel& model, const std::vector<DoubleMatrix>& inputs,
                                  Precision precision) {
  NetworkInputs prepared;
  DividedModel parts = divided_model(model);
  prepared.is_started_on_host =
      !parts.host.layers.empty() && (precision == Precision::kHalf || have_more_digits(inputs));
  if (!prepared.is_started_on_host) {
    prepared.model = model;
    for (const DoubleMatrix& input : inputs) {
      prepared.matrices.push_back(to_floats(input.rows, input.columns, input.values));
    }
    return prepared;
  }
  std::vector<std::vector<double>> values;
  for (const DoubleMatrix& input : inputs) values.push_back(input.values);
  const std::int64_t rows = inputs.front().rows;
  const auto results = host_forward_all(parts.host, values, rows);
  for (std::size_t i = 0; i < results.size(); ++i) {
    prepared.matrices.push_back(to_floats(rows, parts.device.inputs[i].columns, results[i]));
  }
  prepared.model = std::move(parts.device);
  return prepared;
}

}  // namespace tilewright

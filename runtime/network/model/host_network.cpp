#include "runtime/network/model/host_network.hpp"

#include <CL/cl_half.h>

#include <algorithm>
#include <cmath>

#include "runtime/device/device_matrix.hpp"
#include "runtime/network/model/activation_layer.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

using Row = std::vector<double>;

Row applied(const AffineLayer& layer, const Row& x) {
  Row y(layer.bias.begin(), layer.bias.end());
  y.resize(static_cast<std::size_t>(layer.outputs), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      y[j] += x[i] * static_cast<double>(layer.weights[i * y.size() + j]);
    }
  }
  return y;
}

// Subtracts the largest element first, so that exp does not overflow.
Row softmax(Row x, bool logarithm) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0.0;
  for (const double value : x) sum += std::exp(value - largest);
  for (double& value : x) {
    value = logarithm ? value - largest - std::log(sum) : std::exp(value - largest) / sum;
  }
  return x;
}

Row applied(const ActivationLayer& layer, Row x) {
  if (layer.activation == Activation::kSoftmax) return softmax(std::move(x), false);
  if (layer.activation == Activation::kLogSoftmax) return softmax(std::move(x), true);
  for (double& value : x) {
    value = activated(layer.activation, value, activation_arguments(layer));
  }
  return x;
}

// The values of one sample.
class Sample {
 public:
  Sample(const NetworkModel& model, std::size_t layers) : model_(model) {
    values_.reserve(static_cast<std::size_t>(num_inputs(model)) + layers);
  }
  void add(Row value) { values_.push_back(std::move(value)); }
  const Row& value(NetworkValue value, std::size_t layer) const {
    return values_[static_cast<std::size_t>(numbered_value(model_, value, layer))];
  }

  template <class Layer>
  Row result(const Layer& layer, std::size_t number) const {
    return applied(layer, value(layer.input, number));
  }
  Row result(const OperationLayer& layer, std::size_t number) const;

 private:
  const NetworkModel& model_;
  std::vector<Row> values_;
};

Row elements(const OperationDescription& described, const std::vector<Row>& operands) {
  std::size_t columns = 1;
  for (const Row& operand : operands) columns = std::max(columns, operand.size());
  Row y(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double of[3] = {};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      of[i] = operands[i][operands[i].size() == 1 ? 0 : j];
    }
    y[j] = described.function(of[0], of[1], of[2]);
  }
  return y;
}

Row row_results(const OperationDescription& described, const Row& x, std::size_t groups) {
  const std::size_t size = x.size() / groups;
  Row y(groups, described.start);
  for (std::size_t j = 0; j < x.size(); ++j) {
    y[j / size] = described.function(y[j / size], x[j], 0.0);
  }
  if (described.operation == NetworkOperation::kMean) {
    for (double& value : y) value /= static_cast<double>(size);
  }
  return y;
}

Row Sample::result(const OperationLayer& layer, std::size_t number) const {
  std::vector<Row> operands;
  for (const NetworkOperand& operand : layer.operands) {
    operands.push_back(operand.constant.empty() ? value(operand.value, number) : operand.constant);
  }
  const OperationDescription& described = describe_operation(layer.operation);
  switch (described.kind) {
    case OperationDescription::Kind::kElements:
      return elements(described, operands);
    case OperationDescription::Kind::kRows:
      return row_results(described, operands.front(),
                         static_cast<std::size_t>(layer.columns.front()));
    case OperationDescription::Kind::kSelect: {
      Row y;
      for (const std::int64_t column : layer.columns) {
        y.push_back(operands.front()[static_cast<std::size_t>(column)]);
      }
      return y;
    }
    case OperationDescription::Kind::kConcat:
      break;
  }
  Row y;
  for (const Row& operand : operands) y.insert(y.end(), operand.begin(), operand.end());
  return y;
}

}  // namespace

std::vector<std::vector<double>> host_forward_all(const NetworkModel& model,
                                                  const std::vector<std::vector<double>>& inputs,
                                                  std::int64_t batch) {
  const std::vector<NetworkOutput> results = numbered_outputs(model);
  std::vector<std::vector<double>> outputs(results.size());
  for (std::int64_t i = 0; i < batch; ++i) {
    Sample sample(model, model.layers.size());
    for (const std::vector<double>& input : inputs) {
      const auto width = static_cast<std::ptrdiff_t>(input.size()) / batch;
      sample.add({input.begin() + i * width, input.begin() + (i + 1) * width});
    }
    for (std::size_t j = 0; j < model.layers.size(); ++j) {
      sample.add(
          std::visit([&](const auto& any) { return sample.result(any, j); }, model.layers[j]));
    }
    for (std::size_t j = 0; j < results.size(); ++j) {
      const Row& row = sample.value(results[j].value, 0);
      outputs[j].insert(outputs[j].end(), row.begin(), row.end());
    }
  }
  return outputs;
}

std::vector<double> host_forward(const NetworkModel& model, const std::vector<float>& inputs,
                                 std::int64_t batch) {
  return host_forward_all(model, {{inputs.begin(), inputs.end()}}, batch).front();
}

double max_relative_error(const NetworkModel& model, Precision precision) {
  const auto depth = std::count_if(
      model.layers.begin(), model.layers.end(),
      [](const NetworkLayer& layer) { return std::holds_alternative<AffineLayer>(layer); });
  return (precision == Precision::kHalf ? std::ldexp(1.0, -9) : 1e-5) *
         std::max(1.0, static_cast<double>(depth));
}

NetworkModel round_to_precision(NetworkModel model, Precision precision) {
  for (NetworkLayer& layer : model.layers) {
    if (auto* affine = std::get_if<AffineLayer>(&layer)) {
      affine->weights = round_to_precision(std::move(affine->weights), precision);
    }
  }
  return model;
}

std::vector<float> round_to_precision(std::vector<float> elements, Precision precision) {
  if (precision != Precision::kHalf) return elements;
  const std::vector<cl_half> half_values = to_half(elements);
  std::transform(half_values.begin(), half_values.end(), elements.begin(), cl_half_to_float);
  return elements;
}

}  // namespace tilewright

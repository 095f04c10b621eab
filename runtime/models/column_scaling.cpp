#include "column_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

double at(const std::vector<double>& values, std::size_t i) {
  return values[values.size() == 1 ? 0 : i];
}

// values = values * by + plus
void combine(std::vector<double>& values, const std::vector<double>& by,
             const std::vector<double>& plus) {
  std::vector<double> combined(std::max({values.size(), by.size(), plus.size()}));
  for (std::size_t i = 0; i < combined.size(); ++i) {
    combined[i] = at(values, i) * at(by, i) + at(plus, i);
  }
  values = std::move(combined);
}

bool all_are(const std::vector<double>& values, double value) {
  return std::all_of(values.begin(), values.end(), [=](double v) { return v == value; });
}

bool are_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(static_cast<float>(value)); });
}

}  // namespace

bool ColumnScaling::add(const OperationLayer& operation) {
  std::vector<double> by = {1.0};
  std::vector<double> plus = {0.0};
  const std::vector<MlpOperand>& operands = operation.operands;
  if (operation.operation == MlpOperation::kNegate) {
    by = {-1.0};
  } else {
    if (operands.size() != 2 || operands[0].constant.empty() == operands[1].constant.empty()) {
      return false;
    }
    const bool constant_first = !operands[0].constant.empty();
    const std::vector<float>& given = operands[constant_first ? 0 : 1].constant;
    std::vector<double> constant(given.begin(), given.end());
    switch (operation.operation) {
      case MlpOperation::kAdd:
        plus = constant;
        break;
      case MlpOperation::kSubtract:
        plus = constant;
        if (constant_first) {
          by = {-1.0};
        } else {
          for (double& value : plus) value = -value;
        }
        break;
      case MlpOperation::kMultiply:
        by = constant;
        break;
      case MlpOperation::kDivide:
        if (constant_first) return false;
        by = constant;
        for (double& value : by) value = 1.0 / value;
        break;
      default:
        return false;
    }
  }
  if (!are_finite(by) || !are_finite(plus)) return false;
  combine(scale, by, {0.0});
  combine(shift, by, plus);
  return true;
}

bool ColumnScaling::changes_nothing() const {
  return all_are(scale, 1.0) && all_are(shift, 0.0);
}

void scale_outputs(AffineLayer& layer, const ColumnScaling& scaling) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  if (!all_are(scaling.scale, 1.0)) {
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      layer.weights[i] = static_cast<float>(static_cast<double>(layer.weights[i]) *
                                            at(scaling.scale, i % outputs));
    }
  }
  if (layer.bias.empty() && all_are(scaling.shift, 0.0)) return;
  layer.bias.resize(outputs, 0.0f);
  for (std::size_t j = 0; j < outputs; ++j) {
    layer.bias[j] = static_cast<float>(static_cast<double>(layer.bias[j]) * at(scaling.scale, j) +
                                       at(scaling.shift, j));
  }
}

void scale_inputs(AffineLayer& layer, const ColumnScaling& scaling) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  if (!all_are(scaling.shift, 0.0)) {
    std::vector<double> bias(layer.bias.begin(), layer.bias.end());
    bias.resize(outputs, 0.0);
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      bias[i % outputs] += at(scaling.shift, i / outputs) * static_cast<double>(layer.weights[i]);
    }
    layer.bias.assign(outputs, 0.0f);
    std::transform(bias.begin(), bias.end(), layer.bias.begin(),
                   [](double b) { return static_cast<float>(b); });
  }
  for (std::size_t i = 0; i < layer.weights.size(); ++i) {
    layer.weights[i] =
        static_cast<float>(static_cast<double>(layer.weights[i]) * at(scaling.scale, i / outputs));
  }
}

}  // namespace tilewright

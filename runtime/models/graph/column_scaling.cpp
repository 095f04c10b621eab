#include "graph/column_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

// Rows or columns of weights that are scaled. Networks may run in half precision: weights that are
// normal numbers there must stay so, up to the digits that the largest weight of the row or column
// loses anyway.
class WeightRange {
 public:
  explicit WeightRange(std::size_t groups) : before_(groups, 0.0), after_(groups, 0.0) {}

  // A weight of a row or column.
  void add(std::size_t group, double before, double after) {
    before_[group] = std::max(before_[group], std::abs(before));
    after_[group] = std::max(after_[group], std::abs(after));
  }
  bool is_kept() const {
    constexpr double kLargest = 65504.0;
    // Half of the distance of the smallest numbers is then 2^-12 of the largest weight.
    const double smallest = std::ldexp(1.0, -13);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const bool is_higher = after_[i] > std::max(before_[i], kLargest);
      const bool is_lower = after_[i] < std::min(before_[i], smallest);
      if (is_higher || is_lower) return false;
    }
    return true;
  }

 private:
  std::vector<double> before_;
  std::vector<double> after_;
};

// Estimates the rounding error that appears when shifts become part of the bias of a layer. The
// product of the layer then contains the shifts, and the bias subtracts them again, so the product
// is rounded relative to the size of the shifts. The error of output j is about
//   2^-24 (sqrt(inputs) P + Q), with P = max_p |sum_(i < p) shift_i W_ij| and
//   Q^2 = sum_i (shift_i W_ij)^2.
// P is the largest partial sum, at which each addition is rounded; Q comes from the rounding of the
// weights. The error is compared with the size of the outputs for a standardised input:
//   S = max_j sqrt(sum_i W_ij^2).
class Cancellation {
 public:
  Cancellation(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

  // The next weight of an output and its product with the shift.
  void add(std::size_t output, double weight, double shift) {
    Output& sums = outputs_[output];
    sums.weights += weight * weight;
    sums.squares += shift * shift;
    sums.shift += shift;
    sums.largest = std::max(sums.largest, std::abs(sums.shift));
  }
  bool is_small() const {
    // 128 2^-24 = 7.6e-6 of S, about 2.5e-6 of the largest output of a batch: a quarter of the
    // error that is promised for a layer.
    constexpr double kMaxError = 128.0;
    double size = 0.0;
    double error = 0.0;
    for (const Output& sums : outputs_) {
      size = std::max(size, std::sqrt(sums.weights));
      error = std::max(
          error, std::sqrt(static_cast<double>(inputs_)) * sums.largest + std::sqrt(sums.squares));
    }
    return error <= kMaxError * size;
  }

 private:
  struct Output {
    double weights = 0.0;  // sum of squares
    double squares = 0.0;  // of the shifts
    double shift = 0.0;
    double largest = 0.0;  // partial sum of shifts
  };
  std::size_t inputs_;
  std::vector<Output> outputs_;
};

}  // namespace

bool ColumnScaling::add(const OperationLayer& operation) {
  std::vector<double> by = {1.0};
  std::vector<double> plus = {0.0};
  const std::vector<NetworkOperand>& operands = operation.operands;
  if (operation.operation == NetworkOperation::kNegate) {
    by = {-1.0};
  } else {
    if (operands.size() != 2 || operands[0].constant.empty() == operands[1].constant.empty()) {
      return false;
    }
    const bool constant_first = !operands[0].constant.empty();
    std::vector<double> constant = operands[constant_first ? 0 : 1].constant;
    switch (operation.operation) {
      case NetworkOperation::kAdd:
        plus = constant;
        break;
      case NetworkOperation::kSubtract:
        plus = constant;
        if (constant_first) {
          by = {-1.0};
        } else {
          for (double& value : plus) value = -value;
        }
        break;
      case NetworkOperation::kMultiply:
        by = constant;
        break;
      case NetworkOperation::kDivide:
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

bool scale_outputs(AffineLayer& layer, const ColumnScaling& scaling) {
  AffineLayer scaled = layer;
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  if (!all_are(scaling.scale, 1.0)) {
    WeightRange range(outputs);
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      const double before = static_cast<double>(layer.weights[i]);
      const double after = before * at(scaling.scale, i % outputs);
      range.add(i % outputs, before, after);
      scaled.weights[i] = static_cast<float>(after);
    }
    if (!range.is_kept()) return false;
  }
  if (!layer.bias.empty() || !all_are(scaling.shift, 0.0)) {
    scaled.bias.resize(outputs, 0.0f);
    for (std::size_t j = 0; j < outputs; ++j) {
      scaled.bias[j] = static_cast<float>(
          static_cast<double>(scaled.bias[j]) * at(scaling.scale, j) + at(scaling.shift, j));
      if (!std::isfinite(scaled.bias[j])) return false;
    }
  }
  layer = std::move(scaled);
  return true;
}

bool scale_inputs(AffineLayer& layer, const ColumnScaling& scaling) {
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  std::vector<double> bias(layer.bias.begin(), layer.bias.end());
  if (!all_are(scaling.shift, 0.0)) {
    bias.resize(outputs, 0.0);
    Cancellation cancellation(inputs, outputs);
    for (std::size_t i = 0; i < layer.weights.size(); ++i) {
      const auto weight = static_cast<double>(layer.weights[i]);
      const double shift = at(scaling.shift, i / outputs) * weight;
      cancellation.add(i % outputs, weight, shift);
      bias[i % outputs] += shift;
    }
    if (!cancellation.is_small() || !are_finite(bias)) return false;
  }
  std::vector<float> weights = layer.weights;
  WeightRange range(inputs);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double before = static_cast<double>(layer.weights[i]);
    const double after = before * at(scaling.scale, i / outputs);
    range.add(i / outputs, before, after);
    weights[i] = static_cast<float>(after);
  }
  if (!range.is_kept()) return false;
  layer.weights = std::move(weights);
  layer.bias.assign(bias.begin(), bias.end());
  return true;
}

}  // namespace tilewright

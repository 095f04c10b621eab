#include "runtime/net/host_mlp.hpp"

#include <CL/cl_half.h>

#include <algorithm>
#include <cmath>

#include "runtime/device/device_matrix.hpp"
#include "runtime/net/activation_layer.hpp"

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

// From every element the largest is taken first, so that nothing overflows.
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
  if (layer.activation == MlpActivation::kSoftmax) return softmax(std::move(x), false);
  if (layer.activation == MlpActivation::kLogSoftmax) return softmax(std::move(x), true);
  for (double& value : x) {
    value = activated(to_activation(layer.activation), value, activation_arguments(layer));
  }
  return x;
}

}  // namespace

std::vector<double> host_forward(const MlpModel& model, const std::vector<float>& inputs,
                                 std::int64_t batch) {
  std::vector<double> outputs;
  if (batch == 0) return outputs;
  const std::size_t width = inputs.size() / static_cast<std::size_t>(batch);
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(batch); ++sample) {
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(sample * width);
    Row row(first, first + static_cast<std::ptrdiff_t>(width));
    for (const MlpLayer& layer : model.layers) {
      row = std::visit([&](const auto& any) { return applied(any, std::move(row)); }, layer);
    }
    outputs.insert(outputs.end(), row.begin(), row.end());
  }
  return outputs;
}

double share_off(const MlpModel& model, Precision precision) {
  const auto depth = std::count_if(
      model.layers.begin(), model.layers.end(),
      [](const MlpLayer& layer) { return std::holds_alternative<AffineLayer>(layer); });
  return (precision == Precision::kHalf ? std::ldexp(1.0, -9) : 1e-5) * static_cast<double>(depth);
}

MlpModel as_stored(MlpModel model, Precision precision) {
  for (MlpLayer& layer : model.layers) {
    if (auto* affine = std::get_if<AffineLayer>(&layer)) {
      affine->weights = as_stored(std::move(affine->weights), precision);
    }
  }
  return model;
}

std::vector<float> as_stored(std::vector<float> elements, Precision precision) {
  if (precision != Precision::kHalf) return elements;
  const std::vector<cl_half> half_values = to_half(elements);
  std::transform(half_values.begin(), half_values.end(), elements.begin(), cl_half_to_float);
  return elements;
}

}  // namespace tilewright

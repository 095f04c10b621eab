// Combines operations that scale and shift the columns of a batch, and merges them into affine
// layers.
#pragma once

#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// y(j) = scale(j) x(j) + shift(j). Each has one element per column, or one for all columns.
struct ColumnScaling {
  std::vector<double> scale = {1.0};
  std::vector<double> shift = {0.0};

  // Appends an operation: y becomes operation(y). Returns false and changes nothing unless the
  // operation scales or shifts by finite numbers.
  bool add(const OperationLayer& operation);
  bool changes_nothing() const;
};

// Changes the layer so that it computes its former outputs, scaled and shifted. Returns false and
// changes nothing if the weights or biases would leave the range of their type.
bool scale_outputs(AffineLayer& layer, const ColumnScaling& scaling);

// Changes the layer, which reads y, so that it reads x instead and computes the same outputs.
// Returns false and changes nothing if the outputs would be less exact, because the shifts, which
// become part of the bias, cancel with the product, or because the weights would leave the range of
// their type.
bool scale_inputs(AffineLayer& layer, const ColumnScaling& scaling);

}  // namespace tilewright

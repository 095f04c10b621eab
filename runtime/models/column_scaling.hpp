// Operations that scale and shift the columns of a batch, which an affine layer can do as well.
#pragma once

#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// y(j) = scale(j) x(j) + shift(j). Each has one element for every column, or one for all.
struct ColumnScaling {
  std::vector<double> scale = {1.0};
  std::vector<double> shift = {0.0};

  // y becomes operation(y), if that scales and shifts y by finite numbers; else returns false.
  bool add(const OperationLayer& operation);
  bool changes_nothing() const;
};

// The layer's outputs, scaled and shifted.
void scale_outputs(AffineLayer& layer, const ColumnScaling& scaling);

// The layer, which takes y, takes x instead.
void scale_inputs(AffineLayer& layer, const ColumnScaling& scaling);

}  // namespace tilewright

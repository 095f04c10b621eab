// What is done to each column of a batch that an affine layer can do as well?
#pragma once

#include <vector>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// y(j) = scale(j) x(j) + shift(j). Each has one element for every column, or one for all.
struct Columns {
  std::vector<double> scale = {1.0};
  std::vector<double> shift = {0.0};
  // If not empty: x has twice as many columns as y, and y(j) = scale(j) x(j) +
  // negative_scale(j) x(columns + j) + shift(j). Then all three have an element for every column.
  std::vector<double> negative_scale;

  // y is scaled and shifted once more.
  void then(const std::vector<double>& scale, const std::vector<double>& shift);
  bool change_nothing() const;
};

// The layer's outputs, scaled and shifted.
void scale_outputs(AffineLayer& layer, const std::vector<double>& scale,
                   const std::vector<double>& shift);

// The layer for x if `layer`, which has a bias for each output or none, takes y.
AffineLayer with_scaled_inputs(const AffineLayer& layer, const Columns& columns);

// The layer's outputs, and behind them the same with the other sign.
AffineLayer with_negatives(const AffineLayer& layer);

// The layer that does nothing but that to `count` columns y.
AffineLayer make_column_layer(const Columns& columns, std::int64_t count);

}  // namespace tilewright

// Rewrites a model so that it runs faster. Results differ only by rounding.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/network/model/layer_values.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// The models that these functions take and return do not contain kPreviousValue
// (with_value_numbers()).

// Removes the inputs and layers that no output needs. `kept`: if not null, receives the index that
// each layer of the result has in `model`.
NetworkModel without_unused(NetworkModel model, std::vector<std::size_t>* kept = nullptr);

// Replaces groups of operations that compute an activation by this activation. Merges operations
// that scale and shift columns into the weights and bias of the adjacent affine layer, unless that
// would lose precision.
NetworkModel simplified(NetworkModel model);

// Uses kPreviousValue wherever a layer reads the value of the previous layer.
NetworkModel as_chain(NetworkModel model);

}  // namespace tilewright

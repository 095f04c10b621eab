// Checks whether a model can be run. The networks of the library and the readers of model files
// share these rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Describes the first rule that a model violates.
struct ModelFault {
  std::string place;          // "layer 2 ('fc1')"; empty: the whole model
  std::string reason;         // continues the sentence: "has 3 biases for 4 outputs"
  bool is_too_large = false;  // an extent exceeds kMaxLayerExtent
  // The value that cannot be computed: the result of the layer, or an input; -1: none.
  NetworkValue value = -1;
};

inline constexpr std::int64_t kMaxLayerExtent = 2'000'000'000;  // inputs or outputs

const std::string& layer_name(const NetworkLayer& layer);

// Returns the layer's name, or a description such as "affine 784x10" if it has none.
std::string display_name(const NetworkLayer& layer);

// Returns "relu", "softmax" ...
std::string activation_name(Activation);

// "layer 2", or "layer 2 ('fc1')".
std::string layer_place(const NetworkModel& model, std::size_t index);

// "input 2", or "input 2 ('goal')".
std::string input_text(const NetworkModel& model, std::size_t index);

// Returns the first rule that the model violates; nullopt if it can be run.
std::optional<ModelFault> find_fault(const NetworkModel& model);

// Returns the columns of every value, indexed by NetworkValue. The model must have no fault.
std::vector<std::int64_t> layer_widths(const NetworkModel& model);

}  // namespace tilewright

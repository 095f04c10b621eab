// The table of the ONNX operators that are read. Each file of operators has the rows of its own.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "onnx/onnx_node.hpp"

namespace tilewright {

struct OnnxOperator {
  std::string_view name;  // after its domain, if that is not ONNX' own: "ai.onnx.ml.Scaler"
  int max_inputs = 0;
  // Returns the first output; defines others in the node.
  OnnxValue (*function)(OnnxNode& node) = nullptr;
};
inline constexpr int kAnyNumber = std::numeric_limits<int>::max();

std::span<const OnnxOperator> activation_operators();
std::span<const OnnxOperator> constant_operators();
std::span<const OnnxOperator> element_operators();
std::span<const OnnxOperator> move_operators();
std::span<const OnnxOperator> product_operators();
std::span<const OnnxOperator> row_operators();
std::span<const OnnxOperator> shape_operators();

// The functions of operators that the lists of activations (profiles/activation.hpp) and operations
// (operations.hpp) name.
OnnxValue listed_activation(OnnxNode& node);
OnnxValue operation(OnnxNode& node);
OnnxValue reduction(OnnxNode& node);

// The index of the largest or smallest element along a dimension: of the first of them, or the
// last.
OnnxValue index_of_best(OnnxNode& node, const OnnxValue& x, std::int64_t along, bool is_max,
                        bool is_last);

// Returns nullopt for an operator that is not supported.
std::optional<OnnxOperator> find_operator(std::string_view name);

}  // namespace tilewright

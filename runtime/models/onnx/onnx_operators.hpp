// The table of the ONNX operators that are read. Each file of operators has the rows of its own.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnx/onnx_node.hpp"

namespace tilewright {

// The form that an operator has from a version of its operator set on, up to that of the next row.
struct OnnxOperator {
  std::string_view name;  // after its domain, if that is not ONNX' own: "ai.onnx.ml.Scaler"
  // The operator set of its domain with which this form begins. The rows of a name are in the order
  // of their versions.
  int version = 1;
  int max_inputs = 0;
  // Returns the first output; defines others in the node.
  OnnxValue (*function)(OnnxNode& node) = nullptr;
  std::string_view
      result;  // what it becomes, for docs/models.md; rows with the same text are joined
};
inline constexpr int kAnyNumber = std::numeric_limits<int>::max();
inline constexpr std::string_view kActivationResult = "that activation";
inline constexpr std::string_view kElementsResult =
    "operations on elements, of constants or computed values, with broadcasting";
inline constexpr std::string_view kElementsAndRowsResult = "operations on elements and rows";
inline constexpr std::string_view kReductionResult = "operations on rows, not along the batch";

using OnnxOperators = std::span<const OnnxOperator>;
extern const OnnxOperators kActivationOperators, kConstantOperators, kElementOperators,
    kMoveOperators, kProductOperators, kRowOperators, kShapeOperators;

// The functions of operators that the list of operations (operations.hpp) names.
OnnxValue operation(OnnxNode& node);
OnnxValue operation_before_7(OnnxNode& node);
OnnxValue reduction(OnnxNode& node);

// The index of the largest or smallest element along a dimension: of the first of them, or the
// last.
OnnxValue index_of_best(OnnxNode& node, const OnnxValue& x, std::int64_t along, bool is_max,
                        bool is_last);

// Returns the row for a version of the operator set: the newest that is not newer, or else the
// oldest; nullopt for an operator that is not supported.
std::optional<OnnxOperator> find_operator(std::string_view name,
                                          int version = std::numeric_limits<int>::max());
// Returns all rows. Of equal ones, the first counts.
std::vector<OnnxOperator> onnx_operators();

}  // namespace tilewright

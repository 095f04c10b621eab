// The table of the ONNX operators that are read. Each file of operators has the rows of its own.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "onnx/onnx_node.hpp"

namespace tilewright {

// The extents of the first output of a node.
struct OnnxShape {
  TensorExtents extents;
  bool is_flat = false;  // see OnnxValue
};

// A shape rule returns the extents of the first output, after checking the extents and attributes
// that they depend on. `x`: the first input.
using OnnxShapeRule = OnnxShape (*)(const OnnxNode& node, const OnnxValue& x);
// The extents of x.
inline OnnxShape same_shape(const OnnxNode&, const OnnxValue& x) {
  return {x.extents, x.is_flat};
}
// The extents of x without the dimensions of the attribute or input axes, or with 1 in their place.
OnnxShape reduced_shape(const OnnxNode& node, const OnnxValue& x);
// Rules without a function: the result of the operator's function has these extents already.
inline constexpr OnnxShapeRule kBroadcast = nullptr;  // those of all inputs, as NumPy combines them
// The rows of X and the columns of the weights; labels: the rows.
inline constexpr OnnxShapeRule kProduct = nullptr;
// Those of the rearranged column numbers, or of the rows that are looked up.
inline constexpr OnnxShapeRule kMoved = nullptr;
inline constexpr OnnxShapeRule kConstant = nullptr;   // those of the constant

// The form that an operator has from a version of its operator set on, up to that of the next row.
struct OnnxOperator {
  std::string_view name;  // after its domain, if that is not ONNX' own: "ai.onnx.ml.Scaler"
  // The operator set of its domain with which this form begins. The rows of a name are in the order
  // of their versions.
  int version = 1;
  int max_inputs = 0;
  OnnxShapeRule shape = nullptr;
  // Returns the first output, which then gets the extents of the rule; defines others in the node.
  OnnxValue (*function)(OnnxNode& node, const OnnxValue& x) = nullptr;
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

// The functions of operators that the lists of activations (activation.hpp) and of operations
// (operations.hpp) name.
OnnxValue listed_activation(OnnxNode& node, const OnnxValue& x);
OnnxValue operation(OnnxNode& node, const OnnxValue& x);
OnnxValue operation_before_7(OnnxNode& node, const OnnxValue& x);
OnnxValue reduction(OnnxNode& node, const OnnxValue& x);

// The index of the largest or smallest element along a dimension: of the first of them, or the
// last.
OnnxValue index_of_best(OnnxNode& node, const OnnxValue& x, std::int64_t along, bool is_max,
                        bool is_last);

// Returns all rows.
const std::vector<OnnxOperator>& onnx_operators();
// Returns the row for a version of the operator set: the newest that is not newer, or else the
// oldest; null for an operator that is not supported.
const OnnxOperator* find_operator(std::string_view name,
                                  int version = std::numeric_limits<int>::max());
// Returns the first output of a node whose operator has this row.
OnnxValue evaluate_operator(const OnnxOperator& row, OnnxNode& node);

}  // namespace tilewright

// Constants of an ONNX graph, and the operations on constants that are evaluated when a file is
// read (constant folding). All functions report errors through ModelPlace::fail().
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

struct OperationDescription;

// A constant. Its values are in row-major order; integers are exact up to 2^53.
struct ConstantTensor {
  int type = onnx::kFloat;  // the type in the file, for messages and rounding
  std::vector<std::int64_t> extents;
  std::vector<double> values;
};

// Placeholders in a tensor of extents, for example in the result of Shape: for the batch size,
// which is not known when the file is read, and for any other extent that the file leaves open.
// Both are NaNs.
double batch_extent();
double unknown_extent();
bool is_batch_extent(double value);
bool is_unknown_extent(double value);
// True for either of them, and not for other NaNs without a payload.
bool is_placeholder(double value);
// Replaces a NaN of a file by one that is no placeholder.
double without_payload(double value);

// Limits the number of elements that the constants of one file have together, including their
// copies in layers and the column numbers of rearranged columns. The limit is proportional to the
// size of the file and to the columns of its inputs, so that a small malicious file cannot exhaust
// memory.
class ConstantBudget {
 public:
  explicit ConstantBudget(std::uint64_t file_bytes) : left_(16 * file_bytes + 4096) {}
  // Throws ModelError if fewer elements are left.
  void take(std::uint64_t elements, const ModelPlace& place);
  // The same for memory that is freed soon: it is not subtracted from what is left.
  void check(std::uint64_t elements, const ModelPlace& place) const;
  void add_file(std::uint64_t bytes) { left_ += 16 * bytes; }
  // An application needs memory for each column of an input anyway. There may be many inputs, so
  // only the first kMaxInputColumns count.
  void add_columns(std::uint64_t columns) {
    const std::uint64_t counted = std::min(columns, kMaxInputColumns - input_columns_);
    input_columns_ += counted;
    left_ += 8 * counted;
  }

 private:
  static constexpr std::uint64_t kMaxInputColumns = std::uint64_t{1} << 20;

  std::uint64_t input_columns_ = 0;
  std::uint64_t left_;
};

// Returns the number of elements of a tensor with these extents; fails if it exceeds 2^40, or if an
// extent is negative.
std::uint64_t num_elements(const std::vector<std::int64_t>& extents, const ModelPlace& place);

// Returns the extents of the result of an element-wise operation by NumPy's rules of broadcasting;
// nullopt if the extents are incompatible.
std::optional<std::vector<std::int64_t>> broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b);

// Returns the tensor broadcast to these extents, which must be compatible (see broadcast()).
ConstantTensor broadcast_to(const ConstantTensor& tensor, const std::vector<std::int64_t>& extents,
                            ConstantBudget& budget, const ModelPlace& place);

// Returns the value of a Constant node whose attribute is not a dense tensor.
ConstantTensor constant_value(const onnx::Node& node, ConstantBudget& budget,
                              const ModelPlace& place);

// Evaluates a node whose inputs are all constant. A null input is omitted in the file. Returns
// nullopt if the operation is not supported on constants.
std::optional<std::vector<ConstantTensor>> fold_constants(
    const onnx::Node& node, const std::vector<const ConstantTensor*>& inputs,
    ConstantBudget& budget, const ModelPlace& place);

// Evaluates a node that only rearranges the elements of its first input (Transpose, Slice, Gather,
// Split, Expand, Tile) or of all inputs (Concat). Returns nullopt for another operation.
std::optional<std::vector<ConstantTensor>> rearrange(
    const onnx::Node& node, const std::vector<const ConstantTensor*>& inputs,
    ConstantBudget& budget, const ModelPlace& place);

// Returns the reduction of a constant along `axes`, the axes of the node. Without axes it is along
// all dimensions, or none if the node has noop_with_empty_axes.
ConstantTensor reduce_constant(const onnx::Node& node, const OperationDescription& operation,
                               const ConstantTensor& from, const std::vector<std::int64_t>& axes,
                               ConstantBudget& budget, const ModelPlace& place);

// Returns the result of a Shape node for a value with these extents.
ConstantTensor extents_tensor(const onnx::Node& node, const std::vector<double>& extents,
                              const ModelPlace& place);

// Returns the extents of the result of a Reshape; fails if they do not match the number of
// elements. An extent of 0 in `shape` is copied from `from`, the extents of the input.
std::vector<std::int64_t> reshape_extents(const onnx::Node& node, const ConstantTensor& shape,
                                          const std::vector<std::int64_t>& from,
                                          const ModelPlace& place);

// Returns the axis counted from 0 (a negative `axis` counts from the end); fails unless it is one
// of `rank` dimensions.
std::int64_t checked_axis(std::int64_t axis, std::size_t rank, const ModelPlace& place);

// Returns the integers of a constant input, or of an attribute for operator sets in which this
// input was an attribute; empty if both are absent.
std::vector<std::int64_t> read_integers(const onnx::Node& node, int input,
                                        const ConstantTensor* given, std::string_view attribute,
                                        const ModelPlace& place);
std::int64_t to_integer(double value, const ModelPlace& place);

// Return the extents after Squeeze and Unsqueeze.
std::vector<std::int64_t> squeeze_extents(std::vector<std::int64_t> extents,
                                          std::vector<std::int64_t> axes, const ModelPlace& place);
std::vector<std::int64_t> unsqueeze_extents(std::vector<std::int64_t> extents,
                                            std::vector<std::int64_t> axes,
                                            const ModelPlace& place);

}  // namespace tilewright

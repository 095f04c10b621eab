// Tensors of numbers, and moves of their elements. All functions report errors through
// ModelPlace::fail().
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "model_place.hpp"
#include "onnx/onnx_structures.hpp"

namespace tilewright {

using TensorExtents = std::vector<std::int64_t>;

// A constant. Its values are in row-major order; integers are exact up to 2^53.
struct ConstantTensor {
  int type = onnx::kFloat;  // the type in the file, for messages and rounding
  TensorExtents extents;
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
std::uint64_t num_elements(const TensorExtents& extents, const ModelPlace& place);

TensorExtents row_major_strides(const TensorExtents& extents);

// Calls visit(index) for the `count` elements of a tensor with these extents, in row-major order.
// An index is the sum of the positions times the strides.
template <class Visit>
void for_each_strided(const TensorExtents& extents, const TensorExtents& strides,
                      std::uint64_t count, const Visit& visit) {
  TensorExtents at(extents.size(), 0);
  for (std::uint64_t element = 0; element < count; ++element) {
    visit(static_cast<std::size_t>(
        std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0})));
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < extents[i]) break;
      at[i] = 0;
    }
  }
}

// Returns the extents of the result of an element-wise operation by NumPy's rules of broadcasting;
// nullopt if the extents are incompatible.
std::optional<TensorExtents> broadcast(const TensorExtents& a, const TensorExtents& b);

// Returns the tensor broadcast to these extents, which must be compatible (see broadcast()).
ConstantTensor broadcast_to(const ConstantTensor& tensor, const TensorExtents& extents,
                            ConstantBudget& budget, const ModelPlace& place);

// Returns the tensor whose dimension i is dimension order[i] of `from`.
ConstantTensor transposed(const ConstantTensor& from, const std::vector<std::int64_t>& order,
                          ConstantBudget& budget, const ModelPlace& place);

// Returns the elements at these indices of one dimension, which must exist.
ConstantTensor select_indices(const ConstantTensor& from, std::size_t axis,
                              const std::vector<std::int64_t>& indices, ConstantBudget& budget,
                              const ModelPlace& place);

// Returns tensors, at least one, joined along a dimension.
ConstantTensor concatenated(const std::vector<ConstantTensor>& parts, std::size_t axis,
                            ConstantBudget& budget, const ModelPlace& place);

// Returns the axis counted from 0 (a negative `axis` counts from the end); fails unless it is one
// of `rank` dimensions.
std::int64_t checked_axis(std::int64_t axis, std::size_t rank, const ModelPlace& place);

// Fails for a placeholder and NaN.
std::int64_t to_integer(double value, const ModelPlace& place);

}  // namespace tilewright

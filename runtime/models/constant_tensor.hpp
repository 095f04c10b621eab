// Constants of an ONNX graph, and the operations that are carried out on them when a file is read.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model_place.hpp"

namespace tilewright {

// Numbers in row-major order. Integers are exact up to 2^53.
struct ConstantTensor {
  int type = onnx::TensorProto::FLOAT;  // of the file, for messages and rounding
  std::vector<std::int64_t> extents;
  std::vector<double> values;
};

// The batch size of the network in a tensor of extents, such as Shape gives. It is not known when
// the file is read. Arithmetic with it gives it again.
double batch_extent();
bool is_batch_extent(double value);

// How many elements constants of one file may have together. A small file can ask for many: it may
// not take memory that its own size does not justify.
class ConstantBudget {
 public:
  explicit ConstantBudget(std::uint64_t file_bytes) : left_(16 * file_bytes + 4096) {}
  // Throws ModelError if not so many are left.
  void take(std::uint64_t elements, const ModelPlace& place);
  void add_file(std::uint64_t bytes) { left_ += 16 * bytes; }

 private:
  std::uint64_t left_;
};

// The number of elements of a tensor with these extents; fails if that exceeds 2^40, or if one is
// below 0.
std::uint64_t num_elements(const std::vector<std::int64_t>& extents, const ModelPlace& place);

// The extents of the result of an operation on elements, as NumPy broadcasts; nullopt if they do
// not fit.
std::optional<std::vector<std::int64_t>> broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b);

// The tensor repeated to these extents, which its own must fit (broadcast()).
ConstantTensor expanded(const ConstantTensor& tensor, const std::vector<std::int64_t>& extents,
                        ConstantBudget& budget, const ModelPlace& place);

// The numbers of a Constant whose attribute is not a dense tensor.
ConstantTensor constant_of(const onnx::NodeProto& node, ConstantBudget& budget,
                           const ModelPlace& place);

// The results of a node whose inputs are all constant (null: an input that is left out); nullopt if
// the operation is none that is carried out on constants.
std::optional<std::vector<ConstantTensor>> folded(const onnx::NodeProto& node,
                                                  const std::vector<const ConstantTensor*>& inputs,
                                                  ConstantBudget& budget, const ModelPlace& place);

// The results of a node that only moves elements of its first input: Transpose, Slice, Gather,
// Split, Expand, Tile, Concat of all. nullopt: another operation.
std::optional<std::vector<ConstantTensor>> moved(const onnx::NodeProto& node,
                                                 const std::vector<const ConstantTensor*>& inputs,
                                                 ConstantBudget& budget, const ModelPlace& place);

// The extents that a Reshape of `count` elements gives; fails if they do not fit. An extent of 0
// copies that of `from`.
std::vector<std::int64_t> reshaped(const onnx::NodeProto& node, const ConstantTensor& shape,
                                   const std::vector<std::int64_t>& from, const ModelPlace& place);

// An axis from 0; fails unless it is one of `rank` dimensions.
std::int64_t checked_axis(std::int64_t axis, std::size_t rank, const ModelPlace& place);

// The integers of an input, or before the input existed of an attribute; empty if there are none.
std::vector<std::int64_t> integers_of(const onnx::NodeProto& node, int input,
                                      const ConstantTensor* given, std::string_view attribute,
                                      const ModelPlace& place);
std::int64_t integer_of(double value, const ModelPlace& place);

// Extents after Squeeze or Unsqueeze.
std::vector<std::int64_t> squeezed(std::vector<std::int64_t> extents,
                                   std::vector<std::int64_t> axes, const ModelPlace& place);
std::vector<std::int64_t> unsqueezed(std::vector<std::int64_t> extents,
                                     std::vector<std::int64_t> axes, const ModelPlace& place);

}  // namespace tilewright

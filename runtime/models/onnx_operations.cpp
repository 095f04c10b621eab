#include <algorithm>
#include <limits>

#include "onnx_chain.hpp"

namespace tilewright {

void OnnxChain::identity(const Node& node) {
  expect_chain_first(node);
}

// Nothing is dropped but in training.
void OnnxChain::dropout(const Node& node) {
  expect_chain_first(node);
  if (node.proto.input_size() < 3 || node.proto.input(2).empty()) return;
  const onnx::TensorProto& training = *expect_constant(node, 2, "training_mode").tensor;
  const bool raw = training.raw_data().find_first_not_of('\0') != std::string::npos;
  const bool typed = training.int32_data_size() > 0 && training.int32_data(0) != 0;
  if (raw || typed) node.place.fail("is in training mode");
}

// As a link of the chain: only constants can be transposed (fold()).
void OnnxChain::transpose(const Node& node) {
  node.place.fail("transposes what is computed; only constants can be transposed");
}

void OnnxChain::constant(const Node& node) {
  const onnx::AttributeProto* const value = attribute(node.proto, "value");
  if (value == nullptr || !value->has_t()) {
    node.place.fail("has no tensor in its attribute value");
  }
  constants_[node.proto.output(0)] = {&value->t(), false};
}

void OnnxChain::flatten(const Node& node) {
  expect_chain_first(node);
  const std::int64_t axis = integer_attribute(node.proto, "axis", 1, node.place);
  const bool is_first =
      axis == 1 || (extents_ && axis == 1 - static_cast<std::int64_t>(extents_->size()));
  if (!is_first) {
    node.place.fail(fmt::format("has axis {}; only 1, a row for each sample, can be run", axis));
  }
  expect_samples_first(node);
  extents_ = {kBatch, width().value_or(kUnknown)};
}

// To one row for each sample.
void OnnxChain::reshape(const Node& node) {
  expect_chain_first(node);
  const onnx::TensorProto& tensor = *expect_constant(node, 1, "shape").tensor;
  if (tensor.dims_size() != 1 || tensor.dims(0) != 2) {
    node.place.fail(
        fmt::format("has a shape of {} extents; only 2 can be run", extents_text(tensor)));
  }
  const std::vector<std::int64_t> shape = tensors_.integers(tensor, node.place);
  const bool zero_is_zero = integer_attribute(node.proto, "allowzero", 0, node.place) != 0;
  // 0: as it was.
  const bool is_matrix = extents_ && extents_->size() == 2;
  const std::int64_t columns = shape[1] == 0 && is_matrix ? -1 : shape[1];
  const bool right = shape[0] >= -1 && (columns > 0 || columns == -1) &&
                     !(shape[0] == -1 && shape[1] == -1) &&
                     !(zero_is_zero && (shape[0] == 0 || shape[1] == 0)) &&
                     (columns == -1 || width().value_or(columns) == columns);
  if (!right) {
    const std::string before = width() ? fmt::format("{}", *width()) : "an unknown number of";
    node.place.fail(
        fmt::format("makes {} x {} of samples of {} elements; only one row for each "
                    "sample can be run",
                    shape[0], shape[1], before));
  }
  // Rows are samples if there are as many, or if a row has as many elements as a sample.
  if (shape[0] > 0 && shape[0] != file_batch_ && (columns == -1 || !width())) {
    node.place.fail(fmt::format(
        "makes {} rows of a batch whose size {}; only one row for each sample can be run: export it "
        "with the shape [-1, columns]",
        shape[0],
        file_batch_ == kUnknown ? "the file leaves open" : fmt::format("is {}", file_batch_)));
  }
  expect_samples_first(node);
  extents_ = {kBatch, columns > 0 ? columns : width().value_or(kUnknown)};
}

// The product of all extents but the batch, where known.
std::optional<std::int64_t> OnnxChain::width() const {
  if (!extents_) return std::nullopt;
  std::int64_t product = 1;
  for (const std::int64_t extent : *extents_) {
    if (extent == kBatch) continue;
    if (extent == kUnknown || product > std::numeric_limits<std::int64_t>::max() / extent) {
      return std::nullopt;
    }
    product *= extent;
  }
  return product;
}

void OnnxChain::expect_samples_first(const Node& node) const {
  if (!extents_ || (!extents_->empty() && extents_->front() == kBatch)) return;
  node.place.fail("takes a value whose first dimension is not that of the samples");
}

// Of Squeeze and Unsqueeze, from 0 and in order: an input, or, before operator set 13, an
// attribute.
std::vector<std::int64_t> OnnxChain::axes(const Node& node, std::size_t dimensions) {
  std::vector<std::int64_t> axes;
  if (node.proto.input_size() > 1) {
    axes = tensors_.integers(*expect_constant(node, 1, "axes").tensor, node.place);
  } else if (const onnx::AttributeProto* const given = attribute(node.proto, "axes")) {
    axes.assign(given->ints().begin(), given->ints().end());
  }
  const auto most = static_cast<std::int64_t>(dimensions);
  for (std::int64_t& axis : axes) {
    if (axis < -most || axis >= most) {
      node.place.fail(fmt::format("has axis {} of {} dimensions", axis, most));
    }
    if (axis < 0) axis += most;
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

// What has one element along an axis lies the same with the axis and without it.
void OnnxChain::squeeze(const Node& node) {
  expect_chain_first(node);
  if (!extents_) node.place.fail("takes a value of an unknown number of dimensions");
  std::vector<std::int64_t> dropped = axes(node, extents_->size());
  if (dropped.empty()) {
    for (std::size_t i = 0; i < extents_->size(); ++i) {
      if ((*extents_)[i] == 1) dropped.push_back(static_cast<std::int64_t>(i));
    }
  }
  for (auto axis = dropped.rbegin(); axis != dropped.rend(); ++axis) {
    if ((*extents_)[static_cast<std::size_t>(*axis)] != 1) {
      node.place.fail(fmt::format(
          "drops axis {}, which is not known to have 1 element; only such can be run", *axis));
    }
    extents_->erase(extents_->begin() + *axis);
  }
}

void OnnxChain::unsqueeze(const Node& node) {
  expect_chain_first(node);
  if (!extents_) node.place.fail("takes a value of an unknown number of dimensions");
  const onnx::AttributeProto* const given = attribute(node.proto, "axes");
  const int count = node.proto.input_size() > 1
                        ? static_cast<int>(expect_constant(node, 1, "axes").tensor->dims(0))
                    : given == nullptr ? 0
                                       : given->ints_size();
  for (const std::int64_t axis : axes(node, extents_->size() + static_cast<std::size_t>(count))) {
    extents_->insert(extents_->begin() + axis, 1);
  }
}

}  // namespace tilewright

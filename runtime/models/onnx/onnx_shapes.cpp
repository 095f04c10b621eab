// Converts nodes that only change the extents of a value.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "onnx/onnx_importer.hpp"

namespace tilewright {
namespace {

bool is_one(std::int64_t extent) {
  return extent == 1;
}

}  // namespace

OnnxImporter::Computed OnnxImporter::identity(const Node& node) {
  return std::get<Computed>(expect(node, 0, "value"));
}

// In inference Dropout changes nothing.
OnnxImporter::Computed OnnxImporter::dropout(const Node& node) {
  const Computed x = expect_computed(node);
  const auto training = optional_numbers(node, 2, "training_mode");
  if (training && std::any_of(training->values.begin(), training->values.end(),
                              [](double value) { return value != 0.0; })) {
    node.place.fail("is in training mode; export the network for inference");
  }
  return x;
}

// Unknown extents become placeholders.
ConstantTensor OnnxImporter::shape_tensor(const Node& node, const Computed& x) const {
  std::vector<double> extents;
  for (const std::int64_t extent : x.extents) {
    extents.push_back(extent == kBatch     ? batch_extent()
                      : extent == kUnknown ? unknown_extent()
                                           : static_cast<double>(extent));
  }
  return extents_tensor(node.proto, extents, node.place);
}

OnnxImporter::Computed OnnxImporter::flatten(const Node& node) {
  const Computed x = expect_computed(node);
  const auto rank = static_cast<std::int64_t>(x.extents.size());
  const std::int64_t given = integer_attribute(node.proto, "axis", 1, node.place);
  const std::int64_t axis = given < 0 ? given + rank : given;
  const auto refuse = [&] {
    node.place.fail(
        fmt::format("has axis {}; only 1, one row per sample, is supported; export it so", given));
  };
  if (axis < 0 || axis > rank) refuse();
  const Extents outer(x.extents.begin(), x.extents.begin() + axis);
  const Extents inner(x.extents.begin() + axis, x.extents.end());
  const bool has_samples = batch_axis(x.extents).has_value();
  if (has_samples && (!batch_axis(outer) || columns(outer).value_or(0) != 1)) refuse();
  const std::int64_t rows = has_samples ? kBatch : columns(outer).value_or(kUnknown);
  return {x.value, {rows, columns(inner).value_or(kUnknown)}, false};
}

// Finds the extents of the result of a Reshape. Accepts all that do not mix samples.
class OnnxImporter::Reshaping {
 public:
  Reshaping(const Node& node, const Computed& from, const ConstantTensor& shape,
            std::int64_t file_batch)
      : node_(node),
        from_(from),
        shape_(shape),
        file_batch_(file_batch),
        width_(columns(from.extents)) {
    read_extents(integer_attribute(node.proto, "allowzero", 0, node.place) != 0);
    multiply_known();
  }

  Computed result();

 private:
  static constexpr std::int64_t kOpen = -2;  // the extent that must be computed

  [[noreturn]] void refuse() const;
  void read_extents(bool zero_is_zero);
  void multiply_known();
  bool has_open() const { return open_ != extents_.end(); }
  void fill_open();
  bool find_batch();

  const Node& node_;
  const Computed& from_;
  const ConstantTensor& shape_;
  const std::int64_t file_batch_;
  const std::optional<std::int64_t> width_;  // elements of a sample
  Extents extents_;
  Extents::iterator open_;
  std::int64_t known_ = 1;  // product of the extents, without the open extent and the batch
};

void OnnxImporter::Reshaping::refuse() const {
  std::vector<std::string> texts;
  for (const double extent : shape_.values) {
    texts.push_back(is_batch_extent(extent)     ? "batch"
                    : is_unknown_extent(extent) ? "an unknown extent"
                                                : fmt::format("{}", extent));
  }
  node_.place.fail(fmt::format(
      "makes {} of samples of {} elements; only one row per sample is supported: export it "
      "with the shape [-1, columns]",
      fmt::join(texts, " x "), width_ ? fmt::format("{}", *width_) : "an unknown number of"));
}

void OnnxImporter::Reshaping::read_extents(bool zero_is_zero) {
  for (std::size_t i = 0; i < shape_.values.size(); ++i) {
    // Reshape computes at most one extent that is not known, as if it were -1.
    const double given = is_unknown_extent(shape_.values[i]) ? -1.0 : shape_.values[i];
    const bool copies = given == 0.0 && !zero_is_zero;
    if (copies && i >= from_.extents.size()) refuse();
    if (!is_batch_extent(given) && !copies && given != -1.0 && !(given >= 1.0)) refuse();
    extents_.push_back(is_batch_extent(given) ? kBatch
                       : copies               ? from_.extents[i]
                       : given == -1.0        ? kOpen
                                              : to_integer(given, node_.place));
    if (extents_.back() == kUnknown) extents_.back() = kOpen;
  }
  if (std::count(extents_.begin(), extents_.end(), kOpen) > 1 ||
      std::count(extents_.begin(), extents_.end(), kBatch) > 1) {
    refuse();
  }
  open_ = std::find(extents_.begin(), extents_.end(), kOpen);
}

void OnnxImporter::Reshaping::multiply_known() {
  for (const std::int64_t extent : extents_) {
    if (extent < 1) continue;
    if (known_ > std::numeric_limits<std::int64_t>::max() / extent) refuse();
    known_ *= extent;
  }
}

void OnnxImporter::Reshaping::fill_open() {
  if (!has_open()) {
    if (width_ && *width_ != known_) refuse();
    return;
  }
  if (width_ && *width_ % known_ != 0) refuse();
  *open_ = width_ ? *width_ / known_ : kUnknown;
}

// Finds the extent that is the batch if the shape does not state it. Returns true if samples and
// columns form one dimension.
bool OnnxImporter::Reshaping::find_batch() {
  const std::int64_t first = extents_.empty() ? kUnknown : extents_.front();
  if (has_open() && std::all_of(extents_.begin(), open_, is_one) &&
      (width_ ? *width_ == known_ : open_ == extents_.begin())) {
    *open_ = kBatch;
  } else if (first > 0 && first == file_batch_ &&
             (has_open() || !width_ || known_ / first == *width_)) {
    known_ /= first;
    extents_.front() = kBatch;
    fill_open();
  } else if (first > 0 && !has_open() && width_ && known_ / first == *width_ &&
             first * *width_ == known_) {
    extents_.front() = kBatch;  // a row has as many elements as a sample
  } else if (file_batch_ == 1 && (has_open() || width_ == known_)) {
    fill_open();  // of one sample
  } else if (first == kOpen && known_ == 1 && width_) {
    extents_ = {kBatch, 1};
    return true;
  } else if (first > 0 && (has_open() || !width_)) {
    node_.place.fail(fmt::format(
        "makes {} rows of a batch whose size {}; only one row per sample is supported: export it "
        "with the shape [-1, columns]",
        first,
        file_batch_ == kUnknown ? "the file leaves open" : fmt::format("is {}", file_batch_)));
  } else {
    refuse();
  }
  return false;
}

OnnxImporter::Computed OnnxImporter::Reshaping::result() {
  const auto samples_first = [](const Extents& of) {
    const auto at = static_cast<std::ptrdiff_t>(batch_axis(of).value_or(0));
    return std::all_of(of.begin(), of.begin() + at, is_one);
  };
  if (!samples_first(from_.extents)) {
    node_.place.fail("reads a value whose first dimension is not the batch; transpose it before");
  }
  const bool has_samples = batch_axis(from_.extents).has_value();
  const bool states_batch = batch_axis(extents_).has_value();
  bool is_flat = false;
  if (states_batch && !has_samples) refuse();
  if (states_batch || !has_samples) {
    fill_open();
  } else {
    is_flat = find_batch();
  }
  if (!samples_first(extents_)) refuse();
  return {from_.value, std::move(extents_), is_flat};
}

OnnxImporter::Computed OnnxImporter::reshape(const Node& node) {
  const Computed x = expect_computed(node);
  const ConstantTensor shape = numbers(node, expect_constant(node, 1, "shape"));
  return Reshaping(node, x, shape, file_batch_).result();
}

OnnxImporter::Computed OnnxImporter::squeeze(const Node& node) {
  Computed x = expect_computed(node);
  const std::vector<std::int64_t> dropped = axes(node, 1, "axes");
  // If the file has one sample, the batch dimension may be removed.
  for (const std::int64_t axis : dropped) {
    const auto at = static_cast<std::size_t>(checked_axis(axis, x.extents.size(), node.place));
    if (x.extents[at] == kBatch && file_batch_ == 1) x.extents[at] = 1;
  }
  x.extents = squeeze_extents(x.extents, dropped, node.place);
  return x;
}

OnnxImporter::Computed OnnxImporter::unsqueeze(const Node& node) {
  Computed x = expect_computed(node);
  x.extents = unsqueeze_extents(x.extents, axes(node, 1, "axes"), node.place);
  return x;
}

}  // namespace tilewright

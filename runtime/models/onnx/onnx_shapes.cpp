// Operators that only change or read the extents of a value.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "onnx/onnx_operators.hpp"

namespace tilewright {
namespace {

bool is_one(std::int64_t extent) {
  return extent == 1;
}

// The function of operators that only change the extents.
OnnxValue first_input(OnnxNode&, const OnnxValue& x) {
  return x;
}

// In inference Dropout changes nothing.
OnnxShape dropout_shape(const OnnxNode& node, const OnnxValue& x) {
  if (node.input(2) != nullptr && std::ranges::any_of(node.constant(2, "training_mode").values,
                                                      [](double is) { return is != 0.0; })) {
    node.fail("is in training mode; export the network for inference");
  }
  return {x.extents};
}

// Unknown extents become placeholders.
OnnxValue shape(OnnxNode& node, const OnnxValue& x) {
  node.check_not_flat(x);
  const auto rank = std::ssize(x.extents);
  const auto bounded = [&](std::int64_t index) {
    return std::clamp<std::int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const std::int64_t end = bounded(node.integer("end", rank));
  ConstantTensor extents{onnx::kInt64, {}, {}};
  for (std::int64_t i = bounded(node.integer("start", 0)); i < end; ++i) {
    const std::int64_t extent = x.extents[static_cast<std::size_t>(i)];
    extents.values.push_back(x.is_constant()      ? static_cast<double>(extent)
                             : extent == kBatch   ? batch_extent()
                             : extent == kUnknown ? unknown_extent()
                                                  : static_cast<double>(extent));
  }
  extents.extents = {std::ssize(extents.values)};
  return node.make_constant(std::move(extents));
}

OnnxShape flatten_shape(const OnnxNode& node, const OnnxValue& x) {
  const auto rank = static_cast<std::int64_t>(x.extents.size());
  const std::int64_t given = node.integer("axis", 1);
  const std::int64_t axis = given < 0 ? given + rank : given;
  const auto refuse = [&] {
    node.fail(
        fmt::format("has axis {}; only 1, one row per sample, is supported; export it so", given));
  };
  if (axis < 0 || axis > rank) refuse();
  const TensorExtents outer(x.extents.begin(), x.extents.begin() + axis);
  const TensorExtents inner(x.extents.begin() + axis, x.extents.end());
  const bool has_samples = !x.is_constant() && batch_axis(x.extents).has_value();
  if (has_samples && (!batch_axis(outer) || columns(outer).value_or(0) != 1)) refuse();
  return {{has_samples ? kBatch : columns(outer).value_or(kUnknown),
           columns(inner).value_or(kUnknown)}};
}

// Returns the extents of the result of a Reshape of a constant.
TensorExtents reshape_extents(const OnnxNode& node, const ConstantTensor& shape,
                              const TensorExtents& from) {
  const bool zero_is_zero = node.is_set("allowzero");
  const std::uint64_t count = num_elements(from, node.place);
  TensorExtents extents;
  std::uint64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.values.size(); ++i) {
    std::int64_t extent = to_integer(shape.values[i], node.place);
    if (extent == 0 && !zero_is_zero && i < from.size()) extent = from[i];
    if (extent == -1 && !open) {
      open = i;
    } else {
      known = num_elements({static_cast<std::int64_t>(known), extent}, node.place);
    }
    extents.push_back(extent);
  }
  if (open && known > 0) extents[*open] = static_cast<std::int64_t>(count / known);
  if ((open && known == 0) || num_elements(extents, node.place) != count) {
    node.fail(fmt::format("reshapes {} elements to {}", count, extents_text(extents)));
  }
  return extents;
}

// Finds the extents of the result of a Reshape. Accepts all that do not mix samples.
class Reshaping {
 public:
  Reshaping(const OnnxNode& node, const OnnxValue& from, const ConstantTensor& shape)
      : node_(node),
        from_(from),
        shape_(shape),
        file_batch_(node.evaluation.file_batch),
        width_(columns(from.extents)) {
    read_extents(node.is_set("allowzero"));
    multiply_known();
  }

  OnnxShape result();

 private:
  static constexpr std::int64_t kOpen = -2;  // the extent that must be computed

  [[noreturn]] void refuse() const;
  void read_extents(bool zero_is_zero);
  void multiply_known();
  bool has_open() const { return open_ != extents_.end(); }
  void fill_open();
  bool find_batch();

  const OnnxNode& node_;
  const OnnxValue& from_;
  const ConstantTensor& shape_;
  const std::int64_t file_batch_;
  const std::optional<std::int64_t> width_;  // elements of a sample
  TensorExtents extents_;
  TensorExtents::iterator open_;
  std::int64_t known_ = 1;  // product of the extents, without the open extent and the batch
};

void Reshaping::refuse() const {
  std::vector<std::string> texts;
  for (const double extent : shape_.values) {
    texts.push_back(is_batch_extent(extent)     ? "batch"
                    : is_unknown_extent(extent) ? "an unknown extent"
                                                : fmt::format("{}", extent));
  }
  node_.fail(fmt::format(
      "makes {} of samples of {} elements; only one row per sample is supported: export it "
      "with the shape [-1, columns]",
      fmt::join(texts, " x "), width_ ? fmt::format("{}", *width_) : "an unknown number of"));
}

void Reshaping::read_extents(bool zero_is_zero) {
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

void Reshaping::multiply_known() {
  for (const std::int64_t extent : extents_) {
    if (extent < 1) continue;
    if (known_ > std::numeric_limits<std::int64_t>::max() / extent) refuse();
    known_ *= extent;
  }
}

void Reshaping::fill_open() {
  if (!has_open()) {
    if (width_ && *width_ != known_) refuse();
    return;
  }
  if (width_ && *width_ % known_ != 0) refuse();
  *open_ = width_ ? *width_ / known_ : kUnknown;
}

// Finds the extent that is the batch if the shape does not state it. Returns true if samples and
// columns form one dimension.
bool Reshaping::find_batch() {
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
  } else if (first == kOpen && known_ == 1 && width_) {
    extents_ = {kBatch, 1};
    return true;
  } else if (first > 0 && (has_open() || !width_)) {
    node_.fail(fmt::format(
        "makes {} rows of a batch whose size {}; only one row per sample is supported: export it "
        "with the shape [-1, columns]",
        first,
        file_batch_ == kUnknown ? "the file leaves open" : fmt::format("is {}", file_batch_)));
  } else {
    refuse();
  }
  return false;
}

OnnxShape Reshaping::result() {
  const auto samples_first = [](const TensorExtents& of) {
    const auto at = static_cast<std::ptrdiff_t>(batch_axis(of).value_or(0));
    return std::all_of(of.begin(), of.begin() + at, is_one);
  };
  if (!samples_first(from_.extents)) {
    node_.fail("reads a value whose first dimension is not the batch; transpose it before");
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
  return {std::move(extents_), is_flat};
}

OnnxShape reshape_shape(const OnnxNode& node, const OnnxValue& x) {
  const ConstantTensor shape = node.constant(1, "shape");
  return x.is_constant() ? OnnxShape{reshape_extents(node, shape, x.extents)}
                         : Reshaping(node, x, shape).result();
}

OnnxShape squeeze_shape(const OnnxNode& node, const OnnxValue& x) {
  std::vector<std::int64_t> axes = node.integers(1, "axes");
  const bool is_any = axes.empty();
  for (std::size_t i = 0; i < x.extents.size(); ++i) {
    if (is_any && x.extents[i] == 1) axes.push_back(static_cast<std::int64_t>(i));
  }
  for (const std::int64_t given : axes) {
    if (x.extents[node.axis(given, x)] == 1) continue;
    node.fail(fmt::format("removes axis {}, which may have more than 1 element", given));
  }
  return {node.reduced_extents(x, axes, false)};
}

OnnxShape unsqueeze_shape(const OnnxNode& node, const OnnxValue& x) {
  TensorExtents extents = x.extents;
  std::vector<std::int64_t> axes = node.integers(1, "axes");
  const std::size_t rank = extents.size() + axes.size();
  for (std::int64_t& axis : axes) axis = checked_axis(axis, rank, node.place);
  std::sort(axes.begin(), axes.end());
  for (const std::int64_t axis : axes) {
    if (axis > std::ssize(extents)) node.fail("lists an axis twice");
    extents.insert(extents.begin() + axis, 1);
  }
  return {std::move(extents)};
}

constexpr std::string_view kReshapeResult = "nothing; they must keep the samples apart";

constexpr OnnxOperator kShapeTable[] = {
    {"Dropout", 1, 1, dropout_shape, first_input, kReshapeResult},
    {"Dropout", 12, 3, dropout_shape, first_input, kReshapeResult},
    {"Flatten", 1, 1, flatten_shape, first_input, kReshapeResult},
    {"Identity", 1, 1, same_shape, first_input, kReshapeResult},
    {"Reshape", 5, 2, reshape_shape, first_input, kReshapeResult},
    {"Squeeze", 1, 1, squeeze_shape, first_input, kReshapeResult},
    {"Squeeze", 13, 2, squeeze_shape, first_input, kReshapeResult},
    {"Unsqueeze", 1, 1, unsqueeze_shape, first_input, kReshapeResult},
    {"Unsqueeze", 13, 2, unsqueeze_shape, first_input, kReshapeResult},
    {"Shape", 1, 1, kConstant, shape, "a constant"},
};

}  // namespace

constinit const OnnxOperators kShapeOperators = kShapeTable;

}  // namespace tilewright

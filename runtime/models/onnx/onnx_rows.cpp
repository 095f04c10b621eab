// Converts operations along dimensions, such as reductions and normalisations.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
// Permutes the columns so that those along the reduced dimensions are adjacent.
OnnxImporter::Groups OnnxImporter::group_columns(const Node& node, const Computed& from,
                                                 const std::vector<std::int64_t>& axes) {
  std::vector<bool> is_reduced(from.extents.size(), false);
  for (const std::int64_t axis : axes) {
    const auto at = static_cast<std::size_t>(checked_axis(axis, from.extents.size(), node.place));
    if (from.extents[at] == kBatch) {
      node.place.fail(fmt::format(
          "operates along axis {}, which is the batch; do it outside of the network", axis));
    }
    is_reduced[at] = true;
  }
  Groups groups{from, 1, from.extents};
  std::size_t last_kept = 0;
  std::size_t first_reduced = from.extents.size();
  for (std::size_t i = 0; i < from.extents.size(); ++i) {
    const bool counts = from.extents[i] != 1 && from.extents[i] != kBatch;
    if (is_reduced[i]) {
      groups.kept[i] = 1;
      if (counts) first_reduced = std::min(first_reduced, i);
    } else if (counts) {
      groups.count *= from.extents[i];
      last_kept = i;
    }
  }
  if (groups.count == 1) return groups;
  const Extents sample = sample_extents(node, from.extents);
  if (last_kept < first_reduced) return groups;
  // Move the dimensions that are kept to the front.
  onnx::Node transpose;
  transpose.op_type = "Transpose";
  onnx::Attribute& order = transpose.attribute.emplace_back();
  order.name = "perm";
  for (const bool reduced : {false, true}) {
    for (std::size_t i = 0; i < is_reduced.size(); ++i) {
      if (is_reduced[i] == reduced) order.ints.push_back(static_cast<std::int64_t>(i));
    }
  }
  const ConstantTensor indices = column_numbers(node, sample);
  const auto turned = rearrange(transpose, {&indices}, budget_, node.place);
  groups.value = selected(from, turned->front().values, {kBatch, *columns(from.extents)});
  return groups;
}

OnnxImporter::Computed OnnxImporter::reduced(MlpOperation operation, const Groups& groups) {
  return {push(OperationLayer{"", operation, {operand(groups.value)}, {groups.count}}), groups.kept,
          false};
}

std::vector<std::int64_t> OnnxImporter::axes(const Node& node, int index, const char* name) {
  const auto given = optional_numbers(node, index, name);
  return read_integers(node.proto, index, given ? &*given : nullptr, name, node.place);
}

OnnxImporter::Computed OnnxImporter::reduction(const Node& node) {
  const std::string& op = node.proto.op_type;
  Computed x = expect_computed(node);
  std::vector<std::int64_t> along = axes(node, 1, "axes");
  // Without axes, a reduction that has this attribute only applies its function: ReduceL2 gives
  // |x|.
  const bool is_no_sum =
      along.empty() && integer_attribute(node.proto, "noop_with_empty_axes", 0, node.place) != 0;
  if (is_no_sum && find_operation(op) != nullptr) return x;
  if (along.empty() && !is_no_sum) {
    if (batch_axis(x.extents)) {
      node.place.fail(
          "operates along all dimensions, including the batch; give the axes of the columns");
    }
    along.resize(x.extents.size());
    std::iota(along.begin(), along.end(), 0);
  }
  Computed y;
  if (op == "ReduceL1" || op == "ReduceL2") {
    y = norm(node, x, op == "ReduceL1" ? 1 : 2, along);
  } else if (op == "ReduceLogSumExp") {
    const Computed largest = reduced(MlpOperation::kLargest, group_columns(node, x, along));
    x = elements(node, MlpOperation::kSubtract, {x, largest});
    x = elements(node, MlpOperation::kExp, {x});
    y = reduced(MlpOperation::kSum, group_columns(node, x, along));
    y = elements(node, MlpOperation::kLog, {y});
    y = elements(node, MlpOperation::kAdd, {y, largest});
  } else {
    if (op == "ReduceSumSquare") x = elements(node, MlpOperation::kMultiply, {x, x});
    const OperationDescription* const plain = find_operation(op);
    y = reduced(plain == nullptr ? MlpOperation::kSum : plain->operation,
                group_columns(node, x, along));
    if (op == "ReduceLogSum") y = elements(node, MlpOperation::kLog, {y});
  }
  if (integer_attribute(node.proto, "keepdims", 1, node.place) != 0) return y;
  Extents kept;
  for (std::size_t i = 0; i < y.extents.size(); ++i) {
    const auto is_this = [&](std::int64_t axis) {
      return std::cmp_equal(checked_axis(axis, y.extents.size(), node.place), i);
    };
    if (!std::any_of(along.begin(), along.end(), is_this)) kept.push_back(y.extents[i]);
  }
  y.extents = kept;
  return y;
}

// Before operator set 13, softmax goes over all dimensions from the axis on; since then over the
// axis only.
std::vector<std::int64_t> OnnxImporter::softmax_axes(const Node& node, const Computed& x) {
  const bool is_old = operator_set_ < 13;
  const std::int64_t given = integer_attribute(node.proto, "axis", is_old ? 1 : -1, node.place);
  const auto rank = static_cast<std::int64_t>(x.extents.size());
  if (given < -rank || given >= rank) {
    node.place.fail(fmt::format("operates along axis {}, but has only {} dimensions", given, rank));
  }
  const std::int64_t axis = given < 0 ? given + rank : given;
  std::vector<std::int64_t> along = {axis};
  if (is_old) {
    for (std::int64_t i = axis + 1; i < rank; ++i) along.push_back(i);
  }
  return along;
}

OnnxImporter::Computed OnnxImporter::softmax(const Node& node) {
  const Computed x = expect_computed(node);
  const bool is_log = node.proto.op_type == "LogSoftmax";
  const Groups groups = group_columns(node, x, softmax_axes(node, x));
  if (groups.count == 1) {
    return activation(node, is_log ? MlpActivation::kLogSoftmax : MlpActivation::kSoftmax, x);
  }
  const Computed largest = reduced(MlpOperation::kLargest, groups);
  const Computed moved_x = elements(node, MlpOperation::kSubtract, {x, largest});
  const Computed powers = elements(node, MlpOperation::kExp, {moved_x});
  const Computed sum =
      reduced(MlpOperation::kSum, group_columns(node, powers, softmax_axes(node, powers)));
  if (!is_log) return elements(node, MlpOperation::kDivide, {powers, sum}, node.proto.name);
  const Computed log_sum = elements(node, MlpOperation::kLog, {sum});
  return elements(node, MlpOperation::kSubtract, {moved_x, log_sum}, node.proto.name);
}

// (x - mean) / sqrt(variance + epsilon) scale + bias, the form for inference. Each constant has one
// element per index of dimension 1.
OnnxImporter::Computed OnnxImporter::batch_normalization(const Node& node) {
  Computed x = expect_computed(node);
  if (integer_attribute(node.proto, "training_mode", 0, node.place) != 0) {
    node.place.fail("is in training mode; export the network for inference");
  }
  const auto epsilon =
      static_cast<double>(float_attribute(node.proto, "epsilon", 1e-5f, node.place));
  const auto along_channels = [&](int index, const char* what) {
    ConstantTensor given = numbers(node, expect_constant(node, index, what));
    given.extents.assign(std::max<std::size_t>(x.extents.size(), 2) - 1, 1);
    given.extents.front() = static_cast<std::int64_t>(given.values.size());
    return given;
  };
  ConstantTensor scale = along_channels(1, "scale");
  const ConstantTensor bias = along_channels(2, "bias");
  const ConstantTensor mean = along_channels(3, "mean");
  const ConstantTensor variance = along_channels(4, "variance");
  if (scale.values.size() != variance.values.size()) {
    node.place.fail(
        "has a scale and a variance of different sizes; each needs one element per channel");
  }
  for (std::size_t i = 0; i < scale.values.size(); ++i) {
    scale.values[i] /= std::sqrt(variance.values[i] + epsilon);
  }
  x = elements(node, MlpOperation::kSubtract, {x, make_constant(mean)});
  x = elements(node, MlpOperation::kMultiply, {x, make_constant(scale)});
  return elements(node, MlpOperation::kAdd, {x, make_constant(bias)}, node.proto.name);
}

// The dimensions from the axis of a normalisation on.
std::vector<std::int64_t> OnnxImporter::normalized_axes(const Node& node, const Computed& x) {
  std::vector<std::int64_t> along;
  for (std::int64_t i = checked_axis(integer_attribute(node.proto, "axis", -1, node.place),
                                     x.extents.size(), node.place);
       std::cmp_less(i, x.extents.size()); ++i) {
    along.push_back(i);
  }
  return along;
}

OnnxImporter::Computed OnnxImporter::layer_normalization(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed mean =
      reduced(MlpOperation::kMean, group_columns(node, x, normalized_axes(node, x)));
  return normalized(node, elements(node, MlpOperation::kSubtract, {x, mean}));
}

OnnxImporter::Computed OnnxImporter::rms_normalization(const Node& node) {
  return normalized(node, expect_computed(node));
}

// x / sqrt(mean of x^2 + epsilon) scale + bias. Scale and bias are optional.
OnnxImporter::Computed OnnxImporter::normalized(const Node& node, const Computed& x) {
  const auto epsilon =
      static_cast<double>(float_attribute(node.proto, "epsilon", 1e-5f, node.place));
  const Computed squares = elements(node, MlpOperation::kMultiply, {x, x});
  Computed mean =
      reduced(MlpOperation::kMean, group_columns(node, squares, normalized_axes(node, squares)));
  mean = elements(node, MlpOperation::kAdd, {mean, number(epsilon)});
  const Computed root = elements(node, MlpOperation::kSqrt, {mean});
  const Operand* const scale = find(node, 1);
  const Operand* const bias = find(node, 2);
  const std::string& name = node.proto.name;
  Computed y = elements(node, MlpOperation::kDivide, {x, root},
                        scale == nullptr && bias == nullptr ? name : "");
  if (scale != nullptr) {
    y = elements(node, MlpOperation::kMultiply, {y, *scale}, bias == nullptr ? name : "");
  }
  return bias == nullptr ? y : elements(node, MlpOperation::kAdd, {y, *bias}, name);
}

// The L1 (`power` 1) or L2 norm along dimensions.
OnnxImporter::Computed OnnxImporter::norm(const Node& node, const Computed& x, int power,
                                          const std::vector<std::int64_t>& along) {
  const Computed parts = power == 2 ? elements(node, MlpOperation::kMultiply, {x, x})
                                    : elements(node, MlpOperation::kAbs, {x});
  const Computed sum = reduced(MlpOperation::kSum, group_columns(node, parts, along));
  return power == 2 ? elements(node, MlpOperation::kSqrt, {sum}) : sum;
}

// x / norm, or x where the norm is 0.
OnnxImporter::Computed OnnxImporter::divided_by_norm(const Node& node, const Computed& x,
                                                     const Computed& norm) {
  const Computed divisor = elements(node, MlpOperation::kWhere, {norm, norm, number(1.0)});
  return elements(node, MlpOperation::kDivide, {x, divisor}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::lp_normalization(const Node& node) {
  const std::int64_t power = integer_attribute(node.proto, "p", 2, node.place);
  if (power != 1 && power != 2)
    node.place.fail(fmt::format("has p {}; 1 and 2 are supported", power));
  const Computed x = expect_computed(node);
  const std::int64_t axis = integer_attribute(node.proto, "axis", -1, node.place);
  return divided_by_norm(node, x, norm(node, x, static_cast<int>(power), {axis}));
}

// The norm MAX is the largest element, not the largest magnitude, as in the specification and in
// onnxruntime.
OnnxImporter::Computed OnnxImporter::normalizer(const Node& node) {
  const std::string name = text_attribute(node.proto, "norm", "MAX");
  const Computed x = expect_computed(node);
  if (name == "MAX") {
    return divided_by_norm(node, x, reduced(MlpOperation::kLargest, group_columns(node, x, {-1})));
  }
  if (name != "L1" && name != "L2") {
    node.place.fail(fmt::format("has the norm {}; MAX, L1 and L2 are supported", in_quotes(name)));
  }
  return divided_by_norm(node, x, norm(node, x, name == "L1" ? 1 : 2, {-1}));
}

// (x - offset) scale
OnnxImporter::Computed OnnxImporter::scaler(const Node& node) {
  Computed x = expect_computed(node);
  const auto constant = [&](const char* name, double otherwise) -> Operand {
    const onnx::Attribute* const given = attribute(node.proto, name);
    if (given == nullptr || given->floats.empty()) return number(otherwise);
    ConstantTensor numbers{onnx::kFloat, {std::ssize(given->floats)}, {}};
    numbers.values.assign(given->floats.begin(), given->floats.end());
    return make_constant(std::move(numbers));
  };
  x = elements(node, MlpOperation::kSubtract, {x, constant("offset", 0.0)});
  return elements(node, MlpOperation::kMultiply, {x, constant("scale", 1.0)}, node.proto.name);
}

}  // namespace tilewright

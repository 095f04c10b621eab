// Operators along dimensions, such as reductions and normalisations.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnx/onnx_operators.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/operations.hpp"

namespace tilewright {
namespace {

using Axes = std::vector<std::int64_t>;

OnnxValue squared(OnnxNode& node, const OnnxValue& x) {
  return node.elements(NetworkOperation::kMultiply, {x, x});
}

// The L1 (`power` 1) or L2 norm along dimensions.
OnnxValue norm(OnnxNode& node, const OnnxValue& x, int power, const Axes& along) {
  const OnnxValue parts =
      power == 2 ? squared(node, x) : node.elements(NetworkOperation::kAbs, {x});
  const OnnxValue sum = node.reduced(NetworkOperation::kSum, parts, along);
  return power == 2 ? node.elements(NetworkOperation::kSqrt, {sum}) : sum;
}

// x / norm, or x where the norm is 0.
OnnxValue divided_by_norm(OnnxNode& node, const OnnxValue& x, const OnnxValue& norm) {
  const OnnxValue divisor = node.elements(NetworkOperation::kWhere, {norm, norm, node.number(1.0)});
  return node.elements(NetworkOperation::kDivide, {x, divisor});
}

// (exp(x - largest), its sum, x - largest)
struct Powers {
  OnnxValue moved, powers, sum;
};
Powers powers_of(OnnxNode& node, const OnnxValue& x, const OnnxValue& largest, const Axes& along) {
  Powers result;
  result.moved = node.elements(NetworkOperation::kSubtract, {x, largest});
  result.powers = node.elements(NetworkOperation::kExp, {result.moved});
  result.sum = node.reduced(NetworkOperation::kSum, result.powers, along);
  return result;
}

// The dimensions along which a reduction, ArgMax or ArgMin operates.
Axes reduction_axes(const OnnxNode& node, const OnnxValue& x) {
  if (node.op().starts_with("Arg")) return {node.integer("axis", 0)};
  Axes along = node.integers(1, "axes");
  // Without axes, a reduction that has this attribute only applies its function: ReduceL2 gives
  // |x|.
  if (!along.empty() || node.is_set("noop_with_empty_axes")) return along;
  if (!x.is_constant() && batch_axis(x.extents)) {
    node.fail("operates along all dimensions, including the batch; give the axes of the columns");
  }
  along.resize(x.extents.size());
  std::iota(along.begin(), along.end(), 0);
  return along;
}

OnnxValue arg_max(OnnxNode& node, const OnnxValue& x) {
  return index_of_best(node, x, reduction_axes(node, x).front(), node.op() == "ArgMax",
                       node.is_set("select_last_index"));
}

// The dimensions from the attribute axis on.
Axes axes_from(const OnnxNode& node, const OnnxValue& x, std::int64_t otherwise) {
  Axes along(x.extents.size() - node.axis(node.integer("axis", otherwise), x));
  std::iota(along.rbegin(), along.rend(), 1);
  for (std::int64_t& axis : along) axis = -axis;
  return along;
}

OnnxValue softmax(OnnxNode& node, const OnnxValue& x, const Axes& along) {
  const bool is_log = node.op() == "LogSoftmax";
  const bool is_whole_sample =
      std::ranges::all_of(node.reduced_extents(x, along, true),
                          [](std::int64_t extent) { return extent == 1 || extent == kBatch; });
  if (!x.is_constant() && is_whole_sample) {
    return node.activation(is_log ? Activation::kLogSoftmax : Activation::kSoftmax, x);
  }
  const Powers of = powers_of(node, x, node.reduced(NetworkOperation::kLargest, x, along), along);
  if (!is_log) return node.elements(NetworkOperation::kDivide, {of.powers, of.sum});
  return node.elements(NetworkOperation::kSubtract,
                       {of.moved, node.elements(NetworkOperation::kLog, {of.sum})});
}

// Before operator set 13: over all dimensions from the axis on.
OnnxValue softmax_from_axis(OnnxNode& node, const OnnxValue& x) {
  return softmax(node, x, axes_from(node, x, 1));
}

OnnxValue softmax_along_axis(OnnxNode& node, const OnnxValue& x) {
  return softmax(node, x, {node.integer("axis", -1)});
}

// (x - mean) / sqrt(variance + epsilon) scale + bias, the form for inference. Each constant has one
// element per index of dimension 1.
OnnxValue batch_normalization(OnnxNode& node, const OnnxValue& x) {
  if (node.is_set("training_mode")) {
    node.fail("is in training mode; export the network for inference");
  }
  const auto epsilon = static_cast<double>(node.real("epsilon", 1e-5f));
  const auto along_channels = [&](int index, const char* what) {
    ConstantTensor given = node.constant(index, what);
    given.extents.assign(std::max<std::size_t>(x.extents.size(), 2) - 1, 1);
    given.extents.front() = std::ssize(given.values);
    return given;
  };
  ConstantTensor scale = along_channels(1, "scale");
  const ConstantTensor bias = along_channels(2, "bias");
  const ConstantTensor mean = along_channels(3, "mean");
  const ConstantTensor variance = along_channels(4, "variance");
  if (scale.values.size() != variance.values.size()) {
    node.fail("has a scale and a variance of different sizes; each needs one element per channel");
  }
  for (std::size_t i = 0; i < scale.values.size(); ++i) {
    scale.values[i] /= std::sqrt(variance.values[i] + epsilon);
  }
  OnnxValue y = node.elements(NetworkOperation::kSubtract, {x, node.make_constant(mean)});
  y = node.elements(NetworkOperation::kMultiply, {y, node.make_constant(scale)});
  return node.elements(NetworkOperation::kAdd, {y, node.make_constant(bias)});
}

// x / sqrt(mean of x^2 + epsilon) scale + bias. Scale and bias are optional.
OnnxValue rms_normalization(OnnxNode& node, const OnnxValue& x) {
  const auto epsilon = static_cast<double>(node.real("epsilon", 1e-5f));
  OnnxValue mean = node.reduced(NetworkOperation::kMean, squared(node, x), axes_from(node, x, -1));
  mean = node.elements(NetworkOperation::kAdd, {mean, node.number(epsilon)});
  const OnnxValue root = node.elements(NetworkOperation::kSqrt, {mean});
  OnnxValue y = node.elements(NetworkOperation::kDivide, {x, root});
  if (const OnnxValue* scale = node.input(1)) {
    y = node.elements(NetworkOperation::kMultiply, {y, *scale});
  }
  if (const OnnxValue* bias = node.input(2)) y = node.elements(NetworkOperation::kAdd, {y, *bias});
  return y;
}

OnnxValue layer_normalization(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue mean = node.reduced(NetworkOperation::kMean, x, axes_from(node, x, -1));
  return rms_normalization(node, node.elements(NetworkOperation::kSubtract, {x, mean}));
}

// The norm MAX is the largest element, not the largest magnitude, as in the specification and in
// onnxruntime.
OnnxValue normalizer(OnnxNode& node, const OnnxValue& given) {
  const std::string name = node.text("norm", "MAX");
  const OnnxValue x = as_floats(given);
  if (name == "MAX") {
    return divided_by_norm(node, x, node.reduced(NetworkOperation::kLargest, x, {-1}));
  }
  if (name != "L1" && name != "L2") {
    node.fail(fmt::format("has the norm {}; MAX, L1 and L2 are supported", in_quotes(name)));
  }
  return divided_by_norm(node, x, norm(node, x, name == "L1" ? 1 : 2, {-1}));
}

// (x - offset) scale
OnnxValue scaler(OnnxNode& node, const OnnxValue& given) {
  const OnnxValue x =
      node.elements(NetworkOperation::kSubtract, {as_floats(given), node.row("offset", 0.0)});
  return node.elements(NetworkOperation::kMultiply, {x, node.row("scale", 1.0)});
}

constexpr std::string_view kIndexResult =
    "operations on elements and rows; the result is a column of numbers";
constexpr std::string_view kSoftmaxResult =
    "softmax, log softmax; along a part of the columns: operations on rows";

constexpr OnnxOperator kRowTable[] = {
    {"Softmax", 1, 1, same_shape, softmax_from_axis, kSoftmaxResult},
    {"Softmax", 13, 1, same_shape, softmax_along_axis, kSoftmaxResult},
    {"LogSoftmax", 1, 1, same_shape, softmax_from_axis, kSoftmaxResult},
    {"LogSoftmax", 13, 1, same_shape, softmax_along_axis, kSoftmaxResult},
    {"ReduceL1", 1, 1, reduced_shape, reduction, kReductionResult},
    {"ReduceL1", 18, 2, reduced_shape, reduction, kReductionResult},
    {"ReduceL2", 1, 1, reduced_shape, reduction, kReductionResult},
    {"ReduceL2", 18, 2, reduced_shape, reduction, kReductionResult},
    {"ReduceLogSum", 1, 1, reduced_shape, reduction, kReductionResult},
    {"ReduceLogSum", 18, 2, reduced_shape, reduction, kReductionResult},
    {"ReduceLogSumExp", 1, 1, reduced_shape, reduction, kReductionResult},
    {"ReduceLogSumExp", 18, 2, reduced_shape, reduction, kReductionResult},
    {"ReduceSumSquare", 1, 1, reduced_shape, reduction, kReductionResult},
    {"ReduceSumSquare", 18, 2, reduced_shape, reduction, kReductionResult},
    {"BatchNormalization", 1, 5, kBroadcast, batch_normalization, kElementsAndRowsResult},
    {"LayerNormalization", 17, 3, kBroadcast, layer_normalization, kElementsAndRowsResult},
    {"RMSNormalization", 23, 2, kBroadcast, rms_normalization, kElementsAndRowsResult},
    {"SimplifiedLayerNormalization", 1, 2, kBroadcast, rms_normalization, kElementsAndRowsResult},
    {"ai.onnx.ml.Normalizer", 1, 1, same_shape, normalizer, kElementsAndRowsResult},
    {"ai.onnx.ml.Scaler", 1, 1, kBroadcast, scaler, kElementsAndRowsResult},
    {"ArgMax", 1, 1, reduced_shape, arg_max, kIndexResult},
    {"ArgMin", 1, 1, reduced_shape, arg_max, kIndexResult},
};

}  // namespace

OnnxShape reduced_shape(const OnnxNode& node, const OnnxValue& x) {
  return {node.reduced_extents(x, reduction_axes(node, x), node.integer("keepdims", 1) != 0)};
}

OnnxValue reduction(OnnxNode& node, const OnnxValue& x) {
  const std::string_view op = node.op();
  const OperationDescription* const plain = find_operation(op);
  const Axes along = reduction_axes(node, x);
  if (along.empty() && plain != nullptr) return x;
  OnnxValue y;
  if (op == "ReduceL1" || op == "ReduceL2") {
    y = norm(node, x, op == "ReduceL1" ? 1 : 2, along);
  } else if (op == "ReduceLogSumExp") {
    const OnnxValue largest = node.reduced(NetworkOperation::kLargest, x, along);
    y = node.elements(NetworkOperation::kLog, {powers_of(node, x, largest, along).sum});
    y = node.elements(NetworkOperation::kAdd, {y, largest});
  } else {
    y = node.reduced(plain == nullptr ? NetworkOperation::kSum : plain->operation,
                     op == "ReduceSumSquare" ? squared(node, x) : x, along);
    if (op == "ReduceLogSum") y = node.elements(NetworkOperation::kLog, {y});
  }
  return y;
}

OnnxValue index_of_best(OnnxNode& node, const OnnxValue& x, std::int64_t along, bool is_max,
                        bool is_last) {
  const std::size_t axis = node.axis(along, x);
  const OnnxValue best =
      node.reduced(is_max ? NetworkOperation::kLargest : NetworkOperation::kSmallest, x, {along});
  const OnnxValue is_best = node.elements(NetworkOperation::kEqual, {x, best});
  const std::int64_t count = x.extents[axis];
  if (count < 1 || count > kMaxColumns) {
    node.fail(fmt::format("searches {}; between 1 and 2^20 elements are supported", count));
  }
  ConstantTensor numbers{onnx::kInt64, TensorExtents(x.extents.size() - axis, 1), {}};
  numbers.extents.front() = count;
  numbers.values.resize(static_cast<std::size_t>(count));
  std::iota(numbers.values.begin(), numbers.values.end(), 0.0);
  const OnnxValue other = node.number(is_last ? 0.0 : static_cast<double>(count - 1));
  const OnnxValue indices = node.elements(NetworkOperation::kWhere,
                                          {is_best, node.make_constant(std::move(numbers)), other});
  return node.reduced(is_last ? NetworkOperation::kLargest : NetworkOperation::kSmallest, indices,
                      {along});
}

constinit const OnnxOperators kRowOperators = kRowTable;

}  // namespace tilewright

#include "onnx/onnx_weights.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "matrix/matrix_text.hpp"
#include "onnx/constant_numbers.hpp"

namespace tilewright {
namespace {

// The maximal number of rows of a sample: each has its own copy of the weights.
constexpr std::int64_t kMaxRows = 16;

// Returns alpha op(W), where W is on the left or right.
FloatMatrix read_weights(OnnxNode& node, const OnnxValue& given, bool is_left,
                         const Factors& factors) {
  const bool transposes = is_left ? factors.transpose_a : factors.transpose_b;
  TensorExtents own = given.extents;
  if (own.size() == 1 && !transposes) own.insert(is_left ? own.begin() : own.end(), 1);
  while (own.size() > 2 && own.front() == 1) own.erase(own.begin());
  if (own.size() != 2 || own[0] < 1 || own[1] < 1) {
    node.fail(fmt::format("its weights, {}, are {}, which is not a matrix; {}", value_text(given),
                          extents_text(given.extents),
                          own.size() > 2 ? "for a stack of matrices, use a MatMul for each of them"
                                         : "they need two dimensions of at least 1"));
  }
  FloatMatrix weights{own[0], own[1], {}};
  if (given.tensor == nullptr) {
    weights.values.assign(given.elements->begin(), given.elements->end());
    node.evaluation.budget.take(weights.values.size(), node.place);
  } else {
    weights.values = node.evaluation.tensors.floats(*given.tensor, node.place);
    if (given.is_transposed) {
      std::swap(weights.rows, weights.columns);
      weights = transposed(weights);
    }
  }
  if (transposes) weights = transposed(weights);
  if (factors.alpha != 1.0f) {
    for (float& weight : weights.values) weight *= factors.alpha;
  }
  return weights;
}

NetworkValue push_affine(OnnxNode& node, FloatMatrix weights, NetworkValue input) {
  AffineLayer layer;
  layer.inputs = weights.rows;
  layer.outputs = weights.columns;
  layer.weights = std::move(weights.values);
  layer.input = input;
  return node.push(std::move(layer));
}

// Products of parts of the columns of X: part i is multiplied by matrix i, or all by the only one.
NetworkValue push_parts(OnnxNode& node, const OnnxValue& x,
                        const std::vector<FloatMatrix>& matrices, std::int64_t parts) {
  OperationLayer joined{"", NetworkOperation::kConcat, {}, {}};
  const OnnxValue rows{x.type, {kBatch, parts * matrices.front().rows}, x.computed};
  for (std::int64_t part = 0; part < parts; ++part) {
    const FloatMatrix& weights =
        matrices[matrices.size() == 1 ? 0 : static_cast<std::size_t>(part)];
    ConstantTensor indices{onnx::kInt64, {1, weights.rows}, {}};
    indices.values.resize(static_cast<std::size_t>(weights.rows));
    std::iota(indices.values.begin(), indices.values.end(),
              static_cast<double>(part * weights.rows));
    const OnnxValue own = node.moved(rows, std::move(indices), 0);
    joined.operands.push_back({push_affine(node, weights, *own.computed), {}});
  }
  return node.push(std::move(joined));
}

// X W, with the extents of the result. A sample may have several rows, which are multiplied by the
// same weights: then each row gets a layer of its own, and their results are joined.
OnnxValue affine(OnnxNode& node, FloatMatrix weights, const OnnxValue& x, TensorExtents extents) {
  const std::int64_t rows = columns(extents).value_or(weights.columns) / weights.columns;
  const std::int64_t width = columns(x.extents).value_or(weights.rows * rows);
  if (width != weights.rows * rows) {
    node.fail(fmt::format(
        "needs rows of {} elements, but its input has rows of {}; correct the extents of the "
        "network's input, or the weights",
        weights.rows, width / rows));
  }
  OnnxValue result{x.type, std::move(extents)};
  if (rows == 1) {
    result.computed = push_affine(node, std::move(weights), *x.computed);
  } else {
    node.evaluation.budget.take(weights.values.size() * static_cast<std::uint64_t>(rows - 1),
                                node.place);
    result.computed = push_parts(node, x, {std::move(weights)}, rows);
  }
  return result;
}

// X^T, where X is a matrix of known extents without a batch.
OnnxValue transposed_sample(OnnxNode& node, const OnnxValue& x) {
  if (x.extents.size() != 2 || x.extents.front() == kBatch) {
    node.fail(
        "has transA, which would turn samples into columns; export it without, with a sample in "
        "each row");
  }
  const std::int64_t rows = x.extents.front(), width = x.extents.back();
  if (rows == 1 || width == 1 || width == kBatch) return node.reshaped(x, {width, rows});
  return node.moved(x, transposed(node.movable(x), {1, 0}, node.evaluation.budget, node.place),
                    std::nullopt);
}

// X W, where k is the last dimension of X; with transpose_a, the first of two dimensions.
OnnxValue times_weights(OnnxNode& node, const OnnxValue& x, const OnnxValue& w,
                        const Factors& factors) {
  const OnnxValue sample = factors.transpose_a ? transposed_sample(node, x) : x;
  TensorExtents rows = sample.extents;
  if (rows.empty()) node.fail("reads a value without dimensions; it needs one for the columns");
  if (rows.back() == kBatch) {
    node.fail(
        "reads a value whose last dimension is the batch; the batch must be "
        "the first of two dimensions");
  }
  const auto count = columns({rows.begin(), rows.end() - 1});
  if (!count || *count > kMaxRows) {
    node.fail(fmt::format(
        "multiplies {} rows of each sample by the same weights; at most {} are supported: export "
        "the network with rows as samples",
        count ? fmt::format("{}", *count) : "an unknown number of", kMaxRows));
  }
  FloatMatrix weights = read_weights(node, w, false, factors);
  const auto num_leading = [](const TensorExtents& of) {
    return std::max<std::size_t>(of.size(), 2) - 2;
  };
  // Leading dimensions of one element, as NumPy broadcasts them.
  const std::size_t leading = std::max(num_leading(w.extents), num_leading(rows));
  const std::size_t added = leading - num_leading(rows);
  rows.back() = weights.columns;
  if (w.extents.size() == 1) rows.pop_back();
  rows.insert(rows.begin(), added, 1);
  return affine(node, std::move(weights), sample, std::move(rows));
}

// W X, where k is the first dimension of X; with transpose_b, the last one. It is computed as
// X^T W^T with one sample per row; the result in the graph has the extents outputs x samples.
OnnxValue weights_times(OnnxNode& node, const OnnxValue& w, const OnnxValue& x,
                        const Factors& factors) {
  TensorExtents sides = x.extents;
  if (factors.transpose_b && sides.size() == 2) std::swap(sides.front(), sides.back());
  const bool is_column = !sides.empty() && sides.size() <= 2 && sides.front() != kBatch &&
                         w.extents.size() <= 2 &&
                         (sides.size() == 1 || sides.back() == 1 || sides.back() == kBatch);
  if (!is_column) {
    node.fail(
        "has a computed value as input 2; it must be input 1: constant weights are multiplied by "
        "samples that are not columns; transpose the weights and exchange the operands");
  }
  FloatMatrix weights = transposed(read_weights(node, w, true, factors));
  sides.front() = weights.columns;
  if (w.extents.size() == 1) sides.erase(sides.begin());
  return affine(node, std::move(weights), x, std::move(sides));
}

OnnxValue constant_product(OnnxNode& node, const OnnxValue& left, const OnnxValue& right,
                           const Factors& factors) {
  const auto matrix = [&](const OnnxValue& value, bool transposes) {
    ConstantTensor read = node.elements_of(value);
    node.check_known(read);
    if (!transposes || read.extents.size() != 2) return read;
    return transposed(read, {1, 0}, node.evaluation.budget, node.place);
  };
  const ConstantTensor a = matrix(left, factors.transpose_a);
  const ConstantTensor b = matrix(right, factors.transpose_b);
  if (a.extents.size() != 2 || b.extents.size() != 2 || a.extents[1] != b.extents[0]) {
    node.fail(fmt::format(
        "multiplies constants of {} and {}, which are not matrices with the same inner dimension",
        extents_text(a.extents), extents_text(b.extents)));
  }
  const auto m = static_cast<std::size_t>(a.extents[0]);
  const auto k = static_cast<std::size_t>(a.extents[1]);
  const auto n = static_cast<std::size_t>(b.extents[1]);
  ConstantTensor result{a.type, {a.extents[0], b.extents[1]}, {}};
  node.evaluation.budget.take(num_elements(result.extents, node.place), node.place);
  result.values.resize(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t j = 0; j < n; ++j) {
        result.values[i * n + j] += a.values[i * k + l] * b.values[l * n + j];
      }
    }
  }
  for (double& value : result.values) {
    value = checked_number(value * static_cast<double>(factors.alpha), a.type, node.place);
  }
  return node.make_constant(std::move(result));
}

}  // namespace

OnnxValue times_stack(OnnxNode& node, const OnnxValue& x, const OnnxValue& stack,
                      const Factors& factors) {
  num_elements(stack.extents, node.place);  // limits the products of extents below
  const std::int64_t count = stack.extents[0], inputs = stack.extents[1],
                     outputs = stack.extents[2];
  // The samples, or the only row of one.
  const std::int64_t rows = batch_axis(x.extents) ? kBatch : 1;
  const bool is_shared =
      x.extents == TensorExtents{rows, inputs} || x.extents == TensorExtents{1, rows, inputs};
  if (inputs < 1 || outputs < 1 || factors.transpose_b ||
      (!is_shared && x.extents != TensorExtents{count, rows, inputs})) {
    node.fail(fmt::format(
        "multiplies a value of {} by a stack of matrices of {}; the value must be batch x {}, or {} x "
        "batch x {}",
        shape_text(x.extents), extents_text(stack.extents), inputs, count, inputs));
  }
  const FloatMatrix all =
      read_weights(node, node.reshaped(stack, {count * inputs, outputs}), false, factors);
  std::vector<FloatMatrix> matrices;
  const auto size = static_cast<std::ptrdiff_t>(inputs * outputs);
  for (auto at = all.values.begin(); at != all.values.end(); at += size) {
    matrices.push_back({inputs, outputs, {at, at + size}});
  }
  OnnxValue result{x.type, {count, rows, outputs}};
  if (!is_shared) {
    result.computed = push_parts(node, x, matrices, count);
    return result;
  }
  FloatMatrix joined{inputs, count * outputs, {}};  // one product for all
  joined.values.reserve(all.values.size());
  for (std::int64_t row = 0; row < inputs; ++row) {
    for (const FloatMatrix& each : matrices) {
      const auto begin = each.values.begin() + row * outputs;
      joined.values.insert(joined.values.end(), begin, begin + outputs);
    }
  }
  result.computed = push_affine(node, std::move(joined), *x.computed);
  return result;
}

OnnxValue product(OnnxNode& node, const OnnxValue& a, const OnnxValue& b, const Factors& factors) {
  for (const OnnxValue* operand : {&a, &b}) {
    node.check_not_flat(*operand);
    node.check_floats(*operand);
  }
  if (a.is_constant() && b.is_constant()) return constant_product(node, a, b, factors);
  if (!a.is_constant() && !b.is_constant()) {
    node.fail(
        "multiplies two computed values, as attention does; only products with constant weights "
        "are supported");
  }
  return b.is_constant() ? times_weights(node, a, b, factors) : weights_times(node, a, b, factors);
}

}  // namespace tilewright

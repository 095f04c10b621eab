// Operators that rearrange elements.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "onnx/onnx_operators.hpp"
#include "onnx/onnx_weights.hpp"

namespace tilewright {
namespace {

using Indices = std::vector<std::int64_t>;

[[noreturn]] void refuse_samples(const OnnxNode& node, const OnnxValue& x) {
  node.check_not_flat(x);
  node.fail(
      "moves or selects samples; only columns can be rearranged: do it outside of the network");
}

ConstantTensor select(OnnxNode& node, const ConstantTensor& from, std::size_t axis,
                      const Indices& indices) {
  return select_indices(from, axis, indices, node.evaluation.budget, node.place);
}

OnnxValue transpose(OnnxNode& node, const OnnxValue& x) {
  TensorExtents order(x.extents.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (const onnx::Attribute* const given = node.attribute("perm")) order = given->ints;
  // A matrix is read when its elements are needed.
  if (x.tensor != nullptr && x.extents.size() == 2 && order == TensorExtents{1, 0}) {
    OnnxValue result = x;
    std::swap(result.extents[0], result.extents[1]);
    result.is_transposed = !x.is_transposed;
    return result;
  }
  const auto batch = batch_axis(x.extents);
  auto result = transposed(node.movable(x), order, node.evaluation.budget, node.place);
  const auto at = std::ranges::find(order, batch ? static_cast<std::int64_t>(*batch) : -1);
  return node.moved(x, std::move(result),
                    batch ? std::optional(static_cast<std::size_t>(at - order.begin())) : batch);
}

// Selects `count` elements of a dimension: element `begin` and every `step`-th one after it.
ConstantTensor select_range(OnnxNode& node, const ConstantTensor& from, std::size_t axis,
                            std::int64_t begin, std::int64_t count, std::int64_t step = 1) {
  if (from.values.empty()) {  // an extent is 0; this one may be too large for a list of indices
    ConstantTensor result = from;
    result.extents[axis] = count;
    return result;
  }
  Indices indices;
  for (std::int64_t i = 0; i < count; ++i) indices.push_back(begin + i * step);
  return select(node, from, axis, indices);
}

// Selects elements of a dimension as Slice does.
ConstantTensor sliced(OnnxNode& node, const ConstantTensor& from, std::size_t axis,
                      std::int64_t begin, std::int64_t end, std::int64_t step) {
  if (step == 0) node.fail("has a step of 0");
  const std::int64_t extent = from.extents[axis];
  const std::int64_t least = step < 0 ? -1 : 0;
  const std::int64_t most = step < 0 ? extent - 1 : extent;
  const auto bounded = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + extent : index, least, most);
  };
  const std::int64_t first = bounded(begin);
  const std::int64_t distance = step < 0 ? first - bounded(end) : bounded(end) - first;
  // A step beyond the extent selects one element, like the extent.
  const std::int64_t bounded_step = std::clamp(step, -extent - 1, extent + 1);
  const std::int64_t count = distance > 0 ? (distance - 1) / std::abs(bounded_step) + 1 : 0;
  return select_range(node, from, axis, first, count, bounded_step);
}

OnnxValue slice(OnnxNode& node, const OnnxValue& x) {
  const Indices begins = node.integers(1, "starts");
  const Indices ends = node.integers(2, "ends");
  Indices axes = node.integers(3, "axes");
  const Indices steps = node.integers(4, "steps");
  if (axes.empty()) {
    axes.resize(begins.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (ends.size() != begins.size() || axes.size() != begins.size() ||
      (!steps.empty() && steps.size() != begins.size())) {
    node.fail("has different numbers of starts, ends, axes and steps");
  }
  const auto batch = batch_axis(x.extents);
  ConstantTensor result = node.movable(x);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t axis = node.axis(axes[i], x);
    const std::int64_t step = steps.empty() ? 1 : steps[i];
    if (axis == batch) {
      constexpr std::int64_t kAll = std::int64_t{1} << 30;
      if (begins[i] != 0 || ends[i] < kAll || step != 1) refuse_samples(node, x);
      continue;
    }
    result = sliced(node, result, axis, begins[i], ends[i], step);
  }
  return node.moved(x, std::move(result), batch);
}

// A row of a constant table for each index, which the network computes: the product of a row that
// is 1 at the index, and 0 otherwise, with the table.
OnnxValue look_up(OnnxNode& node, const OnnxValue& table, OnnxValue index) {
  if (table.extents.empty() || node.axis(node.integer("axis", 0), table) != 0) {
    node.fail("looks up elements of a constant along another axis than 0; transpose the constant");
  }
  const std::int64_t rows = table.extents[0];
  const std::int64_t width = columns({table.extents.begin() + 1, table.extents.end()}).value_or(0);
  if (rows < 1 || rows > kMaxColumns || width < 1) {
    node.fail(fmt::format("looks up elements of a table of {}; it may have up to 2^20 rows",
                          extents_text(table.extents)));
  }
  if (!std::ranges::all_of(node.elements_of(table).values,
                           [](double value) { return std::isfinite(static_cast<float>(value)); })) {
    node.fail(
        fmt::format("looks up elements of {}, which has elements that are not finite; replace "
                    "them by finite ones",
                    value_text(table)));
  }
  TensorExtents extents = index.extents;
  extents.insert(extents.end(), table.extents.begin() + 1, table.extents.end());
  ConstantTensor numbers{onnx::kInt64, {rows}, {}};
  numbers.values.resize(static_cast<std::size_t>(rows));
  std::iota(numbers.values.begin(), numbers.values.end(), 0.0);
  index.extents.push_back(1);
  const OnnxValue is_negative = node.elements(NetworkOperation::kLess, {index, node.number(0.0)});
  const OnnxValue from_end =
      node.elements(NetworkOperation::kAdd, {index, node.number(static_cast<double>(rows))});
  index = node.elements(NetworkOperation::kWhere, {is_negative, from_end, index});
  OnnxValue is_row =
      node.elements(NetworkOperation::kEqual, {index, node.make_constant(std::move(numbers))});
  is_row.type = onnx::kFloat;
  OnnxValue result = product(node, is_row, node.reshaped(table, {rows, width}));
  return node.reshaped(std::move(result), std::move(extents));
}

OnnxValue gather(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue& indices_value = node.expect(1, "indices");
  if (x.is_constant() && !indices_value.is_constant()) return look_up(node, x, indices_value);
  const std::size_t axis = node.axis(node.integer("axis", 0), x);
  Indices indices = node.integers(1, "indices");
  auto batch = batch_axis(x.extents);
  if (batch == axis) refuse_samples(node, x);
  if (batch && *batch > axis) *batch += indices_value.extents.size() - 1;
  const ConstantTensor from = node.movable(x);
  const std::int64_t extent = from.extents[axis];
  for (std::int64_t& index : indices) {
    if (index < -extent || index >= extent) {
      node.fail(fmt::format("selects element {} of {}", index, extent));
    }
    if (index < 0) index += extent;
  }
  ConstantTensor result = select(node, from, axis, indices);
  const auto at = result.extents.erase(result.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  result.extents.insert(at, indices_value.extents.begin(), indices_value.extents.end());
  return node.moved(x, std::move(result), batch);
}

OnnxValue split(OnnxNode& node, const OnnxValue& x) {
  const std::size_t axis = node.axis(node.integer("axis", 0), x);
  const auto batch = batch_axis(x.extents);
  if (batch == axis) refuse_samples(node, x);
  const ConstantTensor from = node.movable(x);
  const std::int64_t extent = from.extents[axis];
  const std::size_t outputs = std::max<std::size_t>(node.proto.output.size(), 1);
  Indices sizes = node.integers(1, "split");
  if (sizes.empty()) {
    const auto parts = static_cast<std::int64_t>(outputs);
    const std::int64_t size = (extent + parts - 1) / parts;
    for (std::int64_t part = 0; part < parts; ++part) {
      sizes.push_back(std::clamp<std::int64_t>(extent - part * size, 0, size));
    }
  }
  std::int64_t left = extent;
  for (const std::int64_t size : sizes) left = size < 0 || size > left ? -1 : left - size;
  if (left != 0 || sizes.size() < outputs) {
    node.fail(fmt::format("splits {} elements into {}, which have another sum", extent,
                          fmt::join(sizes, " + ")));
  }
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    node.define(i, node.moved(x, select_range(node, from, axis, begin, sizes[i]), batch));
    begin += sizes[i];
  }
  return *node.results().front();
}

OnnxValue expand(OnnxNode& node, const OnnxValue& x) {
  // A constant is the same in all rows, so the number of samples counts as 1.
  Indices given;
  for (const double extent : node.constant(1, "shape").values) {
    given.push_back(is_batch_extent(extent) ? 1 : to_integer(extent, node.place));
  }
  auto batch = batch_axis(x.extents);
  if (batch) {
    const std::size_t rank = std::max(given.size(), x.extents.size());
    const std::size_t missing = rank - given.size();  // leading extents that are not named
    *batch += rank - x.extents.size();
    if (*batch >= missing && given[*batch - missing] != 1) refuse_samples(node, x);
  }
  const ConstantTensor from = node.movable(x);
  const auto extents = broadcast(from.extents, given);
  if (!extents) {
    node.fail(fmt::format("expands {} to {}", extents_text(from.extents), extents_text(given)));
  }
  return node.moved(x, broadcast_to(from, *extents, node.evaluation.budget, node.place), batch);
}

OnnxValue concat(OnnxNode& node, const OnnxValue& first) {
  std::vector<ConstantTensor> parts;
  OperationLayer layer{"", NetworkOperation::kConcat, {}, {}};
  std::optional<std::size_t> batch;
  bool is_constant = true;
  for (int i = 0; i < node.num_inputs(); ++i) {
    is_constant = node.expect(i, "value").is_constant() && is_constant;
  }
  double next = 0.0;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const OnnxValue& part = node.expect(i);
    if (is_constant) {
      parts.push_back(node.elements_of(part));
      continue;
    }
    ConstantTensor numbers = node.movable(part, next);
    if (part.is_constant()) {
      node.check_known(numbers);
      if (numbers.values.empty()) node.fail("concatenates a constant without elements; remove it");
      layer.operands.push_back({kPreviousValue, numbers.values});
      std::iota(numbers.values.begin(), numbers.values.end(), next);
    } else {
      const auto at = batch_axis(part.extents);
      if (at && batch && *at != *batch)
        node.fail("concatenates values with different batch dimensions; transpose them before");
      if (at) batch = at;
      layer.operands.push_back({*part.computed, {}});
    }
    next += static_cast<double>(numbers.values.size());
    parts.push_back(std::move(numbers));
  }
  const std::size_t axis = node.axis(node.integer("axis", 1), first);
  if (parts.size() == 1) return first;
  if (batch == axis) {
    node.fail(fmt::format(
        "concatenates samples: its axis {} is the batch; run the samples as one batch instead",
        axis));
  }
  ConstantTensor result = concatenated(parts, axis, node.evaluation.budget, node.place);
  if (is_constant) return node.make_constant(std::move(result));
  OnnxValue all{first.type, {kBatch, static_cast<std::int64_t>(next)}, node.push(std::move(layer))};
  return node.moved(all, std::move(result), batch);
}

constexpr std::string_view kMoveResult = "moves of columns";
constexpr std::string_view kGatherResult =
    "moves of columns, with constant indices; of the rows of a constant by computed indices (an "
    "embedding): operations on elements that compare each index with the numbers of the rows, and "
    "an affine layer; rows outside of the constant are 0; all elements must be finite";

constexpr OnnxOperator kMoveTable[] = {
    {"Concat", 1, kAnyNumber, kMoved, concat, kMoveResult},
    {"Expand", 8, 2, kMoved, expand, kMoveResult},
    {"Gather", 1, 2, kMoved, gather, kGatherResult},
    {"Slice", 1, 1, kMoved, slice, kMoveResult},
    {"Slice", 10, 5, kMoved, slice, kMoveResult},
    {"Split", 2, 1, kMoved, split, kMoveResult},
    {"Split", 13, 2, kMoved, split, kMoveResult},
    {"Transpose", 1, 1, kMoved, transpose, kMoveResult},
};

}  // namespace

constinit const OnnxOperators kMoveOperators = kMoveTable;

}  // namespace tilewright

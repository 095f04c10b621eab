// Evaluates operations on constants that rearrange elements.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "onnx/constant_tensor.hpp"
#include "onnx/onnx_attributes.hpp"

namespace tilewright {
namespace {

using Extents = std::vector<std::int64_t>;
using Indices = std::vector<std::int64_t>;
using Inputs = std::vector<const ConstantTensor*>;

// A node and everything that is needed to evaluate it.
struct Move {
  const onnx::Node& node;
  const Inputs& inputs;
  ConstantBudget& budget;
  const ModelPlace& place;

  const ConstantTensor& first() const { return *inputs.front(); }
  const ConstantTensor* input(std::size_t index) const {
    return index < inputs.size() ? inputs[index] : nullptr;
  }
  std::vector<std::int64_t> integers(int index, std::string_view name) const {
    return read_integers(node, index, input(static_cast<std::size_t>(index)), name, place);
  }
};

Extents row_major_strides(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  return strides;
}

// Returns the tensor whose element (i, j ...) is element i strides[0] + j strides[1] ... of `from`.
ConstantTensor copy_strided(const Move& move, const ConstantTensor& from, const Extents& extents,
                            const Extents& strides) {
  const std::uint64_t count = num_elements(extents, move.place);
  move.budget.take(count, move.place);
  ConstantTensor result{from.type, extents, {}};
  result.values.reserve(count);
  Extents at(extents.size(), 0);
  for (std::uint64_t element = 0; element < count; ++element) {
    const std::int64_t index =
        std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0});
    result.values.push_back(from.values[static_cast<std::size_t>(index)]);
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < extents[i]) break;
      at[i] = 0;
    }
  }
  return result;
}

// Selects indices of one axis.
ConstantTensor select_indices(const Move& move, const ConstantTensor& from, std::size_t axis,
                              const Indices& indices) {
  Extents extents = from.extents;
  const std::int64_t own = extents[axis];
  extents[axis] = static_cast<std::int64_t>(indices.size());
  const std::uint64_t count = num_elements(extents, move.place);
  move.budget.take(count, move.place);
  const auto inner = static_cast<std::size_t>(row_major_strides(from.extents)[axis]);
  const std::size_t outer =
      from.values.empty() ? 0 : from.values.size() / (inner * static_cast<std::size_t>(own));
  ConstantTensor result{from.type, extents, {}};
  result.values.reserve(count);
  for (std::size_t i = 0; i < outer; ++i) {
    for (const std::int64_t index : indices) {
      const auto begin =
          from.values.begin() +
          static_cast<std::ptrdiff_t>(
              (i * static_cast<std::size_t>(own) + static_cast<std::size_t>(index)) * inner);
      result.values.insert(result.values.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
    }
  }
  return result;
}

ConstantTensor transpose(const Move& move) {
  const ConstantTensor& from = move.first();
  const std::size_t rank = from.extents.size();
  Extents order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (const onnx::Attribute* const given = attribute(move.node, "perm")) {
    order.assign(given->ints.begin(), given->ints.end());
  }
  Extents sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Extents all(rank);
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    move.place.fail(fmt::format("its perm is {}, which is not a permutation of {} dimensions",
                                fmt::join(order, ", "), rank));
  }
  const Extents strides = row_major_strides(from.extents);
  Extents extents;
  Extents ordered;
  for (const std::int64_t axis : order) {
    extents.push_back(from.extents[static_cast<std::size_t>(axis)]);
    ordered.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return copy_strided(move, from, extents, ordered);
}

// Returns the indices that a slice selects from an axis with `extent` elements.
Indices slice_indices(std::int64_t begin, std::int64_t end, std::int64_t step, std::int64_t extent,
                      const ModelPlace& place) {
  if (step == 0) place.fail("has a step of 0");
  const std::int64_t least = step < 0 ? -1 : 0;
  const std::int64_t most = step < 0 ? extent - 1 : extent;
  const auto bounded = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + extent : index, least, most);
  };
  Indices indices;
  // A step beyond the extent selects one element, like the extent.
  const std::int64_t bounded_step = std::clamp(step, -extent - 1, extent + 1);
  for (std::int64_t i = bounded(begin); step < 0 ? i > bounded(end) : i < bounded(end);
       i += bounded_step) {
    indices.push_back(i);
  }
  return indices;
}

ConstantTensor sliced(const Move& move) {
  const std::vector<std::int64_t> begins = move.integers(1, "starts");
  const std::vector<std::int64_t> ends = move.integers(2, "ends");
  std::vector<std::int64_t> axes = move.integers(3, "axes");
  const std::vector<std::int64_t> steps = move.integers(4, "steps");
  if (axes.empty()) {
    axes.resize(begins.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (ends.size() != begins.size() || axes.size() != begins.size() ||
      (!steps.empty() && steps.size() != begins.size())) {
    move.place.fail("has different numbers of starts, ends, axes and steps");
  }
  ConstantTensor result = move.first();
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto axis =
        static_cast<std::size_t>(checked_axis(axes[i], result.extents.size(), move.place));
    const std::int64_t step = steps.empty() ? 1 : steps[i];
    result =
        select_indices(move, result, axis,
                       slice_indices(begins[i], ends[i], step, result.extents[axis], move.place));
  }
  return result;
}

ConstantTensor gathered(const Move& move) {
  const ConstantTensor& from = move.first();
  if (move.input(1) == nullptr)
    move.place.fail("has 'indices' (its input 2) that is not a constant");
  const auto axis = static_cast<std::size_t>(checked_axis(
      integer_attribute(move.node, "axis", 0, move.place), from.extents.size(), move.place));
  Indices indices = move.integers(1, "indices");
  const std::int64_t extent = from.extents[axis];
  for (std::int64_t& index : indices) {
    if (index < -extent || index >= extent) {
      move.place.fail(fmt::format("selects element {} of {}", index, extent));
    }
    if (index < 0) index += extent;
  }
  ConstantTensor result = select_indices(move, from, axis, indices);
  const Extents& inner = move.input(1)->extents;
  const auto at = result.extents.erase(result.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  result.extents.insert(at, inner.begin(), inner.end());
  return result;
}

std::vector<ConstantTensor> split(const Move& move) {
  const ConstantTensor& from = move.first();
  const auto axis = static_cast<std::size_t>(checked_axis(
      integer_attribute(move.node, "axis", 0, move.place), from.extents.size(), move.place));
  const std::int64_t extent = from.extents[axis];
  std::vector<std::int64_t> sizes = move.integers(1, "split");
  if (sizes.empty()) {
    const std::int64_t parts = std::max<std::int64_t>(std::ssize(move.node.output), 1);
    const std::int64_t size = (extent + parts - 1) / parts;
    for (std::int64_t part = 0; part < parts; ++part) {
      sizes.push_back(std::clamp<std::int64_t>(extent - part * size, 0, size));
    }
  }
  std::int64_t left = extent;
  for (const std::int64_t size : sizes) left = size < 0 || size > left ? -1 : left - size;
  if (left != 0 || sizes.size() < move.node.output.size()) {
    move.place.fail(fmt::format("splits {} elements into {}, which have another sum", extent,
                                fmt::join(sizes, " + ")));
  }
  std::vector<ConstantTensor> results;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    Indices indices(static_cast<std::size_t>(size));
    std::iota(indices.begin(), indices.end(), begin);
    results.push_back(select_indices(move, from, axis, indices));
    begin += size;
  }
  return results;
}

ConstantTensor tiled(const Move& move) {
  const std::vector<std::int64_t> repeats = move.integers(1, "repeats");
  ConstantTensor result = move.first();
  if (repeats.size() != result.extents.size()) {
    move.place.fail("does not have one repeat per dimension");
  }
  for (std::size_t axis = 0; axis < repeats.size(); ++axis) {
    Indices indices;
    const std::int64_t extent = result.extents[axis];
    if (repeats[axis] == 1) continue;
    if (repeats[axis] < 0) move.place.fail(fmt::format("repeats {} times", repeats[axis]));
    move.budget.take(num_elements({extent, repeats[axis]}, move.place), move.place);
    for (std::int64_t i = 0; i < extent * repeats[axis]; ++i) indices.push_back(i % extent);
    result = select_indices(move, result, axis, indices);
  }
  return result;
}

ConstantTensor broadcast_to(const Move& move) {
  const Extents given = move.integers(1, "shape");
  const auto extents = broadcast(move.first().extents, given);
  if (!extents) {
    move.place.fail(fmt::format("expands {} to {}", fmt::join(move.first().extents, " x "),
                                fmt::join(given, " x ")));
  }
  return broadcast_to(move.first(), *extents, move.budget, move.place);
}

ConstantTensor concatenated(const Move& move) {
  const ConstantTensor& first = move.first();
  const auto axis = static_cast<std::size_t>(checked_axis(
      integer_attribute(move.node, "axis", 1, move.place), first.extents.size(), move.place));
  ConstantTensor result{first.type, first.extents, {}};
  result.extents[axis] = 0;
  for (const ConstantTensor* input : move.inputs) {
    if (input == nullptr) move.place.fail("has an empty input");
    Extents extents = input->extents;
    if (extents.size() == first.extents.size()) extents[axis] = first.extents[axis];
    if (extents != first.extents) {
      move.place.fail(fmt::format("concatenates {} and {}", fmt::join(first.extents, " x "),
                                  fmt::join(input->extents, " x ")));
    }
    result.extents[axis] += input->extents[axis];
  }
  const std::uint64_t count = num_elements(result.extents, move.place);
  move.budget.take(count, move.place);
  result.values.reserve(count);
  std::size_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(first.extents[i]);
  for (std::size_t i = 0; i < outer; ++i) {
    for (const ConstantTensor* input : move.inputs) {
      const auto size = static_cast<std::ptrdiff_t>(input->values.size() / outer);
      const auto begin = input->values.begin() + static_cast<std::ptrdiff_t>(i) * size;
      result.values.insert(result.values.end(), begin, begin + size);
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<ConstantTensor>> rearrange(const onnx::Node& node, const Inputs& inputs,
                                                     ConstantBudget& budget,
                                                     const ModelPlace& place) {
  if (inputs.empty() || inputs.front() == nullptr) return std::nullopt;
  const Move move{node, inputs, budget, place};
  const std::string& op = node.op_type;
  if (op == "Split") return split(move);
  std::vector<ConstantTensor> results;
  if (op == "Transpose") {
    results.push_back(transpose(move));
  } else if (op == "Slice") {
    results.push_back(sliced(move));
  } else if (op == "Gather") {
    results.push_back(gathered(move));
  } else if (op == "Tile") {
    results.push_back(tiled(move));
  } else if (op == "Expand") {
    results.push_back(broadcast_to(move));
  } else if (op == "Concat") {
    results.push_back(concatenated(move));
  } else {
    return std::nullopt;
  }
  return results;
}

}  // namespace tilewright

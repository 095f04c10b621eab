#include "onnx/constant_tensor.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

constexpr std::uint64_t kMaxTensorElements = std::uint64_t{1} << 40;
// Bits that other NaNs do not have. They are kept if a value is rounded to single precision.
constexpr std::uint64_t kPlaceholderBit = std::uint64_t{1} << 48;
constexpr std::uint64_t kUnknownBit = std::uint64_t{1} << 49;

}  // namespace

double batch_extent() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(kPlaceholderBit | std::bit_cast<std::uint64_t>(kNaN));
}

double unknown_extent() {
  return std::bit_cast<double>(kUnknownBit | std::bit_cast<std::uint64_t>(batch_extent()));
}

// Compares bits, so that other NaNs differ, also if a compiler assumes that there are none.
bool is_placeholder(double value) {
  constexpr std::uint64_t kNaNBits = std::uint64_t{0x7ff8} << 48 | kPlaceholderBit;
  return (std::bit_cast<std::uint64_t>(value) & kNaNBits) == kNaNBits;
}

bool is_unknown_extent(double value) {
  return is_placeholder(value) && (std::bit_cast<std::uint64_t>(value) & kUnknownBit) != 0;
}

bool is_batch_extent(double value) {
  return is_placeholder(value) && !is_unknown_extent(value);
}

double without_payload(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

void ConstantBudget::check(std::uint64_t elements, const ModelPlace& place) const {
  if (elements > left_) place.fail("computes more constants than the size of the file justifies");
}

void ConstantBudget::take(std::uint64_t elements, const ModelPlace& place) {
  check(elements, place);
  left_ -= elements;
}

std::uint64_t num_elements(const std::vector<std::int64_t>& extents, const ModelPlace& place) {
  std::uint64_t count = 1;  // product of the extents that are not 0: strides do not overflow either
  bool is_empty = false;
  for (const std::int64_t extent : extents) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (extent < 0 || (extent > 0 && count > kMaxTensorElements / factor)) {
      place.fail(fmt::format("computes a constant of {} elements, which is too large or negative",
                             fmt::join(extents, " x ")));
    }
    is_empty = is_empty || extent == 0;
    if (extent > 0) count *= factor;
  }
  return is_empty ? 0 : count;
}

TensorExtents row_major_strides(const TensorExtents& extents) {
  TensorExtents strides(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
  return strides;
}

std::optional<std::vector<std::int64_t>> broadcast(const std::vector<std::int64_t>& a,
                                                   const std::vector<std::int64_t>& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  std::vector<std::int64_t> result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t of_a = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const std::int64_t of_b = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (of_a != of_b && of_a != 1 && of_b != 1) return std::nullopt;
    result[i] = of_a == 1 ? of_b : of_a;
  }
  return result;
}

ConstantTensor broadcast_to(const ConstantTensor& tensor, const std::vector<std::int64_t>& extents,
                            ConstantBudget& budget, const ModelPlace& place) {
  if (tensor.extents == extents) return tensor;
  const std::uint64_t count = num_elements(extents, place);
  budget.take(count, place);
  ConstantTensor result{tensor.type, extents, {}};
  result.values.reserve(count);
  // The index of a repeated dimension does not count.
  TensorExtents strides = row_major_strides(tensor.extents);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    if (tensor.extents[i] == 1) strides[i] = 0;
  }
  strides.insert(strides.begin(), extents.size() - strides.size(), 0);
  for_each_strided(extents, strides, count,
                   [&](std::size_t index) { result.values.push_back(tensor.values[index]); });
  return result;
}

std::int64_t checked_axis(std::int64_t axis, std::size_t rank, const ModelPlace& place) {
  const auto most = static_cast<std::int64_t>(rank);
  if (axis < -most || axis >= most) {
    place.fail(fmt::format("has axis {}, but only {} dimensions", axis, most));
  }
  return axis < 0 ? axis + most : axis;
}

std::int64_t to_integer(double value, const ModelPlace& place) {
  if (is_batch_extent(value)) place.fail("needs a number that depends on the batch size");
  if (is_unknown_extent(value)) {
    place.fail("needs a number that depends on an extent of an input that the file leaves open");
  }
  if (std::isnan(value)) place.fail("needs an integer, but has NaN");
  constexpr double kMax = 9e18;
  return static_cast<std::int64_t>(std::clamp(value, -kMax, kMax));
}

ConstantTensor transposed(const ConstantTensor& from, const TensorExtents& order,
                          ConstantBudget& budget, const ModelPlace& place) {
  TensorExtents sorted = order;
  std::sort(sorted.begin(), sorted.end());
  TensorExtents all(from.extents.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    place.fail(fmt::format("its perm is {}, which is not a permutation of {} dimensions",
                           fmt::join(order, ", "), all.size()));
  }
  const std::uint64_t count = num_elements(from.extents, place);
  budget.take(count, place);
  const TensorExtents own = row_major_strides(from.extents);
  ConstantTensor result{from.type, {}, {}};
  TensorExtents strides;
  for (const std::int64_t axis : order) {
    result.extents.push_back(from.extents[static_cast<std::size_t>(axis)]);
    strides.push_back(own[static_cast<std::size_t>(axis)]);
  }
  result.values.reserve(count);
  for_each_strided(result.extents, strides, count,
                   [&](std::size_t index) { result.values.push_back(from.values[index]); });
  return result;
}

ConstantTensor select_indices(const ConstantTensor& from, std::size_t axis,
                              const TensorExtents& indices, ConstantBudget& budget,
                              const ModelPlace& place) {
  const auto own = static_cast<std::size_t>(from.extents[axis]);
  ConstantTensor result{from.type, from.extents, {}};
  result.extents[axis] = std::ssize(indices);
  const std::uint64_t count = num_elements(result.extents, place);
  budget.take(count, place);
  const auto inner = static_cast<std::size_t>(row_major_strides(from.extents)[axis]);
  const std::size_t outer = from.values.empty() ? 0 : from.values.size() / (inner * own);
  result.values.reserve(count);
  for (std::size_t i = 0; i < outer; ++i) {
    for (const std::int64_t index : indices) {
      const auto begin =
          from.values.begin() +
          static_cast<std::ptrdiff_t>((i * own + static_cast<std::size_t>(index)) * inner);
      result.values.insert(result.values.end(), begin, begin + static_cast<std::ptrdiff_t>(inner));
    }
  }
  return result;
}

ConstantTensor concatenated(const std::vector<ConstantTensor>& parts, std::size_t axis,
                            ConstantBudget& budget, const ModelPlace& place) {
  const ConstantTensor& first = parts.front();
  ConstantTensor result{first.type, first.extents, {}};
  result.extents[axis] = 0;
  for (const ConstantTensor& part : parts) {
    TensorExtents extents = part.extents;
    if (extents.size() == first.extents.size()) extents[axis] = first.extents[axis];
    if (extents != first.extents) {
      place.fail(fmt::format("concatenates {} and {}", fmt::join(first.extents, " x "),
                             fmt::join(part.extents, " x ")));
    }
    result.extents[axis] += part.extents[axis];
  }
  const std::uint64_t count = num_elements(result.extents, place);
  if (count == 0) return result;  // the other extents may be large
  budget.take(count, place);
  result.values.reserve(count);
  std::size_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(first.extents[i]);
  for (std::size_t i = 0; i < outer; ++i) {
    for (const ConstantTensor& part : parts) {
      const auto size = static_cast<std::ptrdiff_t>(part.values.size() / outer);
      const auto begin = part.values.begin() + static_cast<std::ptrdiff_t>(i) * size;
      result.values.insert(result.values.end(), begin, begin + size);
    }
  }
  return result;
}

}  // namespace tilewright

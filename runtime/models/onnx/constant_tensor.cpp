#include "onnx/constant_tensor.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "onnx/onnx_attributes.hpp"

namespace tilewright {
namespace {

constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;
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
    if (extent < 0 || (extent > 0 && count > kMaxElements / factor)) {
      place.fail(fmt::format("computes a constant of {} elements, which is too large or negative",
                             fmt::join(extents, " x ")));
    }
    is_empty = is_empty || extent == 0;
    if (extent > 0) count *= factor;
  }
  return is_empty ? 0 : count;
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
  const std::size_t added = extents.size() - tensor.extents.size();
  for (std::uint64_t element = 0; element < count; ++element) {
    std::uint64_t rest = element;
    std::uint64_t index = 0;
    std::uint64_t stride = 1;
    for (std::size_t i = extents.size(); i-- > added;) {
      const auto extent = static_cast<std::uint64_t>(extents[i]);
      const auto own = static_cast<std::uint64_t>(tensor.extents[i - added]);
      if (own > 1) index += rest % extent * stride;
      rest /= extent;
      stride *= own;
    }
    result.values.push_back(tensor.values[index]);
  }
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

std::vector<std::int64_t> read_integers(const onnx::Node& node, int input,
                                        const ConstantTensor* given, std::string_view name,
                                        const ModelPlace& place) {
  std::vector<std::int64_t> integers;
  if (given != nullptr) {
    for (const double value : given->values) integers.push_back(to_integer(value, place));
    return integers;
  }
  if (!name_at(node.input, input).empty()) {
    place.fail(fmt::format("has '{}' (its input {}) that is not a constant", name, input + 1));
  }
  if (const onnx::Attribute* const found = attribute(node, name)) {
    integers.assign(found->ints.begin(), found->ints.end());
    if (found->i && integers.empty()) integers.push_back(*found->i);
  }
  return integers;
}

ConstantTensor extents_tensor(const onnx::Node& node, const std::vector<double>& extents,
                              const ModelPlace& place) {
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto bounded = [&](std::int64_t index) {
    return std::clamp<std::int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const std::int64_t begin = bounded(integer_attribute(node, "start", 0, place));
  const std::int64_t end = std::max(begin, bounded(integer_attribute(node, "end", rank, place)));
  return {onnx::kInt64, {end - begin}, {extents.begin() + begin, extents.begin() + end}};
}

std::vector<std::int64_t> reshape_extents(const onnx::Node& node, const ConstantTensor& shape,
                                          const std::vector<std::int64_t>& from,
                                          const ModelPlace& place) {
  const bool zero_is_zero = integer_attribute(node, "allowzero", 0, place) != 0;
  const std::uint64_t count = num_elements(from, place);
  std::vector<std::int64_t> extents;
  std::uint64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < shape.values.size(); ++i) {
    std::int64_t extent = to_integer(shape.values[i], place);
    if (extent == 0 && !zero_is_zero && i < from.size()) extent = from[i];
    if (extent == -1 && !open) {
      open = i;
    } else {
      known = num_elements({static_cast<std::int64_t>(known), extent}, place);
    }
    extents.push_back(extent);
  }
  if (open && known > 0) extents[*open] = static_cast<std::int64_t>(count / known);
  if ((open && known == 0) || num_elements(extents, place) != count) {
    place.fail(fmt::format("reshapes {} elements to {}", count, fmt::join(extents, " x ")));
  }
  return extents;
}

std::vector<std::int64_t> squeeze_extents(std::vector<std::int64_t> extents,
                                          std::vector<std::int64_t> axes, const ModelPlace& place) {
  if (axes.empty()) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] == 1) axes.push_back(static_cast<std::int64_t>(i));
    }
  }
  for (std::int64_t& axis : axes) axis = checked_axis(axis, extents.size(), place);
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (extents[static_cast<std::size_t>(*axis)] != 1) {
      place.fail(fmt::format("removes axis {}, which may have more than 1 element", *axis));
    }
    extents.erase(extents.begin() + *axis);
  }
  return extents;
}

std::vector<std::int64_t> unsqueeze_extents(std::vector<std::int64_t> extents,
                                            std::vector<std::int64_t> axes,
                                            const ModelPlace& place) {
  const std::size_t rank = extents.size() + axes.size();
  for (std::int64_t& axis : axes) axis = checked_axis(axis, rank, place);
  std::sort(axes.begin(), axes.end());
  for (const std::int64_t axis : axes) {
    if (axis > static_cast<std::int64_t>(extents.size())) place.fail("lists an axis twice");
    extents.insert(extents.begin() + axis, 1);
  }
  return extents;
}

}  // namespace tilewright

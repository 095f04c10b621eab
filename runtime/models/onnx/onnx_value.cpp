#include "onnx/onnx_value.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "onnx/onnx_tensors.hpp"

namespace tilewright {

OnnxValue as_floats(OnnxValue value) {
  value.type = onnx::kFloat;
  return value;
}

std::optional<std::int64_t> columns(const TensorExtents& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (extent == kBatch) continue;
    if (extent == kUnknown || product > std::numeric_limits<std::int64_t>::max() / extent) {
      return std::nullopt;
    }
    product *= extent;
  }
  return product;
}

std::optional<std::size_t> batch_axis(const TensorExtents& extents) {
  const auto found = std::find(extents.begin(), extents.end(), kBatch);
  if (found == extents.end()) return std::nullopt;
  return static_cast<std::size_t>(found - extents.begin());
}

std::string shape_text(const TensorExtents& extents) {
  std::vector<std::string> texts;
  for (const std::int64_t extent : extents) {
    texts.push_back(extent == kBatch     ? "batch"
                    : extent == kUnknown ? "unknown"
                                         : fmt::format("{}", extent));
  }
  return texts.empty() ? "1" : fmt::format("{}", fmt::join(texts, " x "));
}

std::string value_text(const OnnxValue& value) {
  return value.tensor == nullptr ? "a constant" : tensor_text(*value.tensor);
}

}  // namespace tilewright

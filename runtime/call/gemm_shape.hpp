// The extents of a product: C is m x n, each element is a sum of k terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright {

// Extents and leading dimensions are 32-bit in kernels, with a reserve for tiles that cross an
// edge.
inline constexpr std::size_t kMaxExtent = 2'000'000'000;

// Extents of a product; all are at least 0.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

// Squared distance in octaves of m, n and k; extents of 0 count as 1.
double squared_distance(const GemmShape& a, const GemmShape& b);

// Returns "MxNxK".
std::string to_text(const GemmShape&);
// Parses "MxNxK" with extents from 1 to kMaxExtent; nullopt if the text is anything else.
std::optional<GemmShape> parse_shape(std::string_view text);
// Parses a whole number from 1 to kMaxExtent; nullopt if the text is anything else.
std::optional<std::int64_t> parse_extent(std::string_view text);

}  // namespace tilewright

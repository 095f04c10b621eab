// The extents of a product: C is m x n, each element is a sum of k terms.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

// Extents of a product; all are at least 0.
struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

// Returns "MxNxK".
std::string to_text(const GemmShape&);

}  // namespace tilewright

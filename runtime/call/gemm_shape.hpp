// The extents of a product: C is m x n, k terms an element.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  bool operator==(const GemmShape&) const = default;
};

// "MxNxK".
std::string to_text(const GemmShape&);

}  // namespace tilewright

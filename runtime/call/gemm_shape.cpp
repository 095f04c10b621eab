#include "runtime/call/gemm_shape.hpp"

#include <fmt/format.h>

namespace tilewright {

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

}  // namespace tilewright

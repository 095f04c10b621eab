#include "runtime/call/gemm_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright {

double squared_distance(const GemmShape& a, const GemmShape& b) {
  const auto octaves = [](std::int64_t x, std::int64_t y) {
    const auto from_one = [](std::int64_t extent) {
      return static_cast<double>(std::max<std::int64_t>(extent, 1));
    };
    return std::log2(from_one(x) / from_one(y));
  };
  return std::pow(octaves(a.m, b.m), 2.0) + std::pow(octaves(a.n, b.n), 2.0) +
         std::pow(octaves(a.k, b.k), 2.0);
}

std::string to_text(const GemmShape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

std::optional<std::int64_t> parse_extent(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 ||
      value > static_cast<std::int64_t>(kMaxExtent)) {
    return std::nullopt;
  }
  return value;
}

std::optional<GemmShape> parse_shape(std::string_view text) {
  const std::size_t first = text.find('x');
  if (first == text.npos) return std::nullopt;
  const std::size_t second = text.find('x', first + 1);
  if (second == text.npos) return std::nullopt;
  const auto m = parse_extent(text.substr(0, first));
  const auto n = parse_extent(text.substr(first + 1, second - first - 1));
  const auto k = parse_extent(text.substr(second + 1));
  if (!m || !n || !k) return std::nullopt;
  return GemmShape{*m, *n, *k};
}

}  // namespace tilewright

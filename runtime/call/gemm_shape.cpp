#include "runtime/call/gemm_shape.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tilewright {

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

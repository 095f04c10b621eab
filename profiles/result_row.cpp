#include "result_row.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "profile_rows.hpp"

namespace tilewright {
namespace {

// Maximum m, n and k of a product that the library computes; planning relies on it.
constexpr std::int64_t kMaxExtent = 2'000'000'000;

// The extents that are the key of a row of results: "64x32x128".
std::optional<std::array<std::int64_t, 3>> parse_shape_key(std::string_view key) {
  std::array<std::int64_t, 3> extents{};
  const char* at = key.data();
  const char* const end = at + key.size();
  for (std::int64_t& extent : extents) {
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  const bool as_written = key == fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
  return as_written ? std::optional(extents) : std::nullopt;
}

}  // namespace

bool read_result_row(TomlTable& table, std::string_view key, ProfileKind kind,
                     ShapeResult& result) {
  const auto shape = parse_shape_key(key);
  if (!shape) return false;
  for (const std::int64_t extent : *shape) {
    table.require(extent >= 1, key, "m, n and k must be at least 1");
    table.require(extent <= kMaxExtent, key,
                  [] { return fmt::format("m, n and k must be at most {}", kMaxExtent); });
  }
  result.m = (*shape)[0];
  result.n = (*shape)[1];
  result.k = (*shape)[2];
  const std::vector<TomlNumber> row = table.numbers(key);
  double* const times[] = {&result.low_ns, &result.median_ns, &result.high_ns};
  const std::int64_t* samples = row.size() == 4 ? std::get_if<std::int64_t>(&row[3]) : nullptr;
  bool is_row = samples != nullptr;
  for (std::size_t i = 0; is_row && i < std::size(times); ++i) {
    const double* time = std::get_if<double>(&row[i]);
    is_row = time != nullptr;
    if (is_row) *times[i] = *time;
  }
  table.require(is_row, key,
                "must be the 10th percentile, median and 90th percentile of the time as floats, "
                "and the number of samples as an integer");
  for (const double* time : times) table.require(kTime.contains(*time), key, kTime.message);
  table.require(result.low_ns <= result.median_ns, key, "low_ns must not exceed median_ns");
  table.require(result.high_ns >= result.median_ns, key, "high_ns must not be below median_ns");
  // A predicted time has no samples.
  const std::int64_t least = kind == ProfileKind::kPredicted ? 0 : 1;
  const std::int64_t most = kind == ProfileKind::kPredicted ? 0 : std::numeric_limits<int>::max();
  table.require(*samples >= least && *samples <= most, key, [&] {
    return fmt::format("the number of samples must be at least {} and at most {}", least, most);
  });
  result.samples = static_cast<int>(*samples);
  return true;
}

}  // namespace tilewright

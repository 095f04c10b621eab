#include "read_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <variant>

#include "profile_fields.hpp"
#include "toml_field_reader.hpp"

namespace tilewright {
namespace {

using Extents = std::array<std::int64_t, 3>;

std::string shape_key(std::int64_t m, std::int64_t n, std::int64_t k) {
  return fmt::format("{}x{}x{}", m, n, k);
}

std::optional<Extents> parse_shape_key(std::string_view key) {
  Extents extents{};
  const char* at = key.data();
  const char* const end = at + key.size();
  for (std::int64_t& extent : extents) {
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc()) return std::nullopt;
    at = next == end ? end : next + 1;
  }
  const auto [m, n, k] = extents;
  return key == shape_key(m, n, k) ? std::optional(extents) : std::nullopt;
}

// Reads three floats from row[first] on; returns false if these are other types.
bool read_floats(const std::vector<TomlNumber>& row, std::size_t first,
                 const std::array<double*, 3>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* value = std::get_if<double>(&row[first + i]);
    if (value == nullptr) return false;
    *values[i] = *value;
  }
  return true;
}

// Reads [low, median, high, samples] into the result; returns false if these are other types.
bool read_row(const std::vector<TomlNumber>& row, ShapeResult& result) {
  if (row.size() != 4) return false;
  const auto* samples = std::get_if<std::int64_t>(&row[3]);
  if (samples == nullptr || *samples < 0 || *samples > std::numeric_limits<int>::max())
    return false;
  result.samples = static_cast<int>(*samples);
  return read_floats(row, 0, {&result.low_ns, &result.median_ns, &result.high_ns});
}

void read_rows(TomlTable& table, ShapeResult result, std::vector<ShapeResult>& results) {
  const std::size_t before = results.size();
  for (const std::string_view key : table.unread_keys()) {
    const std::optional<Extents> shape = parse_shape_key(key);
    if (!shape) continue;  // refuse_unknown() names it
    if (!read_row(table.numbers(key), result)) {
      table.fail(key,
                 "must be the 10th percentile, median and 90th percentile of the time as floats, "
                 "and the number of samples as an integer");
    }
    result.m = (*shape)[0];
    result.n = (*shape)[1];
    result.k = (*shape)[2];
    result.gflops = computed_gflops(result);
    results.push_back(result);
  }
  table.refuse_unknown();
  if (results.size() == before) table.fail("kernel", "has no row");
}

bool has_row(const TomlText& text, const TomlSection& section, const ShapeResult& result) {
  const auto* first = text.pairs.data() + section.first;
  const auto has = [&](std::string_view key, const std::string* value) {
    return std::any_of(first, first + section.num_keys, [&](const TomlPair& pair) {
      const auto* found = std::get_if<std::string>(&pair.value);
      return pair.key == key && (value == nullptr || (found != nullptr && *found == *value));
    });
  };
  return has("kernel", &result.kernel) && has(shape_key(result.m, result.n, result.k), nullptr);
}

}  // namespace

std::vector<ShapeResult> read_results(TomlTable& root) {
  std::vector<ShapeResult> results;
  for (TomlTable& table : root.tables("result")) {
    TomlFieldReader fields(std::move(table));
    ShapeResult common;
    visit_result(fields, common);
    read_rows(fields.table(), common, results);
  }
  return results;
}

std::string key_in_text(const TomlText& text, const Profile& profile, const std::string& key) {
  constexpr std::string_view kStart = "result[";
  std::size_t index = 0;
  if (!key.starts_with(kStart)) return key;
  std::from_chars(key.data() + kStart.size(), key.data() + key.size(), index);
  if (index >= profile.results.size()) return key;
  const ShapeResult& result = profile.results[index];
  for (const TomlSection& section : text.sections) {
    if (section.name != "result" || !has_row(text, section, result)) continue;
    const std::string path = section.path();
    const std::string member = key.substr(key.find('.') + 1);
    const bool in_row = member != "kernel" && member != "max_error";
    return fmt::format("{}.{}", path, in_row ? shape_key(result.m, result.n, result.k) : member);
  }
  return key;
}

}  // namespace tilewright

// Reads the members of a table of a profile: the visitor that profile_rows.hpp describes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "profile_rows.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Reads the fields of one table, and refuses values out of range.
class RowReader {
 public:
  explicit RowReader(TomlTable table) : table_(std::move(table)) {}

  TomlTable& table() { return table_; }

  template <class T, class... Range>
  void optional(const char* key, T& value, const std::type_identity_t<T>& absent = {},
                const Range&... range) {
    if (!table_.has(key)) return;
    field(key, value, range...);
    table_.require(!(value == absent), key, "must be absent: it is the default");
  }
  template <class T, class... Range>
  void required_if(bool holds, const char* key, T& value, const Range&... range) {
    if (holds) return field(key, value, range...);
    table_.require(!table_.has(key), key, "must be absent: it has no meaning here");
  }

  void field(const char* key, std::string& value) { value = table_.text(key); }
  void field(const char* key, bool& value) { value = table_.boolean(key); }
  void field(const char* key, double& value, const Floats& range) {
    value = table_.number(key);
    table_.require(range.contains(value), key, range.message);
  }
  void field(const char* key, int& value, const Integers& range = {}) {
    value = static_cast<int>(table_.integer(key, low<int>(range), high<int>(range)));
  }
  void field(const char* key, std::uint64_t& value) {
    const std::string text = table_.text(key);
    std::from_chars(text.data(), text.data() + text.size(), value);
    table_.require(text == std::to_string(value), key,
                   "must be a decimal number from 0 to 18446744073709551615, as a string");
  }
  void field(const char* key, std::int64_t& value, const Integers& range) {
    value = table_.integer(key, range.low, range.high);
  }
  void field(const char* key, std::array<std::int64_t, 2>& value, const Integers& range) {
    const auto read = table_.integers(key, 2, 2, range.low, range.high);
    value = {read[0], read[1]};
  }
  void field(const char* key, Tile& value, const Integers& range) {
    const auto read = table_.integers(key, 3, 3, low<int>(range), high<int>(range));
    value = {static_cast<int>(read[0]), static_cast<int>(read[1]), static_cast<int>(read[2])};
  }
  // The third extent is present only if it is not 1.
  void work_group(const char* key, std::array<int, 2>& value, int& k) {
    const auto read = table_.integers(key, 2, 3, low<int>({}), high<int>({}));
    value = {static_cast<int>(read[0]), static_cast<int>(read[1])};
    k = read.size() > 2 ? static_cast<int>(read[2]) : 1;
    table_.require(read.size() == 2 || k >= 2, key,
                   "must have 2 elements, or a third that is at least 2");
  }
  // Present only if not 0: a number of k steps, or "all".
  void half_sums(const char* key, int& value) {
    if (table_.has(key)) word(key, value, parse_half_sums, "all, or k steps, at least 1");
  }
  void field(const char* key, std::optional<Layout>& value) { field(key, value.emplace()); }
  void field(const char* key, DeviceClasses& v) {
    word(key, v, parse_device_classes, "cpu-8, cpu-16, gpu-local, gpu, in this order");
  }
  void field(const char* key, Precision& v) { word(key, v, parse_precision, "d, h"); }
  void field(const char* key, ProfileKind& v) {
    word(key, v, parse_profile_kind, "generic, tuned, predicted");
  }
  void field(const char* key, Role& v) {
    word(key, v, parse_role, "gemm, gemv, pack, reduce, activation, softmax");
  }
  void field(const char* key, Op& v) { word(key, v, parse_op, "NN, NT, TN, TT"); }
  void field(const char* key, Layout& v) {
    word(key, v, parse_layout, "R, C, or a layout in blocks, such as R 8 1 C");
  }
  void field(const char* key, Images& v) { word(key, v, parse_images, "\"\", a, b, ab, c"); }
  void field(const char* key, Dimension& v) { word(key, v, parse_dimension, "none, m, n"); }
  void field(const char* key, Activation& v) {
    word(key, v, parse_activation, list_activation_words());
  }
  void field(const char* key, Edges& v) { word(key, v, parse_edges, "guarded, padded"); }
  void field(const char* key, IdOrder& v) { word(key, v, parse_id_order, "nm, mn, flat"); }
  void field(const char* key, Epilogue& v) { word(key, v, parse_epilogue, "none, alpha_beta"); }

 private:
  // The part of the range that the type of the member can represent.
  template <std::integral Int>
  static std::int64_t low(const Integers& range) {
    return std::max<std::int64_t>(range.low, std::numeric_limits<Int>::min());
  }
  template <std::integral Int>
  static std::int64_t high(const Integers& range) {
    return std::min<std::int64_t>(range.high, std::numeric_limits<Int>::max());
  }
  template <class Enum, class Parse>
  void word(const char* key, Enum& value, Parse parse, const std::string& words) {
    const std::string text = table_.text(key);
    const std::optional<Enum> parsed = parse(text);
    table_.require(parsed.has_value(), key,
                   [&] { return fmt::format("is {}, not one of: {}", in_quotes(text), words); });
    value = *parsed;
  }

  TomlTable table_;
};

}  // namespace tilewright

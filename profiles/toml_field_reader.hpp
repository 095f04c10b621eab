// Reads the members of a table of a profile: the visitor that profile_fields.hpp describes.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "profiles/base/printable.hpp"
#include "profiles/profile.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Reads the fields of one table. Only the ranges of the members' types are checked here; the rules
// check all others.
class TomlFieldReader {
 public:
  explicit TomlFieldReader(TomlTable table) : table_(std::move(table)) {}

  TomlTable& table() { return table_; }

  void field(const char* key, std::string& value) { value = table_.text(key); }
  void field(const char* key, bool& value) { value = table_.boolean(key); }
  void field(const char* key, double& value) { value = table_.number(key); }
  void field(const char* key, int& value) {
    value = static_cast<int>(table_.integer(key, min<int>(), max<int>()));
  }
  void field(const char* key, std::int64_t& value) {
    value = table_.integer(key, min<std::int64_t>(), max<std::int64_t>());
  }
  void field(const char* key, std::uint64_t& value) {
    const std::string text = table_.text(key);
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (text != std::to_string(value)) {
      table_.fail(key, "must be a decimal number from 0 to 18446744073709551615, as a string");
    }
  }
  // The third extent is present only if it is not 1.
  void work_group(const char* key, std::array<int, 2>& value, int& k) {
    const auto read = table_.integers(key, 2, 3, min<int>(), max<int>());
    value = {static_cast<int>(read[0]), static_cast<int>(read[1])};
    k = read.size() > 2 ? static_cast<int>(read[2]) : 1;
    if (read.size() > 2 && k < 2)
      table_.fail(key, "must have 2 elements, or a third that is at least 2");
  }
  // Present only if true.
  void mark(const char* key, bool& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (!value) table_.fail(key, "must be absent, or true");
  }
  // Present only if known, i.e. not empty.
  void known(const char* key, std::string& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value.empty()) table_.fail(key, "must be absent, or not empty");
  }
  // Present only if known, i.e. not 0.
  void known(const char* key, int& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value <= 0) table_.fail(key, "must be absent, or positive");
  }
  void known(const char* key, double& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value == 0.0) table_.fail(key, "must be absent, or not 0");
  }
  // Present only if the kernel is not for every device.
  void classes(const char* key, DeviceClasses& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_device_classes, "cpu-8, cpu-16, gpu-local, gpu, in this order");
  }
  // Present only if not single precision.
  void precision(const char* key, Precision& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_precision, "d, h");
    if (value == Precision::kSingle) table_.fail(key, "must be absent, d or h");
  }
  // Present only if not 0: a number of k steps, or "all".
  void half_sums(const char* key, int& value) {
    if (!table_.has(key)) return;
    word(key, value, parse_half_sums, "all, or k steps, at least 1");
  }
  // Present only if it differs from the default.
  void moved_extent(const char* key, int& value) {
    if (!table_.has(key)) return;
    field(key, value);
    if (value == kMovedExtent) {
      table_.fail(key, fmt::format("must be absent, or different from {}", kMovedExtent));
    }
  }
  void field(const char* key, std::array<std::int64_t, 2>& value) {
    const auto read = table_.integers(key, 2, 2, min<std::int64_t>(), max<std::int64_t>());
    value = {read[0], read[1]};
  }
  void field(const char* key, Tile& value) {
    const auto read = table_.integers(key, 3, 3, min<int>(), max<int>());
    value = {static_cast<int>(read[0]), static_cast<int>(read[1]), static_cast<int>(read[2])};
  }
  void field(const char* key, std::optional<Layout>& value) {
    if (table_.has(key)) field(key, value.emplace());
  }
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
  template <class Int>
  static constexpr std::int64_t min() {
    return std::numeric_limits<Int>::min();
  }
  template <class Int>
  static constexpr std::int64_t max() {
    return std::numeric_limits<Int>::max();
  }
  template <class Enum, class Parse>
  void word(const char* key, Enum& value, Parse parse, const std::string& words) {
    const std::string text = table_.text(key);
    const std::optional<Enum> parsed = parse(text);
    if (!parsed) table_.fail(key, fmt::format("is {}, not one of: {}", in_quotes(text), words));
    value = *parsed;
  }

  TomlTable table_;
};

}  // namespace tilewright

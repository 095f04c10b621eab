// Checks the rules of one table of a profile.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profile_rules.hpp"

namespace tilewright {

// Collects the violations in one table.
class RuleTable {
 public:
  RuleTable(std::string_view name, std::vector<Violation>& found) : name_(name), found_(found) {}
  // An entry of an array of tables.
  RuleTable(std::string_view array, std::size_t entry, std::vector<Violation>& found)
      : name_(array), entry_(entry), found_(found) {}

  // `message` is a text, or a function that returns one and is only called where it is needed.
  template <class Message>
  void require(bool holds, std::string_view key, const Message& message) const {
    if (holds) return;
    const std::string path = entry_ ? fmt::format("{}[{}]", name_, *entry_) : std::string(name_);
    std::string text;
    if constexpr (std::is_invocable_v<Message>) {
      text = message();
    } else {
      text = message;
    }
    found_.push_back({fmt::format("{}.{}", path, key), std::move(text)});
  }
  void refuse(const std::optional<std::string>& reason, std::string_view key) const {
    if (reason) require(false, key, *reason);
  }

 private:
  std::string_view name_;
  std::optional<std::size_t> entry_;
  std::vector<Violation>& found_;
};

// True if the value (in any unit of a profile) is between 1e-9 and 1e15; false for NaN. All real
// measurements are in this range, and predictions from such values do not overflow.
inline bool is_measured(double value) {
  return value >= 1e-9 && value <= 1e15;
}

// Check that a rate (0: not measured) or a time is plausible.
inline void check_rate(double rate, std::string_view key, const RuleTable& table) {
  table.require(rate == 0.0 || is_measured(rate), key,
                "must be finite and not negative: 0, or from 1e-9 to 1e15");
}

inline void check_time(double ns, std::string_view key, const RuleTable& table) {
  table.require(is_measured(ns), key, "must be positive and finite: from 1e-9 to 1e15");
}

}  // namespace tilewright

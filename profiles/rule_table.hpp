// Checks the rules of one table of a profile.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile_rules.hpp"

namespace tilewright {

// Collects the violations in one table.
class RuleTable {
 public:
  RuleTable(std::string path, std::vector<Violation>& found)
      : path_(std::move(path)), found_(found) {}

  void require(bool holds, std::string_view key, std::string_view message) const {
    if (!holds) found_.push_back({fmt::format("{}.{}", path_, key), std::string(message)});
  }
  void refuse(const std::optional<std::string>& reason, std::string_view key) const {
    if (reason) require(false, key, *reason);
  }

 private:
  std::string path_;
  std::vector<Violation>& found_;
};

// True for values that a measurement can give. Everything that is computed from such values is
// finite. NaN fails both comparisons.
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

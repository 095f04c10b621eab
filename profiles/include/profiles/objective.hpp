// Defines by what a tuning compares plans, and the library ranks them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

enum class Objective {
  kTime,
  kEnergy,       // joules of a product
  kEnergyDelay,  // joules times seconds
};

// Returns "time", "energy" or "energy-delay".
constexpr std::string_view to_text(Objective objective) {
  constexpr std::string_view kNames[] = {"time", "energy", "energy-delay"};
  return kNames[static_cast<std::size_t>(objective)];
}

// Returns nullopt for another word.
constexpr std::optional<Objective> parse_objective(std::string_view word) {
  for (const Objective each : {Objective::kTime, Objective::kEnergy, Objective::kEnergyDelay}) {
    if (word == to_text(each)) return each;
  }
  return std::nullopt;
}

}  // namespace tilewright

// Explains why the energy of finalists is missing although there was time for it.
//
// These functions do not access a device.
#pragma once

#include <cstddef>
#include <string>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// What is missing, in messages.
inline constexpr const char* kEnergyOfFinalists = "the energy of the finalists";

// Why energy is missing although there was time for it. Both are empty if there was none.
struct EnergyFailure {
  std::string sensor = {};   // why a sensor failed
  std::string kernels = {};  // late_failures()
  bool is_known() const { return !sensor.empty() || !kernels.empty(); }
};

// Returns the kernels that failed since the journal had so many outcomes, and why: "sgemm_...:
// hang: reason", joined by "; ". Returns "" if none failed, or if no energy is missing.
std::string late_failures(const JournalContents& contents, std::size_t num_outcomes);

// Returns the message for a known failure. `command`: with which the tuning continues
// (same_command()).
std::string missing_energy_text(const EnergyFailure& failure, const std::string& command);

}  // namespace tilewright

// Explains why the energy of finalists is missing although there was time for it.
//
// These functions do not access a device.
#pragma once

#include <string>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// What is missing, in messages.
inline constexpr const char* kEnergyOfFinalists = "the energy of the finalists";

// Why energy is missing although there was time for it. Both are empty if there was none.
struct EnergyFailure {
  std::string sensor = {};   // why a sensor failed
  std::string kernels = {};  // failures_on_random_products()
  bool is_known() const { return !sensor.empty() || !kernels.empty(); }
};

// Returns the kernels that failed on random products, which are measured after the energy of the
// finalists, and why: "sgemm_...: hang: reason", joined by "; ". Returns "" if none failed, or if
// no energy is missing.
std::string failures_on_random_products(const JournalContents& contents);

// Returns the message for a known failure. `command`: with which the tuning continues
// (same_command()).
std::string missing_energy_text(const EnergyFailure& failure, const std::string& command);

}  // namespace tilewright

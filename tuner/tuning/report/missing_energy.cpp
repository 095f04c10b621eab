#include "tuner/tuning/report/missing_energy.hpp"

#include <fmt/format.h>

#include "tuner/select/energy_contenders.hpp"

namespace tilewright {

std::string failures_on_random_products(const JournalContents& contents) {
  std::string failures;
  if (!lacks_energy(contents)) return failures;
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.task != kValidating) continue;
    failures += fmt::format("{}{}: {}: {}", failures.empty() ? "" : "; ",
                            outcome.kernel.facts().name, to_text(outcome.result), outcome.reason);
  }
  return failures;
}

std::string missing_energy_text(const EnergyFailure& failure, const std::string& command) {
  const bool is_sensor_failure = !failure.sensor.empty();
  return fmt::format(
      "{} is missing, because {}: {}; run {} again{}, with a longer --budget if the present one is "
      "used up",
      kEnergyOfFinalists,
      is_sensor_failure ? "a sensor failed"
                        : "the best plans use other kernels since these failed on random products",
      is_sensor_failure ? failure.sensor : failure.kernels, command,
      is_sensor_failure ? " when the sensor works" : "");
}

}  // namespace tilewright

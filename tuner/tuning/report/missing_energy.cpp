#include "tuner/tuning/report/missing_energy.hpp"

#include <fmt/format.h>

#include "tuner/select/energy_contenders.hpp"

namespace tilewright {

std::string late_failures(const JournalContents& contents, std::size_t num_outcomes) {
  std::string failures;
  if (!lacks_energy(contents)) return failures;
  for (std::size_t i = num_outcomes; i < contents.outcomes.size(); ++i) {
    const Outcome& outcome = contents.outcomes[i];
    failures += fmt::format("{}{}: {}: {}", failures.empty() ? "" : "; ",
                            outcome.kernel.facts().name, to_text(outcome.result), outcome.reason);
  }
  return failures;
}

std::string missing_energy_text(const EnergyFailure& failure, const std::string& command) {
  const bool is_of_sensor = !failure.sensor.empty();
  return fmt::format(
      "{} is missing, because {}: {}; run {} again{}, with a longer --budget if the present one is "
      "used up",
      kEnergyOfFinalists,
      is_of_sensor ? "a sensor failed"
                   : "the best plans use other kernels since these failed in products that are "
                     "held out",
      is_of_sensor ? failure.sensor : failure.kernels, command,
      is_of_sensor ? " when the sensor works" : "");
}

}  // namespace tilewright

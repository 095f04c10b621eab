// Measures the energy of the items of a benchmark alternately, in random order, and prints it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/bench/bench_item.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/energy/energy_sample.hpp"
#include "tuner/energy/sensor_choice.hpp"

namespace tilewright {

// Samples per item, and of the idle power.
inline constexpr int kEnergyRounds = 5;

// The energy measurements of one process. If a sensor fails, nothing more is measured.
class EnergyTurns {
 public:
  EnergyTurns(SensorChoice choice, const EnergyRule& rule);

  // Measures the power of the idle device. Call it before the first product runs.
  void measure_idle(const Announce& announce);
  // Adds samples to the figures, which belong to the items in this order, must have times, and
  // must not have samples of energy. Items without work are left out.
  void measure(const std::vector<BenchItem>& items, std::mt19937_64& random,
               const Announce& announce, std::vector<BenchFigure>& figures);

  // Returns the sensors, the idle power, and why there are no samples.
  const BenchEnergy& conditions() const { return conditions_; }

 private:
  // Takes a sample (sample_energy()). If that fails, sets conditions_.missing.
  std::optional<EnergySample> sample(const EnergyRule& rule, double call_s,
                                     const std::function<void(int calls)>& run);

  std::vector<EnergySensor> sensors_;
  EnergyRule rule_;
  BenchEnergy conditions_;
};

// Returns a line for each figure whose energy was measured.
std::string energy_rows(const BenchResult& result);

// Returns the sensors, what they cover, the idle power and how energy was measured, or why it was
// not; "" if nobody asked for it.
std::string energy_footer(const BenchEnergy& energy);

// Returns a sentence without a full stop: the time that measuring energy will need if a sensor
// covers the device. `num_competitors` includes the own plan; `all_plans`: every plan is measured,
// too.
std::string energy_estimate(std::size_t num_products, std::size_t num_competitors, double sample_s,
                            bool all_plans);

}  // namespace tilewright

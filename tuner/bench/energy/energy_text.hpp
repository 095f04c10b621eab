// Writes the energy of a benchmark for people.
#pragma once

#include <cstddef>
#include <string>

#include "tuner/bench/bench_report.hpp"

namespace tilewright {

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

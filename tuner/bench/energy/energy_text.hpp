// Writes the energy of a benchmark for people.
#pragma once

#include <string>

#include "tuner/bench/bench_report.hpp"

namespace tilewright {

// Returns a line for each figure whose energy was measured.
std::string energy_rows(const BenchResult& result);

// Returns the sensors, what they cover, the idle power and how energy was measured, or why it was
// not; "" if nobody asked for it.
std::string energy_footer(const BenchEnergy& energy);

}  // namespace tilewright

// Measures the energy of a repeated call.
//
// Energy counters change in steps, some only every 0.1 s. A sample therefore starts and ends right
// after a change of the counter. In between, the counter is not read, because the device is idle
// during a reading, which may take milliseconds.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "tuner/energy/energy_meter.hpp"

namespace tilewright {

// How long a sample is.
struct EnergyRule {
  double min_s = 1.0;  // the sample ends with the first change after this time
  // If the counter has not changed again after min_s, four calls and this time, there is no sample.
  double patience_s = 20.0;
  // True: a sample without any energy is valid, because rails of an idle device may be off.
  bool is_idle = false;
};

struct EnergySample {
  double joules = 0.0;
  double seconds = 0.0;  // wall time
  int calls = 0;
  double watts() const { return joules / seconds; }
};
// A sample, or a sentence that says why there is none.
using EnergySampled = std::variant<EnergySample, std::string>;

// The time in seconds that a sample is expected to take if one call takes `call_s`.
double expected_sample_s(const EnergyRule& rule, double call_s);

// Makes calls until the sample is long enough. `run` makes that many calls and returns after the
// last one, `call_s` is about how long one call takes, and `now_s` returns the time in seconds.
EnergySampled sample_energy(EnergyMeter& meter, const EnergyRule& rule, double call_s,
                            const std::function<void(int calls)>& run,
                            const std::function<double()>& now_s);

}  // namespace tilewright

#include "tuner/energy/energy_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// The counter is read after calls of about this time, which is therefore the uncertainty of the
// start and the end of a sample.
constexpr double kReadPeriod_s = 0.01;
constexpr int kMaxCallsPerReading = 1 << 20;

// The number of calls of `call_s` seconds after which sensors are read again.
int calls_between_readings(double call_s) {
  if (!(call_s > 0.0)) return 1;
  return static_cast<int>(
      std::clamp(std::floor(kReadPeriod_s / call_s), 1.0, double{kMaxCallsPerReading}));
}

}  // namespace

double expected_sample_s(const EnergyRule& rule, double call_s) {
  return 3.0 * rule.min_s + rule.patience_s / 10.0 + 2.0 * call_s;
}

void warm_up_sensors(const std::vector<EnergySensor>& sensors, const EnergyRule& rule,
                     double call_s, const std::function<void(int calls)>& run,
                     const std::function<double()>& now_s) {
  const bool all_count =
      std::all_of(sensors.begin(), sensors.end(),
                  [](const EnergySensor& sensor) { return sensor.info.counts_energy; });
  if (all_count) return;
  const int calls = calls_between_readings(call_s);
  for (const double start_s = now_s(); now_s() - start_s < rule.min_s;) run(calls);
}

EnergySampled sample_energy(EnergyMeter& meter, const EnergyRule& rule, double call_s,
                            const std::function<void(int calls)>& run,
                            const std::function<double()>& now_s) {
  const int calls = calls_between_readings(call_s);
  // The calls before the start and at the end of the sample may be long.
  const double longest_s = rule.min_s + rule.patience_s + 4.0 * call_s;
  const double first_s = now_s();
  EnergySample sample;
  double start_j = 0.0;
  double start_s = 0.0;
  double last_j = 0.0;
  int changes = -1;  // the first change starts the sample
  for (bool is_first = true;; is_first = false) {
    const SensorReading reading = meter.joules();
    if (const auto* why = std::get_if<std::string>(&reading)) return *why;
    const double joules = std::get<double>(reading);
    const double time_s = now_s();
    const bool changed = !is_first && (joules != last_j || meter.samples_power());
    last_j = joules;
    if (changed && ++changes == 0) {
      start_j = joules;
      start_s = time_s;
      sample.calls = 0;
    }
    sample.joules = joules - start_j;
    sample.seconds = time_s - start_s;
    const int enough = std::min(rule.min_changes, sample.calls / calls);
    if (changed && changes > 0 && changes >= enough && sample.seconds >= rule.min_s) {
      if (sample.joules > 0.0 || rule.is_idle) return sample;
      return "the sensors show no power while the device computes";
    }
    if (time_s - first_s > longest_s) {
      return fmt::format("the measured energy changed only {} times in {:.1f} s", changes + 1,
                         time_s - first_s);
    }
    run(calls);
    sample.calls += calls;
  }
}

}  // namespace tilewright

#include "tuner/energy/energy_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright {
namespace {

// At the start and the end of a sample, the counter is read after calls of about this time, which
// is therefore their uncertainty.
constexpr double kReadPeriod_s = 0.01;
// In between, readings take at most this part of the time, because the device is idle during a
// reading: NVML needs about 4 ms for one.
constexpr double kReadShare = 0.02;
constexpr int kMaxCallsPerReading = 1 << 20;

// The number of calls of `call_s` seconds that take about `period_s`, at least 1.
int calls_in(double period_s, double call_s) {
  if (!(call_s > 0.0)) return 1;
  return static_cast<int>(
      std::clamp(std::floor(period_s / call_s), 1.0, double{kMaxCallsPerReading}));
}

// A sample while it is taken.
class CurrentSample {
 public:
  explicit CurrentSample(const EnergyRule& rule) : rule_(rule) {}

  // Adds a reading, which began and ended at these times. `is_new`: it counts as a change even if
  // it is equal to the reading before.
  void add(double joules, double began_s, double ended_s, bool is_new);
  void add_calls(int calls) { sample_.calls += calls; }
  // True if the last reading completes the sample.
  bool is_complete() const {
    return changed_ && changes_ > 0 && changes_ >= std::floor(enough()) &&
           sample_.seconds >= rule_.min_s;
  }
  // Time until the next reading; 0 if the sample may start or end with it.
  double wait_s() const;
  int changes() const { return changes_ + 1; }
  const EnergySample& sample() const { return sample_; }

 private:
  // Minimum number of changes: no more than there can be with such pauses between readings.
  double enough() const {
    return std::min<double>(rule_.min_changes, sample_.seconds / longest_pause_s_);
  }

  const EnergyRule& rule_;
  EnergySample sample_;
  int changes_ = -1;  // the first change starts the sample
  bool changed_ = false;
  double start_j_ = 0.0;
  double start_s_ = 0.0;
  bool has_reading_ = false;
  double last_j_ = 0.0;
  double last_s_ = 0.0;
  double shortest_reading_s_ = std::numeric_limits<double>::infinity();
  double longest_pause_s_ = 0.0;
};

void CurrentSample::add(double joules, double began_s, double ended_s, bool is_new) {
  changed_ = has_reading_ && (joules != last_j_ || is_new);
  has_reading_ = true;
  last_j_ = joules;
  if (changed_ && ++changes_ == 0) {
    start_j_ = joules;
    start_s_ = last_s_ = ended_s;
    sample_.calls = 0;
  }
  shortest_reading_s_ = std::min(shortest_reading_s_, ended_s - began_s);
  if (changes_ >= 0) longest_pause_s_ = std::max(longest_pause_s_, ended_s - last_s_);
  last_s_ = ended_s;
  sample_.joules = joules - start_j_;
  sample_.seconds = ended_s - start_s_;
}

double CurrentSample::wait_s() const {
  if (changes_ < 0) return 0.0;
  const double rest_s = rule_.min_s - sample_.seconds;
  const double period_s = shortest_reading_s_ / kReadShare;
  if (rest_s > 0.0) return std::min(rest_s, period_s);
  return changes_ + 1 < enough() ? period_s : 0.0;
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
  const int calls = calls_in(kReadPeriod_s, call_s);
  for (const double start_s = now_s(); now_s() - start_s < rule.min_s;) run(calls);
}

EnergySampled sample_energy(EnergyMeter& meter, const EnergyRule& rule, double call_s,
                            const std::function<void(int calls)>& run,
                            const std::function<double()>& now_s) {
  const int fewest_calls = calls_in(kReadPeriod_s, call_s);
  // The calls before the start and at the end of the sample may be long.
  const double longest_s = rule.min_s + rule.patience_s + 4.0 * call_s;
  const double first_s = now_s();
  CurrentSample current(rule);
  while (true) {
    const double began_s = now_s();
    const SensorReading reading = meter.joules();
    if (const auto* why = std::get_if<std::string>(&reading)) return *why;
    const double ended_s = now_s();
    current.add(std::get<double>(reading), began_s, ended_s, meter.samples_power());
    if (current.is_complete()) {
      if (current.sample().joules > 0.0 || rule.is_idle) return current.sample();
      return "the sensors show no power while the device computes";
    }
    if (ended_s - first_s > longest_s) {
      return fmt::format("the measured energy changed only {} times in {:.1f} s", current.changes(),
                         ended_s - first_s);
    }
    const int calls = std::max(fewest_calls, calls_in(current.wait_s(), call_s));
    run(calls);
    current.add_calls(calls);
  }
}

}  // namespace tilewright

#include "tuner/energy/energy_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tilewright {
namespace {

// To find a change, the counter is read after calls of about this time, which is therefore the
// uncertainty of the start and the end of a sample,
constexpr double kReadPeriod_s = 0.01;
// or after calls of this many times the time of a reading, if that is longer: during a reading the
// device is idle.
constexpr double kTimesReading = 5.0;
constexpr int kMaxCallsPerReading = 1 << 20;
// Maximum time without a reading: counters restart at 0.
constexpr double kMaxPause_s = 60.0;

// The number of calls of `call_s` seconds that take about `period_s`, at least 1.
int calls_in(double period_s, double call_s) {
  if (!(call_s > 0.0)) return 1;
  return static_cast<int>(
      std::clamp(std::floor(period_s / call_s), 1.0, double{kMaxCallsPerReading}));
}

// Makes calls and reads the counter.
class Sampler {
 public:
  Sampler(EnergyMeter& meter, const EnergyRule& rule, double call_s,
          const std::function<void(int calls)>& run, const std::function<double()>& now_s)
      : meter_(meter), rule_(rule), call_s_(call_s), run_(run), now_s_(now_s), begin_s_(now_s()) {}

  EnergySampled sample();

 private:
  // These return a sentence if the counter cannot be read, or does not change any more.
  std::optional<std::string> read();
  std::optional<std::string> run_until_change();
  void run_for(double period_s);

  EnergyMeter& meter_;
  const EnergyRule& rule_;
  double call_s_;
  const std::function<void(int calls)>& run_;
  const std::function<double()>& now_s_;
  double begin_s_;
  int calls_ = 0;
  // The last reading: its result, its end and how long it took.
  double joules_ = 0.0;
  double read_s_ = 0.0;
  double reading_s_ = 0.0;
};

std::optional<std::string> Sampler::read() {
  const double began_s = now_s_();
  const SensorReading reading = meter_.joules();
  if (const auto* why = std::get_if<std::string>(&reading)) return *why;
  joules_ = std::get<double>(reading);
  read_s_ = now_s_();
  reading_s_ = read_s_ - began_s;
  return std::nullopt;
}

void Sampler::run_for(double period_s) {
  const int calls = calls_in(period_s, call_s_);
  run_(calls);
  calls_ += calls;
}

std::optional<std::string> Sampler::run_until_change() {
  // The calls before the start and at the end of the sample may be long.
  const double longest_s = rule_.min_s + rule_.patience_s + 4.0 * call_s_;
  if (auto why = read()) return why;
  while (true) {
    const double before_j = joules_;
    run_for(std::max(kReadPeriod_s, kTimesReading * reading_s_));
    if (auto why = read()) return why;
    if (joules_ != before_j || meter_.samples_power()) break;
    if (read_s_ - begin_s_ > longest_s) {
      return fmt::format("the measured energy does not change any more (measured for {:.1f} s)",
                         read_s_ - begin_s_);
    }
  }
  return std::nullopt;
}

EnergySampled Sampler::sample() {
  // Sensors of power may show averages of up to a second, so a sample must not start at the power
  // of an idle device.
  while (meter_.samples_power() && !rule_.is_idle && now_s_() - begin_s_ < rule_.min_s) {
    run_for(kReadPeriod_s);
  }
  if (auto why = run_until_change()) return *why;
  calls_ = 0;
  const double start_j = joules_;
  const double start_s = read_s_;
  while (now_s_() - start_s < rule_.min_s) {
    run_for(kReadPeriod_s);
    if (now_s_() - read_s_ < kMaxPause_s) continue;
    if (auto why = read()) return *why;
  }
  if (auto why = run_until_change()) return *why;
  if (joules_ <= start_j && !rule_.is_idle) {
    return "the sensors show no power while the device computes";
  }
  return EnergySample{joules_ - start_j, read_s_ - start_s, calls_};
}

}  // namespace

double expected_sample_s(const EnergyRule& rule, double call_s) {
  return 3.0 * rule.min_s + rule.patience_s / 10.0 + 4.0 * call_s;
}

EnergySampled sample_energy(EnergyMeter& meter, const EnergyRule& rule, double call_s,
                            const std::function<void(int calls)>& run,
                            const std::function<double()>& now_s) {
  return Sampler(meter, rule, call_s, run, now_s).sample();
}

}  // namespace tilewright

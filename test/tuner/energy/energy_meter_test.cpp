// Tests of the integration of power, and of samples of energy.
#include "tuner/energy/energy_meter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "catch.hpp"
#include "tuner/energy/energy_sample.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

EnergySensor made_up_sensor(bool counts_energy, std::function<SensorReading()> read) {
  EnergySensor sensor;
  sensor.info.name = "made up";
  sensor.info.counts_energy = counts_energy;
  sensor.read = std::move(read);
  return sensor;
}

TEST_CASE("constant power is integrated over the time") {
  std::atomic<int> readings = 0;
  const auto outer = Clock::now();
  EnergyMeter meter({made_up_sensor(false,
                                    [&]() -> SensorReading {
                                      ++readings;
                                      return 2.0;
                                    })},
                    std::chrono::milliseconds(1));
  const auto inner = Clock::now();
  while (readings < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double shortest = seconds_since(inner);
  const double joules = std::get<double>(meter.joules());
  CHECK(joules >= 2.0 * shortest);
  CHECK(joules <= 2.0 * seconds_since(outer));
}

TEST_CASE("the energy of several sensors is added up") {
  double first_j = 5.0;
  double second_j = 7.0;
  EnergyMeter meter({made_up_sensor(true, [&] { return SensorReading(first_j); }),
                     made_up_sensor(true, [&] { return SensorReading(second_j); })});
  first_j += 1.0;
  second_j += 2.0;
  CHECK(std::get<double>(meter.joules()) == Approx(3.0));
}

TEST_CASE("a power sensor that fails in the thread is reported by the next reading") {
  std::atomic<int> readings = 0;
  EnergyMeter meter({made_up_sensor(false,
                                    [&]() -> SensorReading {
                                      if (++readings > 2) return "it is gone";
                                      return 2.0;
                                    })},
                    std::chrono::milliseconds(1));
  while (readings < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_THAT(std::get<std::string>(meter.joules()), ContainsSubstring("it is gone"));
}

TEST_CASE("a sensor that fails at the start is reported") {
  EnergyMeter meter({made_up_sensor(true, [] { return SensorReading("it is gone"); })});
  CHECK_THAT(std::get<std::string>(meter.joules()), ContainsSubstring("it is gone"));
}

// A machine that draws 100 W during calls of 2 ms and 20 W during readings of its energy counter.
// The counter changes every `period_s`. The time passes only in calls and readings.
struct MadeUpMachine {
  double period_s;
  double call_s = 2e-3;
  double reading_s = 0.0;
  double wraps_at_j = 0.0;  // the counter restarts at 0 there; 0: never
  double now_s = 1000.0;
  double joules = 0.0;
  double counter = 0.0;

  void pass(double seconds, double watts) {
    const double end_s = now_s + seconds;
    const double last_change_s = period_s * std::floor(end_s / period_s);
    if (last_change_s > now_s) counter = joules + watts * (last_change_s - now_s);
    joules += watts * seconds;
    now_s = end_s;
  }
  EnergySampled sample(const EnergyRule& rule) {
    EnergySensor sensor = made_up_sensor(true, [this] {
      pass(reading_s, 20.0);
      return SensorReading(wraps_at_j > 0.0 ? std::fmod(counter, wraps_at_j) : counter);
    });
    sensor.wraps_at_j = wraps_at_j;
    EnergyMeter meter({sensor});
    return sample_with(meter, rule);
  }
  EnergySampled sample_with(EnergyMeter& meter, const EnergyRule& rule) {
    return sample_energy(
        meter, rule, call_s,
        [this](int calls) {
          for (int i = 0; i < calls; ++i) pass(call_s, 100.0);
        },
        [this] { return now_s; });
  }
};

TEST_CASE("a sample starts and ends at changes of the counter") {
  MadeUpMachine machine{0.1};
  machine.now_s = 1000.05;  // in the middle of a period of the counter
  const auto sample = std::get<EnergySample>(machine.sample({}));
  CHECK(sample.seconds >= 1.0);
  CHECK(sample.seconds < 1.2);
  CHECK(sample.calls == Approx(sample.seconds / machine.call_s).epsilon(1e-6));
  // Without regard to changes, the error could be a period at each end: 20 %.
  CHECK(sample.watts() == Approx(100.0).epsilon(0.02));
}

TEST_CASE("a sample ends with the first change after its minimum time") {
  MadeUpMachine machine{0.7};
  const auto sample = std::get<EnergySample>(machine.sample({}));
  CHECK(sample.seconds == Approx(1.4).epsilon(0.02));
  CHECK(sample.watts() == Approx(100.0).epsilon(0.02));
}

// In between, the device would be idle.
TEST_CASE("a counter that is slow to read is read only at the ends of a sample") {
  for (const double period_s : {0.02, 0.03, 0.07, 0.1, 0.12, 0.15, 0.19, 0.5}) {
    for (const double phase_s : {0.0, 0.013, 0.029, 0.051, 0.11}) {
      INFO("period " << period_s << " s, phase " << phase_s << " s");
      MadeUpMachine machine{period_s};
      machine.reading_s = 4e-3;
      machine.now_s += phase_s;
      const auto sample = std::get<EnergySample>(machine.sample({}));
      CHECK(sample.seconds >= 1.0);
      CHECK(sample.seconds <= 1.1 + period_s);
      CHECK(sample.watts() == Approx(97.5).epsilon(0.045));
      // Five sixths of the time in which the last change is awaited are calls.
      const double idle_s = sample.seconds - sample.calls * machine.call_s;
      CHECK(idle_s <= period_s / 6.0 + 0.03);
    }
  }
}

TEST_CASE("a sample has at least one call before the last change is awaited") {
  MadeUpMachine machine{0.1};
  machine.call_s = 1.7;
  const auto sample = std::get<EnergySample>(machine.sample({}));
  CHECK(sample.calls == 2);
  CHECK(sample.watts() == Approx(100.0).epsilon(0.05));
}

// The rule alone would give up after 21 s.
TEST_CASE("a call may take longer than a sample and the wait for a change of the counter") {
  for (const double period_s : {0.1, 50.0}) {
    INFO("period " << period_s << " s");
    MadeUpMachine machine{period_s};
    machine.call_s = 30.0;
    const auto sample = std::get<EnergySample>(machine.sample({}));
    CHECK(sample.calls == 2);
    CHECK(sample.seconds == Approx(60.0));
    // The last change may be up to a call before each end.
    CHECK(sample.watts() == Approx(100.0).epsilon(period_s / 200.0 + 0.01));
  }
}

TEST_CASE("a counter that restarts several times in a sample is continued") {
  for (const double call_s : {0.02, 7.0, 80.0}) {
    INFO("call " << call_s << " s");
    MadeUpMachine machine{0.1};
    machine.call_s = call_s;
    machine.wraps_at_j = 9e3;  // after 90 s
    const auto sample = std::get<EnergySample>(machine.sample({.min_s = 300.0}));
    CHECK(sample.seconds >= 300.0);
    CHECK(sample.watts() == Approx(100.0).epsilon(0.02));
  }
}

TEST_CASE("a counter that does not change gives no sample") {
  MadeUpMachine machine{1e6};
  CHECK_THAT(std::get<std::string>(machine.sample({})), ContainsSubstring("21.0 s"));
}

TEST_CASE("a rail that is off while the device is idle has a power of 0 W") {
  MadeUpMachine machine{1.0};
  EnergyMeter meter({made_up_sensor(false, [] { return SensorReading(0.0); })});
  const auto idle = std::get<EnergySample>(machine.sample_with(meter, {.is_idle = true}));
  CHECK(idle.joules == 0.0);
  CHECK(idle.seconds >= 1.0);
  CHECK(idle.seconds < 1.1);
  CHECK_THAT(std::get<std::string>(machine.sample_with(meter, {})), ContainsSubstring("no power"));
}

TEST_CASE("only sensors of power need a warm-up") {
  const auto seconds_before = [](MadeUpMachine& machine, const EnergySampled& sampled) {
    return machine.now_s - 1000.0 - std::get<EnergySample>(sampled).seconds;
  };
  MadeUpMachine counted{0.1};
  CHECK(seconds_before(counted, counted.sample({})) < 0.2);
  MadeUpMachine sampled{0.1};
  EnergyMeter watts({made_up_sensor(false, [] { return SensorReading(1.0); })});
  CHECK(seconds_before(sampled, sampled.sample_with(watts, {})) == Approx(1.0).epsilon(0.05));
}

}  // namespace
}  // namespace tilewright

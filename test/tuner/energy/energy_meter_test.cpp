// Tests of the integration of power, and of samples of energy.
#include "tuner/energy/energy_meter.hpp"

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
  CHECK(std::get<std::string>(meter.joules()) ==
        "the sensor made up cannot be read any more: it is gone");
}

TEST_CASE("a sensor that fails at the start is reported") {
  EnergyMeter meter({made_up_sensor(true, [] { return SensorReading("it is gone"); })});
  CHECK_THAT(std::get<std::string>(meter.joules()), ContainsSubstring("it is gone"));
}

// A machine that draws 100 W while it runs calls of 2 ms and 20 W while the counter is read, which
// changes every `period_s`. The time passes only in calls and readings.
struct MadeUpMachine {
  double period_s;
  double call_s = 2e-3;
  double reading_s = 0.0;
  double now_s = 1000.0;
  double joules = 0.0;
  double counter = 0.0;

  void pass(double seconds, double watts) {
    const double next_s = period_s * (std::floor(now_s / period_s) + 1.0);
    const double until_change = std::min(seconds, next_s - now_s);
    if (seconds >= until_change && now_s + seconds >= next_s)
      counter = joules + watts * until_change;
    now_s += seconds;
    joules += watts * seconds;
  }
  EnergySampled sample(const EnergyRule& rule) {
    EnergyMeter meter({made_up_sensor(true, [this] {
      pass(reading_s, 20.0);
      return SensorReading(counter);
    })});
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

TEST_CASE("a slow counter makes the sample longer") {
  MadeUpMachine machine{0.5};
  const auto sample = std::get<EnergySample>(machine.sample({}));
  CHECK(sample.seconds >= 4.9);
  CHECK(sample.watts() == Approx(100.0).epsilon(0.02));
}

TEST_CASE("slow readings, during which the device is idle, take little of a sample") {
  for (const double period_s : {0.02, 0.1, 0.5}) {
    MadeUpMachine machine{period_s};
    machine.reading_s = 4e-3;
    const auto sample = std::get<EnergySample>(machine.sample({}));
    CHECK(sample.seconds >= 1.0);
    CHECK(sample.seconds <= 10.0 * period_s + 1.2);
    CHECK(sample.watts() == Approx(100.0).epsilon(0.04));
    CHECK(sample.calls * machine.call_s == Approx(sample.seconds).epsilon(0.04));
  }
}

TEST_CASE("calls that take longer than the counter's period need no ten changes") {
  MadeUpMachine machine{0.1};
  machine.call_s = 0.7;
  const auto sample = std::get<EnergySample>(machine.sample({}));
  CHECK(sample.calls == 2);
  CHECK(sample.watts() == Approx(100.0).epsilon(0.15));
}

TEST_CASE("a counter that does not change gives no sample") {
  MadeUpMachine machine{1e6};
  CHECK_THAT(std::get<std::string>(machine.sample({})),
             ContainsSubstring("the measured energy changed only 0 times in 21.0 s"));
}

TEST_CASE("a rail that is off while the device is idle has a power of 0 W") {
  MadeUpMachine machine{1.0};
  EnergyMeter meter({made_up_sensor(false, [] { return SensorReading(0.0); })});
  const auto idle = std::get<EnergySample>(machine.sample_with(meter, {.is_idle = true}));
  CHECK(idle.joules == 0.0);
  CHECK(idle.seconds >= 1.0);
  CHECK(idle.seconds < 1.1);
  CHECK(std::get<std::string>(machine.sample_with(meter, {})) ==
        "the sensors show no power while the device computes");
}

// The time passes only in calls.
TEST_CASE("only sensors of power need a warm-up") {
  for (const bool counts_energy : {true, false}) {
    MadeUpMachine machine{0.1};
    EnergySensor sensor = made_up_sensor(counts_energy, [] { return SensorReading(1.0); });
    warm_up_sensors(
        {sensor}, {}, machine.call_s, [&](int calls) { machine.now_s += calls * machine.call_s; },
        [&] { return machine.now_s; });
    CHECK(machine.now_s - 1000.0 == Approx(counts_energy ? 0.0 : 1.0).epsilon(0.02));
  }
}

}  // namespace
}  // namespace tilewright

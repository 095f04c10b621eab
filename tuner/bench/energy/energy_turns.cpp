#include "tuner/bench/energy/energy_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kIdleCall{5};

// The time that the supervisor should expect for a sample.
double expected_s(const EnergyRule& rule, double call_s) {
  return 3.0 * rule.min_s + rule.patience_s / 10.0 + 2.0 * call_s;
}

}  // namespace

EnergyTurns::EnergyTurns(SensorChoice choice, const EnergyRule& rule)
    : sensors_(std::move(choice.sensors)), rule_(rule) {
  conditions_.is_asked = true;
  conditions_.missing = std::move(choice.missing);
  conditions_.sample_s = rule.min_s;
  for (const EnergySensor& sensor : sensors_) conditions_.sensors.push_back(sensor.info);
}

void EnergyTurns::measure_idle(const Announce& announce) {
  const double call_s = std::chrono::duration<double>(kIdleCall).count();
  for (int round = 0; round < kEnergyRounds && conditions_.missing.empty(); ++round) {
    announce({WorkerActivityKind::kStart, "the idle power", expected_s(rule_, call_s)});
    EnergyMeter meter(sensors_);
    const EnergySampled sampled = sample_energy(
        meter, rule_, call_s, [](int calls) { std::this_thread::sleep_for(calls * kIdleCall); },
        steady_now_s);
    if (const auto* sample = std::get_if<EnergySample>(&sampled)) {
      conditions_.idle_w.push_back(sample->watts());
    } else {
      conditions_.missing = std::get<std::string>(sampled);
    }
  }
}

// Sensors of power may show averages of up to a second, so a sample must not start at idle power.
void EnergyTurns::warm_up_sensors(double call_s, const std::function<void(int calls)>& run) const {
  const bool count_energy =
      std::all_of(sensors_.begin(), sensors_.end(),
                  [](const EnergySensor& sensor) { return sensor.info.counts_energy; });
  if (count_energy) return;
  const int calls = calls_between_readings(call_s);
  for (const double start_s = steady_now_s(); steady_now_s() - start_s < rule_.min_s;) run(calls);
}

bool EnergyTurns::sample(const BenchItem& item, IdleWait& idle, const Announce& announce,
                         BenchFigure& figure) {
  const double call_s = 1e-9 * figure.ns().median;
  idle.wait();
  announce({WorkerActivityKind::kLaunch, item.what, expected_s(rule_, call_s), item.kernel});
  item.warm_up();
  warm_up_sensors(call_s, [&](int calls) { item.time_runs(calls); });
  EnergyMeter meter(sensors_);
  const EnergySampled sampled = sample_energy(
      meter, rule_, call_s, [&](int calls) { item.time_runs(calls); }, steady_now_s);
  if (const auto* why = std::get_if<std::string>(&sampled)) {
    conditions_.missing = *why;
    return false;
  }
  const auto& sample = std::get<EnergySample>(sampled);
  figure.samples_j.push_back(sample.joules / sample.calls);
  figure.samples_w.push_back(sample.watts());
  return true;
}

void EnergyTurns::measure(const std::vector<BenchItem>& items, std::mt19937_64& random,
                          const Announce& announce, std::vector<BenchFigure>& figures) {
  if (!conditions_.missing.empty()) return;
  std::vector<pid_t> processes;
  for (const BenchItem& item : items) {
    if (item.process != 0) processes.push_back(item.process);
  }
  IdleWait idle(std::move(processes));
  Turns turns(items.size(), {.min = kEnergyRounds, .max = kEnergyRounds}, random);
  while (const std::optional<std::size_t> i = turns.next()) {
    BenchFigure& figure = figures[*i];
    if (!figure.is_measured() || figure.work == 0.0) {
      turns.leave();
    } else if (!sample(items[*i], idle, announce, figure)) {
      // Medians of fewer rounds than announced would not be comparable.
      for (BenchFigure& each : figures) {
        each.samples_j.clear();
        each.samples_w.clear();
      }
      return;
    }
  }
}

}  // namespace tilewright

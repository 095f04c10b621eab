#include "tuner/bench/energy/energy_turns.hpp"

#include <chrono>
#include <thread>

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kIdleCall{5};

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
  EnergyRule rule = rule_;
  rule.is_idle = true;
  for (int round = 0; round < kEnergyRounds && conditions_.missing.empty(); ++round) {
    announce({WorkerActivityKind::kStart, "the idle power", expected_sample_s(rule, call_s)});
    EnergyMeter meter(sensors_);
    const EnergySampled sampled = sample_energy(
        meter, rule, call_s, [](int calls) { std::this_thread::sleep_for(calls * kIdleCall); },
        steady_now_s);
    if (const auto* sample = std::get_if<EnergySample>(&sampled)) {
      conditions_.idle_w.push_back(sample->watts());
    } else {
      conditions_.missing = std::get<std::string>(sampled);
    }
  }
}

bool EnergyTurns::sample(const BenchItem& item, IdleWait& idle, const Announce& announce,
                         BenchFigure& figure) {
  const double call_s = 1e-9 * figure.ns().median;
  idle.wait();
  announce({WorkerActivityKind::kLaunch, item.what, expected_sample_s(rule_, call_s), item.kernel});
  item.warm_up();
  const auto run = [&](int calls) { item.time_runs(calls); };
  warm_up_sensors(sensors_, rule_, call_s, run, steady_now_s);
  EnergyMeter meter(sensors_);
  const EnergySampled sampled = sample_energy(meter, rule_, call_s, run, steady_now_s);
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

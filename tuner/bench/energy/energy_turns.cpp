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

std::optional<EnergySample> EnergyTurns::sample(const EnergyRule& rule, double call_s,
                                                const std::function<void(int calls)>& run) {
  EnergyMeter meter(sensors_);
  const EnergySampled sampled = sample_energy(meter, rule, call_s, run, steady_now_s);
  if (const auto* sample = std::get_if<EnergySample>(&sampled)) return *sample;
  conditions_.missing = std::get<std::string>(sampled);
  return std::nullopt;
}

void EnergyTurns::measure_idle(const Announce& announce) {
  const double call_s = std::chrono::duration<double>(kIdleCall).count();
  EnergyRule rule = rule_;
  rule.is_idle = true;
  for (int round = 0; round < kEnergyRounds && conditions_.missing.empty(); ++round) {
    announce({WorkerActivityKind::kStart, "the idle power", expected_sample_s(rule, call_s)});
    const auto sleep = [](int calls) { std::this_thread::sleep_for(calls * kIdleCall); };
    if (const auto idle = sample(rule, call_s, sleep)) conditions_.idle_w.push_back(idle->watts());
  }
}

void EnergyTurns::measure(const std::vector<BenchItem>& items, std::mt19937_64& random,
                          const Announce& announce, std::vector<BenchFigure>& figures) {
  std::vector<pid_t> processes;
  for (const BenchItem& item : items) {
    if (item.process != 0) processes.push_back(item.process);
  }
  IdleWait idle(std::move(processes));
  const Rounds rounds{.min = kEnergyRounds, .max = kEnergyRounds};
  take_turns(items.size(), rounds, random, [&](std::size_t i) {
    const BenchItem& item = items[i];
    BenchFigure& figure = figures[i];
    if (!conditions_.missing.empty() || !figure.is_measured() || figure.work == 0.0) return false;
    const double call_s = 1e-9 * figure.ns().median;
    idle.wait();
    announce(
        {WorkerActivityKind::kLaunch, item.what, expected_sample_s(rule_, call_s), item.kernel});
    item.warm_up();
    const auto taken = sample(rule_, call_s, [&](int calls) { item.time_runs(calls); });
    if (!taken) return false;
    figure.samples_j.push_back(taken->joules / taken->calls);
    figure.samples_w.push_back(taken->watts());
    return true;
  });
  if (conditions_.missing.empty()) return;
  // Medians of fewer rounds than announced would not be comparable.
  for (BenchFigure& figure : figures) {
    figure.samples_j.clear();
    figure.samples_w.clear();
  }
}

}  // namespace tilewright

#include "tuner/bench/bench_energy.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

constexpr std::chrono::milliseconds kIdleCall{5};

std::string energy_spread(const Summary& summary) {
  return fmt::format("{:.4g} ({:.4g}-{:.4g})", summary.median, summary.low, summary.high);
}

// Such as "5.03 (4.97-5.09) mJ": a small product needs microjoules.
std::string joules_text(const Summary& joules) {
  const double scale = joules.median < 1e-3 ? 1e6 : joules.median < 1.0 ? 1e3 : 1.0;
  const char* const unit = joules.median < 1e-3 ? "uJ" : joules.median < 1.0 ? "mJ" : "J";
  return fmt::format("{:.4g} ({:.4g}-{:.4g}) {}", scale * joules.median, scale * joules.low,
                     scale * joules.high, unit);
}

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

std::string energy_rows(const BenchResult& result) {
  std::string text;
  for (const BenchFigure& figure : result.figures) {
    if (figure.samples_j.empty()) continue;
    text += fmt::format("  energy: {} W, {}, {} GFLOPS/W  {}\n", energy_spread(figure.watts()),
                        joules_text(figure.joules()), energy_spread(figure.gflops_per_watt()),
                        printable(figure.name));
  }
  return text;
}

std::string energy_footer(const BenchEnergy& energy) {
  if (!energy.is_asked) return "";
  std::string text;
  for (const SensorInfo& sensor : energy.sensors) {
    text += fmt::format("energy sensor: {}, {}; covers {}\n", printable(sensor.name),
                        sensor.counts_energy ? "energy counter" : "power, sampled and integrated",
                        printable(sensor.covers));
  }
  if (!energy.idle_w.empty()) {
    text += fmt::format("idle power: {} W, before the first product; it is not subtracted\n",
                        energy_spread(summarize(energy.idle_w)));
  }
  if (!energy.missing.empty()) {
    return text + fmt::format("energy is not measured: {}\n", printable(energy.missing));
  }
  return text + fmt::format(
                    "energy: median (10th-90th percentile) of {} samples; each repeats the call "
                    "for at least {:g} s and ten changes of the counter\n",
                    kEnergyRounds, energy.sample_s);
}

std::string energy_estimate(std::size_t num_products, std::size_t num_competitors, double sample_s,
                            bool all_plans) {
  const double item_s = kEnergyRounds * sample_s;
  const std::size_t num_items = num_products * num_competitors;
  return fmt::format(
      "measuring energy takes about {:g} s or longer, if a sensor covers the device: {} samples of "
      "{:g} s of the idle power and for each product and competitor ({} x {}){}",
      item_s * static_cast<double>(1 + num_items), kEnergyRounds, sample_s, num_products,
      num_competitors, all_plans ? fmt::format("; {:g} s more for each further plan", item_s) : "");
}

}  // namespace tilewright

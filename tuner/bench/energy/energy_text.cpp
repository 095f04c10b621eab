#include "tuner/bench/energy/energy_text.hpp"

#include <fmt/format.h>

#include "profiles/base/printable.hpp"
#include "tuner/bench/energy/energy_turns.hpp"

namespace tilewright {
namespace {

std::string spread(const Summary& summary) {
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

std::string energy_rows(const BenchResult& result) {
  std::string text;
  for (const BenchFigure& figure : result.figures) {
    if (figure.samples_j.empty()) continue;
    text += fmt::format("  energy: {} W, {}, {} GFLOPS/W  {}\n", spread(figure.watts()),
                        joules_text(figure.joules()), spread(figure.gflops_per_watt()),
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
                        spread(summarize(energy.idle_w)));
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

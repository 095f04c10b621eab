#include "tuner/bench/bench_report.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>

#include "profiles/profile_text.hpp"
#include "profiles/version.hpp"
#include "runtime/device/environment.hpp"
#include "tuner/journal/records/shares.hpp"

namespace tilewright {
namespace {

// Variables of OpenBLAS, OpenMP, PoCL and Mesa's rusticl.
constexpr const char* kSpeedVariables[] = {
    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS",   "OPENBLAS_THREAD_TIMEOUT", "OMP_NUM_THREADS",
    "POCL_AFFINITY",     "POCL_MAX_PTHREAD_COUNT", "RUSTICL_ENABLE"};

std::vector<std::string> speed_variables() {
  std::vector<std::string> set;
  for (const char* name : kSpeedVariables) {
    const std::string value = environment(name);
    if (!value.empty()) set.push_back(fmt::format("{}={}", name, value));
  }
  return set;
}

// Returns the current conditions of this process.
BenchConditions current_conditions(const DeviceIdentity& device, const std::string& command) {
  return {device.name,
          device.processor,
          device.platform,
          device.driver,
          kVersion,
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now())),
          command,
          speed_variables()};
}

}  // namespace

const char* to_text(FigureKind kind) {
  constexpr const char* kNames[] = {"tilewright", "competitor", "plan",
                                    "step",       "kernel",     "launch_floor"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* to_text(BenchKind kind) {
  constexpr const char* kNames[] = {"products", "network", "points"};
  return kNames[static_cast<std::size_t>(kind)];
}

Summary BenchFigure::ns() const {
  return is_measured() ? summarize(samples_ns) : Summary{};
}

Summary BenchFigure::rate() const {
  std::vector<double> rates = samples_ns;
  for (double& sample : rates) sample = work / sample;
  return rates.empty() ? Summary{} : summarize(rates);
}

Summary BenchFigure::joules() const {
  return samples_j.empty() ? Summary{} : summarize(samples_j);
}

Summary BenchFigure::watts() const {
  return samples_w.empty() ? Summary{} : summarize(samples_w);
}

Summary BenchFigure::gflops_per_watt() const {
  std::vector<double> efficiencies = samples_j;
  for (double& sample : efficiencies) sample = 1e-9 * work / sample;
  return efficiencies.empty() ? Summary{} : summarize(efficiencies);
}

const BenchFigure& BenchResult::figure(FigureKind kind, const std::string& name) const {
  static const BenchFigure none;
  const auto found = std::find_if(figures.begin(), figures.end(), [&](const BenchFigure& figure) {
    return figure.kind == kind && (name.empty() || figure.name == name);
  });
  return found == figures.end() ? none : *found;
}

std::vector<const BenchFigure*> BenchResult::all(FigureKind kind) const {
  std::vector<const BenchFigure*> all;
  for (const BenchFigure& figure : figures) {
    if (figure.kind == kind) all.push_back(&figure);
  }
  return all;
}

std::optional<double> BenchResult::launch_share() const {
  const Summary own = figure(FigureKind::kOwn).ns();
  const Summary floor = figure(FigureKind::kLaunchFloor).ns();
  if (own.samples == 0 || floor.samples == 0) return std::nullopt;
  return tilewright::launch_share(floor.median, own.median);
}

std::optional<double> BenchResult::ratio(const std::string& competitor) const {
  const Summary own = figure(FigureKind::kOwn).ns();
  const Summary other = figure(FigureKind::kCompetitor, competitor).ns();
  if (own.samples == 0 || other.samples == 0) return std::nullopt;
  return speed_ratio(own.median, other.median);
}

DeviceRates BenchReport::raised_rates() const {
  DeviceRates raised = rates;
  if (kind != BenchKind::kProducts) return raised;
  for (const BenchResult& result : results) {
    raise_peak(raised, result.figure(FigureKind::kOwn).rate().median, precision);
  }
  return raised;
}

// Networks do not use kernels that accumulate in half precision.
Precision BenchReport::arithmetic() const {
  return kind == BenchKind::kNetwork ? sum_precision(precision) : precision;
}

double BenchReport::peak_gflops() const {
  return product_peak(raised_rates(), arithmetic());
}

BenchReport begin_report(BenchKind kind, const DeviceIdentity& device, const FoundProfile& found,
                         const std::string& command) {
  BenchReport report;
  report.kind = kind;
  report.conditions = current_conditions(device, command);
  if (kind == BenchKind::kPoints) return report;
  report.profile = origin_text(found);
  report.profile_digest = compute_digest(found.profile);
  report.rates = found.profile.rates;
  return report;
}

}  // namespace tilewright

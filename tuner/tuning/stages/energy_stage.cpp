#include "tuner/tuning/stages/energy_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <variant>
#include <vector>

#include "profiles/base/usage_error.hpp"
#include "tuner/energy/energy_sensor.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

constexpr int kRounds = 3;
// A slower plan would have to draw this much less power to need less energy.
constexpr double kMaxSlowdownOfBest = 1.25;
// Time of a sample beyond its minimum: the search for its start and end, and loading the kernel.
constexpr double kSampleOverhead = 1.2;
constexpr double kSampleOverhead_s = 0.2;

// Returns the finalists that may be best on a shape, for any op.
std::set<std::size_t> contenders(const Standings& standings, const GemmShape& shape) {
  std::set<std::size_t> finalists;
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    if (standings.problems[problem].shape != shape) continue;
    const TimesOfPlans& times = standings.times[problem];
    const std::optional<std::size_t> best = fastest_plan(times);
    for (std::size_t plan = 0; plan < times.size(); ++plan) {
      if (!times[plan]) continue;
      const bool is_near = times[plan]->survives &&
                           times[plan]->total_ns() <= kMaxSlowdownOfBest * times[*best]->total_ns();
      if (is_near || standings.is_baseline(plan)) {
        finalists.insert(standings.lineup.plans[plan].finalist);
      }
    }
  }
  return finalists;
}

int num_rounds(const JournalContents& contents, const GemmShape& shape) {
  return static_cast<int>(std::count_if(contents.energy_rounds.begin(),
                                        contents.energy_rounds.end(),
                                        [&](const Round& round) { return round.shape == shape; }));
}

MeasureRequest energy_request(const JournalContents& contents, const TuneOptions& options,
                              const MeasureOptions& measure, const GemmShape& shape,
                              const std::vector<std::size_t>& finalists) {
  MeasureRequest request;
  for (const std::size_t finalist : finalists) {
    request.kernels.push_back({contents.lineup->finalists[finalist]});
  }
  request.shapes = {shape};
  request.verify = false;
  request.is_new = false;
  request.options = measure;
  request.options.samples = 1;
  request.energy_s = options.energy_sample_s;
  request.sensors = options.sensors;
  return request;
}

}  // namespace

std::string require_sensors(DeviceWorker& worker, const TuneOptions& options) {
  const auto asked = worker.ask(
      [&] {
        return nlohmann::json{{"do", "sensors"}, {"names", options.sensors}};
      },
      [](const WorkerLost&) { return false; });
  if (std::holds_alternative<Stopped>(asked)) {
    throw StoppedBeforeWork("stopped before the energy sensors were known");
  }
  const auto& answer = std::get<WorkerAnswer>(asked);
  if (const auto* lost = std::get_if<WorkerLost>(&answer)) {
    throw std::runtime_error(
        fmt::format("the measuring process {} while it looked for energy sensors", lost->how));
  }
  const auto& reply = std::get<nlohmann::json>(answer);
  const std::string missing = reply.at("missing").get<std::string>();
  if (!missing.empty()) {
    throw UsageError(fmt::format("--objective {}: {}", to_text(options.objective), missing));
  }
  std::vector<std::string> names;
  for (const SensorInfo& sensor : reply.at("sensors").get<std::vector<SensorInfo>>()) {
    names.push_back(fmt::format("{} (covers {})", sensor.name, sensor.covers));
  }
  return fmt::format("the finals are decided by {}, measured with {}", to_text(options.objective),
                     fmt::join(names, ", "));
}

bool measure_energy(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                    const MeasureOptions& measure, TuneProgress& progress, double until_s) {
  const JournalContents& contents = record.contents();
  if (options.objective == Objective::kTime || !contents.lineup || contents.rounds.empty()) {
    return true;
  }
  progress.stage("energy of the finalists");
  const Standings standings = tilewright::standings(contents);
  for (int round = 0; round < kRounds; ++round) {
    for (const GemmShape& shape : contents.header.shapes) {
      if (num_rounds(contents, shape) > round) continue;
      const std::set<std::size_t> chosen = contenders(standings, shape);
      const std::vector<std::size_t> finalists(chosen.begin(), chosen.end());
      if (finalists.empty()) continue;
      const double sample_s = kSampleOverhead * options.energy_sample_s + kSampleOverhead_s;
      if (record.now_s() + sample_s * static_cast<double>(finalists.size()) > until_s) continue;
      const auto reply =
          worker.measure(energy_request(contents, options, measure, shape, finalists));
      if (std::holds_alternative<Stopped>(reply) || StopSignal::requested()) return false;
      if (std::holds_alternative<OutOfTime>(reply)) return true;
      Round measured{.round = round, .shape = shape};
      std::string failure;
      for (const auto& [kernel, outcome] : std::get<Outcomes>(reply)) {
        if (outcome.result != OutcomeClass::kOk) continue;
        const ShapeSamples& samples = outcome.shapes.at(0);
        if (!samples.joules.empty()) measured.joules[finalists.at(kernel)] = samples.joules[0];
        if (!samples.no_energy.empty()) failure = samples.no_energy;
      }
      if (!measured.joules.empty()) record.append(std::move(measured));
      if (!failure.empty()) {
        progress.note("energy is not measured any more: " + failure);
        return true;
      }
    }
  }
  record.append_time_spent(kOnFinals);
  return true;
}

}  // namespace tilewright

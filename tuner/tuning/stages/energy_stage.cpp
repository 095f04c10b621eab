#include "tuner/tuning/stages/energy_stage.hpp"

#include <fmt/ranges.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "profiles/base/usage_error.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/objective_costs.hpp"

namespace tilewright {
namespace {

// Time of a sample beyond its minimum: the search for its start and end, and loading the kernel.
constexpr double kSampleOverhead = 1.2;
constexpr double kSampleOverhead_s = 0.2;

MeasureRequest energy_request(const JournalContents& contents, const TuneOptions& options,
                              const MeasureOptions& measure, const GemmShape& shape,
                              const Contenders& contenders) {
  MeasureRequest request;
  for (const auto& [finalist, expected_ns] : contenders) {
    request.kernels.push_back({contents.lineup->finalists[finalist], "", expected_ns});
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

std::vector<SensorInfo> require_sensors(DeviceWorker& worker, const TuneOptions& options) {
  if (options.objective == Objective::kTime) return {};
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
    throw UsageError(fmt::format("--objective {}: {}; `tilewright doctor` lists all sensors",
                                 to_text(options.objective), missing));
  }
  return reply.at("sensors").get<std::vector<SensorInfo>>();
}

EnergyStage::EnergyStage(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                         const MeasureOptions& measure, TuneProgress& progress)
    : worker_(worker),
      journal_(record),
      options_(options),
      measure_(measure),
      progress_(progress),
      sample_s_(kSampleOverhead * options.energy_sample_s + kSampleOverhead_s) {}

EnergyStage::End EnergyStage::measure_on(const GemmShape& shape, const EnergyContenders& contenders,
                                         int round, double until_s) {
  const Contenders missing = contenders.missing(shape, round);
  if (missing.empty()) return End::kDone;
  const auto num_samples = static_cast<double>(missing.size());
  const double start_s = journal_.now_s();
  if (start_s + sample_s_ * num_samples > until_s) return End::kDone;
  const auto reply =
      worker_.measure(energy_request(journal_.contents(), options_, measure_, shape, missing));
  if (std::holds_alternative<Stopped>(reply) || StopSignal::requested()) return End::kStopped;
  if (std::holds_alternative<OutOfTime>(reply)) return End::kOver;
  // A kernel that hangs, or crashes the worker, takes much longer than a sample.
  if (!worker_.lost_process()) sample_s_ = (journal_.now_s() - start_s) / num_samples;
  Round measured{.round = round, .shape = shape};
  for (const auto& [kernel, outcome] : std::get<Outcomes>(reply)) {
    const std::size_t finalist =
        std::next(missing.begin(), static_cast<std::ptrdiff_t>(kernel))->first;
    if (auto failure = failure_of_finalist(outcome)) {
      measured.failures[finalist] = *failure;
      continue;
    }
    if (outcome.shapes.empty()) continue;
    // The energy of a slow kernel counts, too.
    const ShapeSamples& samples = outcome.shapes[0];
    if (!samples.joules.empty()) measured.joules[finalist] = samples.joules[0];
    if (!samples.no_energy.empty()) sensor_failure_ = samples.no_energy;
  }
  if (!measured.joules.empty() || !measured.failures.empty()) {
    journal_.append(std::move(measured));
  }
  return sensor_failure_.empty() ? End::kDone : End::kOver;
}

EnergyStage::End EnergyStage::measure_all(double until_s) {
  const JournalContents& contents = journal_.contents();
  const auto num_results = [&] {
    return contents.energy_rounds.size() + contents.finalist_failures.size();
  };
  int round = 0;
  while (true) {
    // After a round, there may be contenders without any sample.
    const EnergyContenders contenders(contents);
    while (round < kEnergySamples && !contenders.lack_samples(round)) ++round;
    if (round == kEnergySamples) return End::kDone;
    const std::size_t before = num_results();
    for (const GemmShape& shape : contents.header.shapes) {
      const End end = measure_on(shape, contenders, round, until_s);
      if (end != End::kDone) return end;
    }
    // Where the time is too short for the samples of this round, it may do for those of the next.
    round = num_results() == before ? round + 1 : 0;
  }
}

bool EnergyStage::run(double until_s) {
  const JournalContents& contents = journal_.contents();
  if (options_.objective == Objective::kTime || !contents.lineup || contents.rounds.empty() ||
      !sensor_failure_.empty()) {
    return true;
  }
  progress_.stage("energy of the finalists");
  const End end = measure_all(until_s);
  if (!sensor_failure_.empty()) {
    progress_.note("energy is not measured any further: " + sensor_failure_);
  }
  journal_.append_time_spent(kOnEnergy);
  return end != End::kStopped;
}

double EnergyStage::needed_s() const {
  if (options_.objective == Objective::kTime) return 0.0;
  return sample_s_ * kEnergySamples * static_cast<double>(num_contenders(journal_.contents()));
}

}  // namespace tilewright

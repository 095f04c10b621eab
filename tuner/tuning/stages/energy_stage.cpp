#include "tuner/tuning/stages/energy_stage.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>

#include "profiles/base/usage_error.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/objective_costs.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// A slower plan would have to draw this much less power to need less energy.
constexpr double kMaxSlowdown = 1.25;
constexpr std::size_t kMaxPlans = 4;  // per op and shape, without the one of the baseline
// Time of a sample beyond its minimum: the search for its start and end, and loading the kernel.
constexpr double kSampleOverhead = 1.2;
constexpr double kSampleOverhead_s = 0.2;

// Adds the finalists that may be best on a problem, and `built_in`, which runs without the profile.
void add_contenders(const Standings& standings, std::size_t problem,
                    const std::optional<KernelId>& built_in, std::set<std::size_t>& finalists) {
  const TimesOfPlans& times = standings.times[problem];
  std::vector<std::size_t> plans;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (!times[plan]) continue;
    plans.push_back(plan);
    if (standings.kernel(plan) == built_in) {
      finalists.insert(standings.lineup.plans[plan].finalist);
    }
  }
  std::ranges::stable_sort(plans, {}, [&](std::size_t plan) { return times[plan]->total_ns(); });
  for (std::size_t i = 0; i < std::min(kMaxPlans, plans.size()); ++i) {
    if (times[plans[i]]->total_ns() > kMaxSlowdown * times[plans[0]]->total_ns()) break;
    finalists.insert(standings.lineup.plans[plans[i]].finalist);
  }
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

// Measures the energy of the finalists that may be best.
class EnergyRounds {
 public:
  EnergyRounds(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
               const MeasureOptions& measure, double until_s)
      : worker_(worker),
        journal_(record),
        options_(options),
        measure_(measure),
        until_s_(until_s),
        sample_s_(kSampleOverhead * options.energy_sample_s + kSampleOverhead_s),
        standings_(standings(record.contents())),
        baseline_(record.contents().header) {}

  enum class End { kDone, kStopped, kTime };
  // Takes one sample of each finalist that has at most `round` of them. Leaves it out if there is
  // not enough time.
  End measure_on(const GemmShape& shape, int round);
  // Why a sensor failed; "": none did.
  const std::string& failure() const { return failure_; }

 private:
  // The finalists that may be best for one of the ops, and what runs without the profile.
  std::set<std::size_t> contenders(const GemmShape& shape) const;
  std::vector<std::size_t> missing_finalists(const GemmShape& shape, int round) const;

  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const MeasureOptions& measure_;
  double until_s_;
  double sample_s_;      // time of one sample: expected at first, then that of the last ones
  Standings standings_;  // after the finals
  Baseline baseline_;
  std::string failure_;
};

std::set<std::size_t> EnergyRounds::contenders(const GemmShape& shape) const {
  std::set<std::size_t> finalists;
  for (std::size_t i = 0; i < standings_.problems.size(); ++i) {
    const Standings::Problem& problem = standings_.problems[i];
    if (problem.shape != shape) continue;
    const auto built_in =
        baseline_.first_that_works(journal_.contents().outcomes, problem.op, shape);
    add_contenders(standings_, i, built_in, finalists);
  }
  return finalists;
}

std::vector<std::size_t> EnergyRounds::missing_finalists(const GemmShape& shape, int round) const {
  const JournalContents& contents = journal_.contents();
  const auto known = joules_on(contents, shape);
  std::vector<std::size_t> missing;
  for (const std::size_t finalist : contenders(shape)) {
    const auto samples = known.find(finalist);
    const bool has_sample =
        samples != known.end() && std::cmp_greater(samples->second.size(), round);
    if (!has_sample && !contents.finalist_failures.contains(finalist)) missing.push_back(finalist);
  }
  return missing;
}

EnergyRounds::End EnergyRounds::measure_on(const GemmShape& shape, int round) {
  const std::vector<std::size_t> finalists = missing_finalists(shape, round);
  if (finalists.empty()) return End::kDone;
  const auto num_samples = static_cast<double>(finalists.size());
  const double start_s = journal_.now_s();
  if (start_s + sample_s_ * num_samples > until_s_) return End::kDone;
  const auto reply =
      worker_.measure(energy_request(journal_.contents(), options_, measure_, shape, finalists));
  if (std::holds_alternative<Stopped>(reply) || StopSignal::requested()) return End::kStopped;
  if (std::holds_alternative<OutOfTime>(reply)) return End::kTime;
  sample_s_ = (journal_.now_s() - start_s) / num_samples;
  Round measured{.round = round, .shape = shape};
  for (const auto& [kernel, outcome] : std::get<Outcomes>(reply)) {
    const std::size_t finalist = finalists.at(kernel);
    if (outcome.result != OutcomeClass::kOk) {
      measured.failures[finalist] = fmt::format("{}: {}", to_text(outcome.result), outcome.reason);
      continue;
    }
    const ShapeSamples& samples = outcome.shapes.at(0);
    if (!samples.joules.empty()) measured.joules[finalist] = samples.joules[0];
    if (!samples.no_energy.empty()) failure_ = samples.no_energy;
  }
  if (!measured.joules.empty() || !measured.failures.empty()) {
    journal_.append(std::move(measured));
  }
  return failure_.empty() ? End::kDone : End::kTime;
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

bool measure_energy(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                    const MeasureOptions& measure, TuneProgress& progress, double until_s) {
  const JournalContents& contents = record.contents();
  if (options.objective == Objective::kTime || !contents.lineup || contents.rounds.empty()) {
    return true;
  }
  progress.stage("energy of the finalists");
  EnergyRounds rounds(worker, record, options, measure, until_s);
  auto end = EnergyRounds::End::kDone;
  for (int round = 0; round < kEnergySamples; ++round) {
    for (const GemmShape& shape : contents.header.shapes) {
      if (end == EnergyRounds::End::kDone) end = rounds.measure_on(shape, round);
    }
  }
  if (!rounds.failure().empty()) {
    progress.note("energy is not measured any further: " + rounds.failure());
  }
  record.append_time_spent(kOnEnergy);
  return end != EnergyRounds::End::kStopped;
}

}  // namespace tilewright

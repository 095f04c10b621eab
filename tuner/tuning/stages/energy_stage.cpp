#include "tuner/tuning/stages/energy_stage.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "profiles/base/usage_error.hpp"
#include "tuner/journal/energy_rounds.hpp"
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

// Finalists, and the time of one launch in ns.
using Contenders = std::map<std::size_t, double>;

// Adds the finalists that may be best on a problem, and `built_in`, which runs without the profile.
void add_contenders(const Standings& standings, std::size_t problem,
                    const std::optional<KernelId>& built_in, Contenders& contenders) {
  const TimesOfPlans& times = standings.times[problem];
  const auto add = [&](std::size_t plan) {
    contenders.emplace(standings.lineup.plans[plan].finalist, times[plan]->kernel_ns.value);
  };
  std::vector<std::size_t> plans;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (!times[plan]) continue;
    plans.push_back(plan);
    if (standings.kernel(plan) == built_in) add(plan);
  }
  std::ranges::stable_sort(plans, {}, [&](std::size_t plan) { return times[plan]->total_ns(); });
  for (std::size_t i = 0; i < std::min(kMaxPlans, plans.size()); ++i) {
    if (times[plans[i]]->total_ns() > kMaxSlowdown * times[plans[0]]->total_ns()) break;
    add(plans[i]);
  }
}

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

// The finalists whose energy is to be measured.
class EnergyContenders {
 public:
  // `contents` must be those of a tuning after its finals, and must exist as long as this object.
  explicit EnergyContenders(const JournalContents& contents)
      : contents_(contents), standings_(standings(contents)), baseline_(contents.header) {}

  // Those that have at most `round` samples on the shape and have not failed.
  Contenders missing(const GemmShape& shape, int round) const;

 private:
  // The finalists that may be best for one of the ops, and what runs without the profile.
  Contenders on(const GemmShape& shape) const;

  const JournalContents& contents_;
  Standings standings_;  // after the finals
  Baseline baseline_;
};

Contenders EnergyContenders::on(const GemmShape& shape) const {
  Contenders result;
  for (std::size_t i = 0; i < standings_.problems.size(); ++i) {
    const Standings::Problem& problem = standings_.problems[i];
    if (problem.shape != shape) continue;
    const auto built_in = baseline_.first_that_works(contents_.outcomes, problem.op, shape);
    add_contenders(standings_, i, built_in, result);
  }
  return result;
}

Contenders EnergyContenders::missing(const GemmShape& shape, int round) const {
  const auto known = joules_on(contents_, shape);
  Contenders missing = on(shape);
  std::erase_if(missing, [&](const Contenders::value_type& contender) {
    const auto samples = known.find(contender.first);
    const bool has_sample =
        samples != known.end() && std::cmp_greater(samples->second.size(), round);
    return has_sample || contents_.finalist_failures.contains(contender.first);
  });
  return missing;
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
        contenders_(record.contents()) {}

  enum class End { kDone, kStopped, kTime };
  // Takes one sample of each finalist that has at most `round` of them. Leaves it out if there is
  // not enough time.
  End measure_on(const GemmShape& shape, int round);
  // Why a sensor failed; "": none did.
  const std::string& failure() const { return failure_; }

 private:
  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const MeasureOptions& measure_;
  double until_s_;
  double sample_s_;  // time of one sample: expected at first, then that of the last ones
  EnergyContenders contenders_;
  std::string failure_;
};

EnergyRounds::End EnergyRounds::measure_on(const GemmShape& shape, int round) {
  const Contenders missing = contenders_.missing(shape, round);
  if (missing.empty()) return End::kDone;
  const auto num_samples = static_cast<double>(missing.size());
  const double start_s = journal_.now_s();
  if (start_s + sample_s_ * num_samples > until_s_) return End::kDone;
  const auto reply =
      worker_.measure(energy_request(journal_.contents(), options_, measure_, shape, missing));
  if (std::holds_alternative<Stopped>(reply) || StopSignal::requested()) return End::kStopped;
  if (std::holds_alternative<OutOfTime>(reply)) return End::kTime;
  // A kernel that hangs, or crashes the worker, takes much longer than a sample.
  if (!worker_.lost_process()) sample_s_ = (journal_.now_s() - start_s) / num_samples;
  Round measured{.round = round, .shape = shape};
  for (const auto& [kernel, outcome] : std::get<Outcomes>(reply)) {
    const std::size_t finalist =
        std::next(missing.begin(), static_cast<std::ptrdiff_t>(kernel))->first;
    if (outcome.result != OutcomeClass::kOk) {
      if (auto failure = failure_of_finalist(outcome)) measured.failures[finalist] = *failure;
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

bool lacks_energy(const JournalContents& contents) {
  if (contents.header.objective == Objective::kTime) return false;
  if (!contents.lineup || contents.rounds.empty()) return true;
  const EnergyContenders contenders(contents);
  return std::ranges::any_of(contents.header.shapes, [&](const GemmShape& shape) {
    return !contenders.missing(shape, 0).empty();
  });
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

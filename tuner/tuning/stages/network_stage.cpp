#include "tuner/tuning/stages/network_stage.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "tuner/select/distribution.hpp"
#include "tuner/select/fused.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/stages/auxiliary_stage.hpp"
#include "tuner/tuning/stages/final_stage.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

class NetworkStage {
 public:
  NetworkStage(DeviceWorker& worker, TuningJournal& journal, const TuneOptions& options,
               const MeasureOptions& measure)
      : worker_(worker), journal_(journal), options_(options), measure_(measure) {}

  std::optional<std::string> run(double until_s);

 private:
  bool try_all(const std::vector<FusedTask>& tasks, double until_s);
  bool try_form(const std::vector<FusedTask>& tasks, Exponential exp, double until_s);
  bool try_one(const FusedTask& task, const ParameterPoint& point, double until_s);
  std::optional<std::string> what_is_missing(const std::set<ParameterPoint>& requirements) const;

  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const MeasureOptions& measure_;
  int left_out_ = 0;         // kernels for which there was no time
  Auxiliaries auxiliaries_;  // known kernels for any requirement
};

// Tries other forms of exp() only after all kernels with the first form. Returns false if a stop
// was requested.
bool NetworkStage::try_all(const std::vector<FusedTask>& tasks, double until_s) {
  if (!try_form(tasks, kExponentials[0], until_s)) return false;
  const int left_out = left_out_;
  for (const Exponential exp : std::span(kExponentials).subspan(1)) {
    if (journal_.now_s() < until_s && !try_form(tasks, exp, until_s)) return false;
  }
  left_out_ = left_out;  // other forms are optional
  return true;
}

// Tries the chosen kernels with bias and activation, then with results in the layout that they
// read. Returns false if a stop was requested.
bool NetworkStage::try_form(const std::vector<FusedTask>& tasks, Exponential exp, double until_s) {
  const auto fused = [&](const FusedTask& task, const ParameterPoint& product, Activation a) {
    const auto point = fused_point(product, a, exp);
    return !point || try_one(task, *point, until_s);
  };
  for (const Activation activation : options_.activations) {
    for (const FusedTask& task : tasks) {
      if (!fused(task, task.plain.point(), activation)) return false;
    }
  }
  for (const FusedTask& task : tasks) {
    const auto chained = chained_point(task.plain.point());
    if (!chained) continue;
    if (exp == kExponentials[0] && !try_one(task, *chained, until_s)) return false;
    for (const Activation activation : options_.activations) {
      if (!fused(task, *chained, activation)) return false;
    }
  }
  return true;
}

// Returns false if a stop was requested.
bool NetworkStage::try_one(const FusedTask& task, const ParameterPoint& point, double until_s) {
  if (broken_rule(point, worker_.facts().limits) != nullptr) return true;
  MeasureRequest request;
  request.kernels = {KernelId(point)};
  if (journal_.find(request.kernels[0]) != nullptr) return true;
  if (journal_.now_s() >= until_s) {
    ++left_out_;
    return true;
  }
  request.task = kFused;
  request.shapes = task.shapes;
  request.reference = task.plain;
  request.reference_ns = task.plain_ns;
  request.options = measure_;
  auto answer = worker_.trial(request);
  if (std::holds_alternative<Stopped>(answer)) return false;
  journal_.append(Outcomes{std::move(std::get<Outcome>(answer))});
  return true;
}

std::optional<std::string> NetworkStage::what_is_missing(
    const std::set<ParameterPoint>& requirements) const {
  const auto unanswered = std::count_if(
      requirements.begin(), requirements.end(),
      [&](const ParameterPoint& requirement) { return auxiliaries_.count(requirement) == 0; });
  if (left_out_ == 0 && unanswered == 0) return std::nullopt;
  std::vector<std::string> missing;
  if (left_out_ > 0) {
    missing.push_back(fmt::format("{} kernels with bias and activation were not tried", left_out_));
  }
  if (unanswered > 0) {
    missing.push_back(
        fmt::format("{} of {} auxiliary kernels were not found", unanswered, requirements.size()));
  }
  return fmt::format(
      "networks: {}, so other kernels are used instead; run {} with a longer --budget to continue",
      fmt::join(missing, ", and "), same_command(options_));
}

std::optional<std::string> NetworkStage::run(double until_s) {
  const Standings standings = tilewright::standings(journal_.contents());
  const Portfolio portfolio = make_portfolio(journal_.contents(), standings, options_.max_kernels);
  const std::vector<FusedTask> tasks = fused_tasks(standings, portfolio);
  const double auxiliary_s = auxiliaries_s(options_.budget_s);
  if (!try_all(tasks, until_s - auxiliary_s)) return std::nullopt;
  const auto requirements =
      layer_requirements(options_.activations, options_.softmax, tasks, options_.precision);
  auxiliaries_ = fastest_auxiliaries(journal_.contents().packs);
  const double left_s = std::min(auxiliary_s, until_s - journal_.now_s());
  if (left_s > 0.0 && !tune_auxiliaries(worker_, journal_, options_, measure_, requirements, left_s,
                                        until_s, auxiliaries_)) {
    return std::nullopt;
  }
  return what_is_missing(requirements);
}

}  // namespace

std::optional<std::string> tune_for_networks(DeviceWorker& worker, TuningJournal& journal,
                                             const TuneOptions& options,
                                             const MeasureOptions& measure, double until_s) {
  if (!for_networks(options) || !can_choose(journal.contents())) return std::nullopt;
  return NetworkStage(worker, journal, options, measure).run(until_s);
}

}  // namespace tilewright

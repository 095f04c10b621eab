#include "tuner/tuning/stages/network_stage.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "tuner/select/distribution.hpp"
#include "tuner/select/fused.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/stages/auxiliary_stage.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

class NetworkStage {
 public:
  explicit NetworkStage(TuneContext& context) : context_(context) {}

  std::optional<std::string> run(double until_s);

 private:
  bool try_all(const std::vector<FusedTask>& tasks, double until_s);
  bool try_form(const std::vector<FusedTask>& tasks, Exponential exp, double until_s);
  bool try_one(const FusedTask& task, const ParameterPoint& point, double until_s);
  std::optional<std::string> what_is_missing(const std::set<ParameterPoint>& requirements) const;

  TuneContext& context_;
  int left_out_ = 0;         // kernels for which there was no time
  Auxiliaries auxiliaries_;  // known kernels for any requirement
};

// Tries other forms of exp() only after all kernels with the first form. Returns false if a stop
// was requested.
bool NetworkStage::try_all(const std::vector<FusedTask>& tasks, double until_s) {
  if (!try_form(tasks, kExponentials[0], until_s)) return false;
  const int left_out = left_out_;
  for (const Exponential exp : std::span(kExponentials).subspan(1)) {
    if (context_.journal.now_s() < until_s && !try_form(tasks, exp, until_s)) return false;
  }
  left_out_ = left_out;  // other forms are optional
  return true;
}

// Tries the chosen kernels with bias and activation. Returns false if a stop was requested.
bool NetworkStage::try_form(const std::vector<FusedTask>& tasks, Exponential exp, double until_s) {
  for (const Activation activation : context_.options.activations) {
    for (const FusedTask& task : tasks) {
      const auto point = fused_point(task.plain.point(), activation, exp);
      if (point && !try_one(task, *point, until_s)) return false;
    }
  }
  return true;
}

// Returns false if a stop was requested.
bool NetworkStage::try_one(const FusedTask& task, const ParameterPoint& point, double until_s) {
  if (broken_rule(point, context_.worker.facts().limits) != nullptr) return true;
  MeasureRequest request;
  request.kernels = {KernelId(point)};
  if (context_.journal.find(request.kernels[0]) != nullptr) return true;
  if (context_.journal.now_s() >= until_s) {
    ++left_out_;
    return true;
  }
  request.task = kFused;
  request.shapes = task.shapes;
  request.reference = task.plain;
  request.reference_ns = task.plain_ns;
  request.options = context_.options.measure;
  return !std::holds_alternative<Stopped>(measure(context_, request));
}

std::optional<std::string> NetworkStage::what_is_missing(
    const std::set<ParameterPoint>& requirements) const {
  const auto unanswered = std::count_if(
      requirements.begin(), requirements.end(),
      [&](const ParameterPoint& requirement) { return auxiliaries_.count(requirement) == 0; });
  if (left_out_ == 0 && unanswered == 0) return std::nullopt;
  return fmt::format("networks: {} kernels were not tried; a longer --budget continues",
                     left_out_ + static_cast<std::size_t>(unanswered));
}

std::optional<std::string> NetworkStage::run(double until_s) {
  const Standings standings = tilewright::standings(context_.journal.contents());
  const Portfolio portfolio = make_portfolio(context_.journal.contents(), standings,
                                             context_.options.max_kernels, context_.options.joins);
  const std::vector<FusedTask> tasks = fused_tasks(standings, portfolio);
  const double auxiliary_s = auxiliaries_s(context_.options.budget_s);
  if (!try_all(tasks, until_s - auxiliary_s)) return std::nullopt;
  const auto requirements = layer_requirements(
      context_.options.activations, context_.options.softmax, tasks, context_.options.precision);
  auxiliaries_ = fastest_auxiliaries(context_.journal.contents().packs);
  const double left_s = std::min(auxiliary_s, until_s - context_.journal.now_s());
  if (left_s > 0.0 && !tune_auxiliaries(context_, requirements, left_s, until_s, auxiliaries_)) {
    return std::nullopt;
  }
  return what_is_missing(requirements);
}

}  // namespace

std::optional<std::string> tune_for_networks(TuneContext& context, double until_s) {
  context.progress.stage("kernels for networks");
  std::optional<std::string> missing;
  if (for_networks(context.options) && can_choose(context.journal.contents())) {
    missing = NetworkStage(context).run(until_s);
  }
  context.journal.append_time_spent(kOnNetworks);
  return missing;
}

}  // namespace tilewright

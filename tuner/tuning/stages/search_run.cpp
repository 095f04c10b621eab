#include "tuner/tuning/stages/search_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"

namespace tilewright {
namespace {

// Maximal number of candidates that are proposed in addition to one for each compiler, if they are
// measured while others are compiled. More would be proposed without knowing the costs of those
// before.
constexpr std::size_t kMaxWaiting = 4;
// So often the progress is shown while compilers work.
constexpr double kLongestWait_s = 1.0;

}  // namespace

double allowed_overrun_s(double task_s) {
  return std::clamp(0.1 * task_s, 0.5, 3.0);
}

SearchRun::SearchRun(TuneContext& context, Compilers& compilers, SearchStrategy& strategy,
                     CostModel costs, std::string name)
    : context_(context),
      compilers_(compilers),
      strategy_(strategy),
      costs_(std::move(costs)),
      name_(std::move(name)) {
  for (const Outcome& outcome : context_.journal.contents().outcomes) {
    if (outcome.task != name_) continue;
    learn(outcome);
    trial_s_ = outcome.took_s;
  }
  for (const Unfinished& unfinished : context_.journal.contents().starts.unfinished()) {
    if (unfinished.deaths > 0) suspects_.insert(unfinished.what);
  }
}

void SearchRun::learn(const Outcome& outcome) {
  costs_.learn(outcome);
  strategy_.report(outcome.kernel.point(), costs_.cost(outcome), costs_.parts(outcome));
  reference_.learn(outcome, costs_);
}

// Such a kernel is not compiled.
void SearchRun::refuse(const KernelId& kernel) {
  Outcome outcome;
  outcome.kernel = kernel;
  outcome.task = name_;
  outcome.result = OutcomeClass::kLimits;
  outcome.reason = kernel.facts().name +
                   " cannot be used on any of the shapes: it needs aligned or packed operands";
  take(std::move(outcome));
}

// Points for which another task has an outcome are learned at no cost.
std::optional<KernelId> SearchRun::propose() {
  while (!exhausted_) {
    const auto tried =
        context_.journal.tried_in(name_) + static_cast<int>(compilers_.num_pending());
    if (tried >= max_candidates_) {
      exhausted_ = true;
      break;
    }
    const std::optional<ParameterPoint> point = strategy_.next();
    exhausted_ = !point;
    if (exhausted_) break;
    const KernelId kernel(*point);
    const Outcome* known = context_.journal.find(kernel);
    if (known != nullptr) {
      learn(*known);
    } else if (!costs_.supports_any(kernel)) {
      refuse(kernel);
    } else {
      return kernel;
    }
  }
  return std::nullopt;
}

void SearchRun::take(Outcome outcome) {
  context_.journal.append(Outcomes{std::move(outcome)});
  const Outcome& kept = context_.journal.contents().outcomes.back();
  learn(kept);
  done_(kept);
}

void SearchRun::measure(const KernelId& kernel, double built_s, double give_up_s) {
  MeasureRequest request;
  request.kernels = {kernel};
  request.task = name_;
  request.shapes = costs_.shapes();
  request.best_ns = costs_.best_ns();
  request.reference = reference_.kernel();
  request.reference_ns = reference_.known_ns();
  request.options = context_.options.measure;
  const double start_s = context_.journal.now_s();
  const std::chrono::duration<double> most(give_up_s - start_s);
  using SteadyClock = std::chrono::steady_clock;
  auto measured = context_.worker.trial(
      request, SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(most));
  if (auto* outcome = std::get_if<Outcome>(&measured)) {
    outcome->took_s = rounded(outcome->took_s + built_s);
    take(std::move(*outcome));
    trial_s_ = context_.journal.now_s() - start_s;
  }
}

// No more is compiled than can be measured in the time that is left. If compiling and measuring
// alternate, there is a new batch when the last one has been measured.
void SearchRun::hand_out(double left_s) {
  if (compilers_.takes_turns() && compilers_.num_pending() > 0) return;
  const std::size_t compilers = compilers_.size();
  const std::size_t waiting =
      compilers_.takes_turns() ? compilers : std::min(compilers, kMaxWaiting);
  const std::size_t batch = std::max<std::size_t>(1, compilers + waiting);
  while (!alone_) {
    const std::size_t candidates = compilers_.num_pending() + 1;
    const bool fits = candidates == 1 || trial_s_ * static_cast<double>(candidates) <= left_s;
    if (candidates > batch || !fits) return;
    const std::optional<KernelId> kernel = propose();
    if (!kernel) return;
    if (compilers == 0 || suspects_.contains(kernel->text())) {
      alone_ = kernel;
      return;
    }
    MeasureRequest build;  // without shapes
    build.kernels = {*kernel};
    build.task = name_;
    build.verify = false;
    compilers_.build(std::move(build));
  }
}

SearchRun::End SearchRun::search(double until_s) {
  const double overrun_s = allowed_overrun_s(until_s - context_.journal.now_s());
  while (!StopSignal::requested()) {
    const double left_s = until_s - context_.journal.now_s();
    if (left_s > 0.0) hand_out(left_s);
    if (compilers_.num_pending() > 0) {
      // Candidates that are compiled already may be measured in the allowed overrun.
      if (left_s <= 0.0 && trial_s_ >= left_s + overrun_s) return End::kTime;
      std::optional<Outcome> built = compilers_.next(left_s > 0.0 ? kLongestWait_s : 0.0);
      context_.progress.working(context_.left_s());
      if (built && built->result == OutcomeClass::kOk) {
        measure(built->kernel, built->took_s, until_s + overrun_s);
      } else if (built) {
        take(*std::move(built));
      } else if (left_s <= 0.0) {
        return StopSignal::requested() ? End::kStopped : End::kTime;
      }
    } else if (left_s <= 0.0) {
      return End::kTime;
    } else if (alone_) {
      measure(*std::exchange(alone_, std::nullopt), 0.0, until_s + overrun_s);
    } else {
      return End::kExhausted;
    }
  }
  return End::kStopped;
}

SearchRun::End SearchRun::run(double until_s, int most,
                              const std::function<void(const Outcome&)>& done) {
  max_candidates_ = most;
  done_ = done;
  try {
    const End end = search(until_s);
    while (const std::optional<Outcome> built = compilers_.next(0.0)) {
      if (built->result != OutcomeClass::kOk) take(*built);
    }
    compilers_.cancel();
    // A later reboot is not the fault of what was in progress.
    context_.journal.append_idle();
    context_.journal.append_time_spent(kOnCandidates);
    return end;
  } catch (...) {
    compilers_.cancel();
    throw;
  }
}

}  // namespace tilewright

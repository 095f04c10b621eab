#include "tuner/tuning/stages/search_run.hpp"

#include <algorithm>

#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"

namespace tilewright {
namespace {

// Number of compiled candidates that may wait to be measured. If candidates are measured while
// others are compiled, it is at most this, because further candidates would be proposed without
// knowing the costs of the ones before.
constexpr std::size_t kMaxReadyCandidates = 4;
constexpr double kLongestWait_s = 1.0;

}  // namespace

double allowed_overrun_s(double task_s) {
  return std::clamp(0.1 * task_s, 0.5, 3.0);
}

SearchRun::SearchRun(TuneContext& context, const Compilers& compilers, SearchStrategy& strategy,
                     CostModel costs, std::string name)
    : context_(context),
      compilers_(compilers),
      takes_turns_(context.worker.facts().kind == DeviceKind::kCpu),
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
    if (context_.journal.tried_in(name_) + at_work() >= max_candidates_) {
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

std::size_t SearchRun::compiling_now() const {
  return static_cast<std::size_t>(std::count_if(
      compilers_.begin(), compilers_.end(), [](const auto& compiler) { return compiler->busy(); }));
}

// Returns the number of candidates that were proposed and have no outcome yet.
int SearchRun::at_work() const {
  return static_cast<int>(ready_.size() + compiling_now()) + (context_.worker.busy() ? 1 : 0);
}

bool SearchRun::anyone_busy() const {
  return context_.worker.busy() || compiling_now() > 0;
}

// Waits until a busy worker has sent something.
void SearchRun::wait() {
  std::vector<const DeviceWorker*> workers = {&context_.worker};
  for (const auto& compiler : compilers_) workers.push_back(compiler.get());
  DeviceWorker::wait_for_any(workers, kLongestWait_s);
}

void SearchRun::start_trial(const KernelId& kernel, double built_s) {
  MeasureRequest request;
  request.kernels = {kernel};
  request.task = name_;
  request.shapes = costs_.shapes();
  request.best_ns = costs_.best_ns();
  request.reference = reference_.kernel();
  request.reference_ns = reference_.known_ns();
  request.options = context_.options.measure;
  built_s_ = built_s;
  trial_start_s_ = context_.journal.now_s();
  context_.worker.start(request);
}

void SearchRun::take(Outcome outcome) {
  context_.journal.append(Outcomes{std::move(outcome)});
  const Outcome& kept = context_.journal.contents().outcomes.back();
  learn(kept);
  done_(kept);
}

void SearchRun::collect() {
  for (const auto& compiler : compilers_) {
    if (!compiler->busy()) continue;
    std::optional<Outcome> outcome = compiler->poll();
    if (!outcome) continue;
    if (outcome->result == OutcomeClass::kOk) {
      context_.journal.append(TrialIdle{outcome->kernel.text()});
      ready_.push_back(std::move(*outcome));
    } else {
      take(std::move(*outcome));
    }
  }
  if (!context_.worker.busy()) return;
  if (std::optional<Outcome> outcome = context_.worker.poll()) {
    outcome->took_s = rounded(outcome->took_s + built_s_);
    take(std::move(*outcome));
    trial_s_ = context_.journal.now_s() - trial_start_s_;
  }
}

// Tries a candidate during which the machine went down, with no other work at the same time, so
// that a second failure is certainly its fault. Returns true if no other work may be given out.
bool SearchRun::hand_out_suspect(bool time_is_left) {
  if (suspect_ && time_is_left && !anyone_busy()) {
    start_trial(*suspect_, 0.0);
    suspect_.reset();
    suspect_on_trial_ = true;
  }
  suspect_on_trial_ = suspect_on_trial_ && context_.worker.busy();
  return suspect_ || suspect_on_trial_;
}

// Gives work to idle workers. Compiling and measuring may not overlap on every device.
void SearchRun::hand_out(double left_s) {
  const bool time_is_left = left_s > 0.0;
  if (hand_out_suspect(time_is_left)) return;
  const std::size_t compilers = compilers_.size();
  const std::size_t batch =
      compilers + (takes_turns_ ? compilers : std::min(compilers, kMaxReadyCandidates));
  // No more is compiled than can be measured in the time that is left.
  const auto fit = [&](std::size_t candidates) {
    return time_is_left &&
           (candidates == 1 || trial_s_ * static_cast<double>(candidates) <= left_s);
  };
  if (takes_turns_ && !anyone_busy()) {
    if (ready_.empty()) measuring_turn_ = false;
    if (ready_.size() >= batch || exhausted_ || !fit(ready_.size() + 1)) {
      measuring_turn_ = !ready_.empty();
    }
  }
  const bool may_compile = time_is_left && !(takes_turns_ && measuring_turn_);
  for (const auto& compiler : compilers_) {
    const std::size_t compiled = ready_.size() + compiling_now();
    if (!may_compile || compiler->busy() || compiled >= batch || !fit(compiled + 1)) continue;
    const auto kernel = propose();
    if (!kernel) break;
    if (suspects_.count(kernel->text()) > 0) {
      suspect_ = kernel;
      return;
    }
    MeasureRequest build;  // without shapes
    build.kernels = {*kernel};
    build.task = name_;
    build.verify = false;
    compiler->start(build);
  }
  // Candidates that are compiled already may be measured in the allowed overrun.
  const bool may_measure = time_is_left || (compilers > 0 && trial_s_ < left_s + overrun_s_);
  if (context_.worker.busy() || !may_measure) return;
  if (compilers == 0) {
    if (const auto kernel = propose()) start_trial(*kernel, 0.0);
  } else if (!ready_.empty() && (!takes_turns_ || (measuring_turn_ && compiling_now() == 0))) {
    const Outcome built = std::move(ready_.front());
    ready_.pop_front();
    start_trial(built.kernel, built.took_s);
  }
}

SearchRun::End SearchRun::run(double until_s, int most,
                              const std::function<void(const Outcome&)>& done) {
  max_candidates_ = most;
  done_ = done;
  End end = End::kTime;
  overrun_s_ = allowed_overrun_s(until_s - context_.journal.now_s());
  while (true) {
    if (StopSignal::requested()) {
      end = End::kStopped;
      break;
    }
    const double left_s = until_s - context_.journal.now_s();
    hand_out(left_s);
    if (left_s <= 0.0 && !context_.worker.busy()) break;
    // The time of a candidate that hangs is limited. The candidate gets no outcome.
    if (context_.journal.now_s() > until_s + overrun_s_) break;
    if (!anyone_busy()) {
      // It is the turn of compiling or measuring, respectively.
      if (!ready_.empty() || suspect_) continue;
      end = End::kExhausted;
      break;
    }
    wait();
    collect();
  }
  give_up();
  context_.journal.append_time_spent(kOnCandidates);
  return end;
}

// Stops what is still in progress, and records this, so that a later reboot is not attributed to
// it.
void SearchRun::give_up() {
  std::vector<KernelId> kernels;
  for (const auto& compiler : compilers_) {
    if (!compiler->busy()) continue;
    kernels.push_back(compiler->request().kernels.at(0));
    compiler->abandon();
  }
  if (context_.worker.busy()) {
    kernels.push_back(context_.worker.request().kernels.at(0));
    context_.worker.abandon();
  }
  for (const KernelId& kernel : kernels) context_.journal.append(TrialIdle{kernel.text()});
  ready_.clear();
}

}  // namespace tilewright

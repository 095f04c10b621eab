// A trial: from a point to its class and its samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/call/opencl_error.hpp"
#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/slow_down.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

// Times the best by every sample so far: such a candidate is not measured further. A first sample
// alone may have met a slow moment.
constexpr double kClearlyBehind = 2.0;
constexpr double kClearlyBehindAtFirst = 4.0;
constexpr double kFarBehind = 3.0;  // times the best, on every shape: kSlow
// Large tiles leave most of a wide device idle on a small product, and are the best on a large one:
// so much behind the best on one shape, a candidate may still be the best on the next.
constexpr double kMayImprove = 8.0;
// So much behind on the shape before, a candidate is still promising: long launches are for those.
constexpr double kPromising = 1.15;

double at_or(const std::vector<double>& values, std::size_t at, double otherwise) {
  return at < values.size() ? values[at] : otherwise;
}

class Trial {
 public:
  Trial(SessionState& state, const TrialRequest& request, std::shared_ptr<LoadedKernel> kernel)
      : state_(state),
        request_(request),
        sampler_(state.open->sampler(request.options)),
        kernel_(std::move(kernel)),
        what_(kernel_ == nullptr ? request.kernel.text() : kernel_->record().name) {
    outcome_.kernel = request.kernel;
  }

  Outcome run();

 private:
  bool load();
  bool verify();
  void measure_shapes();
  // False: the trial ends here, the outcome says why.
  bool measure(std::size_t shape);
  bool sample(const LaunchJob& job, const Reach& part, std::size_t shape);
  // The reference on the shape, ready to be launched; nullopt: none.
  struct Companion {
    LaunchJob job;
    Reach part;
  };
  std::optional<Companion> companion_on(std::size_t shape);
  void sample_beside(const std::optional<Companion>& companion, ShapeSamples& samples);
  void class_by_samples();
  bool fail(const Rejection& rejection) {
    reject(outcome_, rejection);
    return false;
  }

  double best_ns(std::size_t shape) const {
    return at_or(request_.best_ns, shape, std::numeric_limits<double>::infinity());
  }

  // Even of the best that is known, so that slow candidates are treated as others.
  bool is_long_launch(std::size_t shape, double expected_ns) const {
    return std::min(best_ns(shape), expected_ns) > 1e9 * kLongLaunch_s;
  }

  SessionState& state_;
  const TrialRequest& request_;
  const Sampler& sampler_;
  std::shared_ptr<LoadedKernel> reference_;
  double reference_launch_s_ = 0.0;  // expected of its first launch
  std::shared_ptr<LoadedKernel> kernel_;
  std::string what_;  // it is called in announcements
  double first_launch_s_ = 0.0;
  LearnedRate rate_;             // of the candidate, on the way to the next shape
  double times_the_best_ = 0.0;  // its time over the best's, on the shape measured last
  std::string misfit_;           // why it cannot take a shape
  Outcome outcome_;
};

Outcome Trial::run() {
  try {
    if (load() && verify()) measure_shapes();
  } catch (const Error& error) {
    // Whatever the driver refuses now, it did before it knew the candidate.
    fail({Stage::kLaunch, error.what()});
  }
  return outcome_;
}

bool Trial::load() {
  if (!request_.reference.empty() && request_.reference != request_.kernel) {
    KeptKernel loaded = state_.load(request_.reference, request_.reference.text());
    if (auto* ready = std::get_if<ReadyKernel>(&loaded)) {
      reference_ = ready->kernel;
      reference_launch_s_ = ready->first_launch_s;
    }
  }
  if (kernel_ == nullptr) {
    KeptKernel loaded = state_.load(request_.kernel, what_);
    if (const auto* rejection = std::get_if<Rejection>(&loaded)) return fail(*rejection);
    const ReadyKernel& ready = std::get<ReadyKernel>(loaded);
    kernel_ = ready.kernel;
    first_launch_s_ = ready.first_launch_s;
  }
  const Role role = kernel_->record().role;
  if (role == Role::kGemm || role == Role::kGemv) return true;
  return fail({Stage::kLimits, kernel_->record().name + " computes no product"});
}

bool Trial::verify() {
  state_.announce({PhaseKind::kLaunch, what_, first_launch_s_});
  const Verified verified =
      verify_kernel(state_.open->executor(), state_.open->queue(), *kernel_,
                    state_.cases(request_.options.seed).of(kernel_->record()));
  if (const auto* rejection = std::get_if<Rejection>(&verified)) return fail(*rejection);
  outcome_.max_error = std::get<double>(verified);
  state_.open->executor().store(*kernel_);
  return true;
}

void Trial::measure_shapes() {
  for (std::size_t shape = 0; shape < request_.shapes.size(); ++shape) {
    if (!measure(shape)) return;
  }
  class_by_samples();
}

bool Trial::measure(std::size_t shape) {
  const GemmShape& whole = request_.shapes[shape];
  // Not even launched where it was hopelessly behind before: slow launches are what budgets die of.
  const bool is_long = is_long_launch(shape, rate_.ns_per_flop * flops(whole));
  if (times_the_best_ > (is_long ? kPromising : kMayImprove)) return true;
  PooledGemm pooled = state_.open->pool(request_.options.seed).product(kernel_->record(), whole);
  if (const auto* misfit = std::get_if<Rejection>(&pooled)) {
    misfit_ = misfit->reason;
    return true;
  }
  const LaunchJob job = product_job(state_.open->executor(), state_.open->queue(), *kernel_,
                                    std::move(std::get<Pooled<GemmProblem>>(pooled)));
  state_.announce({PhaseKind::kLaunch, what_, 1e-9 * request_.options.max_dispatch_ns});
  const Reached reached = reach(sampler_, job, request_.options.max_dispatch_ns, rate_);
  if (const auto* rejection = std::get_if<Rejection>(&reached)) return fail(*rejection);
  if (const auto* slow = std::get_if<TooSlow>(&reached)) {
    outcome_.result = OutcomeClass::kSlow;
    outcome_.reason = slow->reason;
    return false;
  }
  return sample(job, std::get<Reach>(reached), shape);
}

std::optional<Trial::Companion> Trial::companion_on(std::size_t shape) {
  const double known_ns = at_or(request_.reference_ns, shape, 0.0);
  if (reference_ == nullptr || !(known_ns > 0.0) || std::isinf(known_ns)) return std::nullopt;
  const GemmShape& whole = request_.shapes[shape];
  PooledGemm pooled = state_.open->pool(request_.options.seed).product(reference_->record(), whole);
  if (std::holds_alternative<Rejection>(pooled)) return std::nullopt;
  LaunchJob job = product_job(state_.open->executor(), state_.open->queue(), *reference_,
                              std::move(std::get<Pooled<GemmProblem>>(pooled)));
  LearnedRate rate{known_ns / flops(whole), flops(whole)};
  const Reached reached = reach(sampler_, job, request_.options.max_dispatch_ns, rate);
  const auto* part = std::get_if<Reach>(&reached);
  return part == nullptr ? std::nullopt : std::optional<Companion>({std::move(job), *part});
}

// The reference's time beside the sample taken last. A reference that fails is none.
void Trial::sample_beside(const std::optional<Companion>& companion, ShapeSamples& samples) {
  if (!companion || samples.reference_known_ns == 0.0) return;
  const Sampled sampled =
      sampler_.sample([&] { return companion->job.launch(companion->part.part); },
                      companion->part.expected_ns, companion->job.what);
  if (const auto* sample = std::get_if<Sample>(&sampled)) {
    samples.reference_ns.push_back(sample->ns * companion->part.scale);
  } else {
    samples.reference_ns.clear();
    samples.reference_known_ns = 0.0;
  }
}

bool Trial::sample(const LaunchJob& job, const Reach& part, std::size_t shape) {
  const Launch launch = [&] { return job.launch(part.part); };
  state_.announce({PhaseKind::kLaunch, what_, 1e-9 * part.expected_ns});
  const Timed warm = sampler_.once(launch, job.what);
  if (const auto* rejection = std::get_if<Rejection>(&warm)) return fail(*rejection);
  const double expected_ns = std::get<double>(warm);
  const std::optional<Companion> companion = companion_on(shape);
  ShapeSamples samples;
  samples.shape = job.whole;
  samples.slice_m = part.part == job.whole ? 0 : part.part.m;
  if (companion) samples.reference_known_ns = request_.reference_ns[shape];
  const bool is_long = is_long_launch(shape, expected_ns * part.scale);
  const int count = is_long ? 1 : std::max(1, request_.options.samples);
  const double pair_s = sampler_.expected_s(expected_ns) +
                        (companion ? sampler_.expected_s(companion->part.expected_ns) : 0.0);
  state_.announce({PhaseKind::kLaunch, what_, count * pair_s + reference_launch_s_});
  for (int i = 0; i < count; ++i) {
    const Sampled sampled = sampler_.sample(launch, expected_ns, job.what);
    if (const auto* rejection = std::get_if<Rejection>(&sampled)) return fail(*rejection);
    const Sample& sample = std::get<Sample>(sampled);
    samples.ns.push_back(sample.ns * part.scale);
    if (sample.clock_hz != ClockPair{}) samples.clocks_hz.push_back(sample.clock_hz);
    for (const double ns : sample.rejected_ns) samples.rejected_ns.push_back(ns * part.scale);
    sample_beside(companion, samples);
    const double behind = i == 0 ? kClearlyBehindAtFirst : kClearlyBehind;
    if (least_ns(samples) > behind * best_ns(shape)) break;
  }
  times_the_best_ = median_ns(samples) / best_ns(shape);
  rate_ = {median_ns(samples) / std::max(1.0, flops(job.whole)), flops(part.part)};
  outcome_.shapes.push_back(std::move(samples));
  if (outcome_.shapes.back().reference_known_ns > 0.0) outcome_.reference = request_.reference;
  return true;
}

void Trial::class_by_samples() {
  if (request_.shapes.empty()) return;  // only verified
  if (outcome_.shapes.empty()) {
    fail({Stage::kLimits, kernel_->record().name + " can take none of the shapes: " + misfit_});
    return;
  }
  for (std::size_t shape = 0; shape < request_.shapes.size(); ++shape) {
    const ShapeSamples* samples = samples_on(outcome_, request_.shapes[shape]);
    if (samples != nullptr && median_ns(*samples) <= kFarBehind * best_ns(shape)) return;
  }
  outcome_.result = OutcomeClass::kSlow;
  outcome_.reason = fmt::format(
      "more than {} times behind the best known on every shape that was "
      "measured",
      kFarBehind);
}

}  // namespace

Outcome run_trial(SessionState& state, const TrialRequest& request,
                  std::shared_ptr<LoadedKernel> kernel) {
  Outcome outcome = Trial(state, request, std::move(kernel)).run();
  if (outcome.result == OutcomeClass::kLaunch) state.reopen();
  return outcome;
}

Outcome DeviceSession::trial(const TrialRequest& request) {
  return run_trial(*state_, request);
}

}  // namespace tilewright

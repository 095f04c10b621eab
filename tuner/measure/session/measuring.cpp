// Builds, verifies and classifies the kernels of a measure request.
#include "tuner/measure/session/measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "runtime/call/opencl_error.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/measure/kernel_job.hpp"

namespace tilewright {
namespace {

// The outcome is kSlow if a candidate is slower than the best by more than this factor on every
// shape.
constexpr double kMaxSlowdown = 3.0;
constexpr std::size_t kUsualKernels = 64;  // number of loaded kernels that are kept at least
constexpr std::int64_t kTiny = 16;         // extent of tiny_shape(), if the kernel supports it

OutcomeClass to_outcome_class(FailureKind kind) {
  switch (kind) {
    case FailureKind::kLimits:
      return OutcomeClass::kLimits;
    case FailureKind::kBuild:
      return OutcomeClass::kBuild;
    case FailureKind::kLaunch:
      return OutcomeClass::kLaunch;
    case FailureKind::kWrong:
      return OutcomeClass::kWrong;
  }
  return OutcomeClass::kLaunch;
}

// Returns a shape that is small, but not too small for the kernel.
GemmShape tiny_shape(const KernelRecord& record) {
  if (!is_product(record.role)) return {kTiny, kTiny, 1};
  const std::int64_t extent = std::lcm(kTiny, std::int64_t{record.alignment});
  return {record.narrow == Dimension::kM ? std::int64_t{record.tile.m} : extent,
          record.narrow == Dimension::kN ? std::int64_t{record.tile.n} : extent, kTiny};
}

}  // namespace

Measuring::Measuring(DeviceSession& session, const MeasureRequest& request)
    : session_(session), request_(request) {
  // The next request may ask for all of them again.
  session_.max_kernels_ = std::max(kUsualKernels, request_.num_kernels() + 1);
  sampler();  // Throws now if the options contradict each other.
  bool is_own = false;
  for (Outcome& outcome : requested_outcomes(request_)) {
    is_own = is_own || outcome.kernel == request_.reference;
    const double expected_ns = at_or(request_.expected_ns, runners_.size(), 0.0);
    KernelRun& runner = runners_.emplace_back(KernelRun{std::move(outcome)});
    if (expected_ns > 0.0) runner.known[0] = expected_ns;
  }
  if (request_.reference.empty() || is_own) return;
  reference_.emplace();
  reference_->outcome.kernel = request_.reference;
  for (std::size_t shape = 0; shape < request_.shapes.size(); ++shape) {
    const double ns = at_or(request_.reference_ns, shape, 0.0);
    if (ns > 0.0 && !std::isinf(ns)) reference_->known[shape] = ns;
  }
}

Outcomes Measuring::run() {
  if (reference_) {
    try {
      const auto loaded = session_.load(request_.profile, reference_->outcome, false);
      if (std::holds_alternative<KernelError>(loaded)) reference_.reset();
    } catch (const Error&) {
      reference_.reset();
    }
  }
  for (KernelRun& runner : runners_) {
    if (has_enough()) break;
    enter(runner);
    reopen_after(runner);
  }
  for (std::size_t shape = 0; shape < request_.shapes.size(); ++shape) measure_on(shape);
  Outcomes outcomes;
  for (KernelRun& runner : runners_) {
    if (!runner.tried) continue;
    classify(runner);
    outcomes.push_back(std::move(runner.outcome));
  }
  return outcomes;
}

bool Measuring::has_enough() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
  const bool all = request_.max_kernels > 0 && tried_ >= request_.max_kernels;
  return working_ > 0 && (all || spent.count() > request_.trying_s);
}

// Prepares one kernel up to its first launches on the first shape before the next kernel is
// started, so that it is clear which one took the board down.
void Measuring::enter(KernelRun& runner) {
  runner.tried = true;
  ++tried_;
  try {
    auto loaded = session_.load(request_.profile, runner.outcome, is_new(runner.outcome));
    if (const auto* error = std::get_if<KernelError>(&loaded)) {
      fail(runner, *error);
      return;
    }
    CachedKernel& kept = *std::get<std::shared_ptr<CachedKernel>>(loaded);
    std::optional<KernelError> failure;
    if (request_.verify) {
      announce_launch(runner, kept.first_launch_s);
      failure = verify(kept, runner.outcome);
    } else if (request_.shapes.empty()) {
      failure = launch_tiny(kept, runner);
    }
    if (failure) fail(runner, *failure);
  } catch (const Error& error) {
    // An error here comes from the driver and not from the kernel, which has not been launched.
    fail(runner, OutcomeClass::kLaunch, error.what());
  }
  if (!runner.out && (request_.shapes.empty() || prepare(runner, 0))) ++working_;
}

std::optional<KernelError> Measuring::verify(CachedKernel& kept, Outcome& outcome) {
  const Executor& executor = session_.executor();
  const Verified verified = session_.verifier_.verify(executor, session_.queue(), *kept.kernel);
  if (const auto* kernel_error = std::get_if<KernelError>(&verified)) return *kernel_error;
  outcome.max_error = std::get<double>(verified);
  kept.first_launch_s = 0.0;
  executor.store(*kept.kernel);
  return std::nullopt;
}

// Launches a kernel once on a tiny shape, if that is needed to get its binary into the cache. It is
// needed only on devices that compile at the first launch. Elsewhere an unverified kernel is not
// launched during other measurements, because it might crash the device.
std::optional<KernelError> Measuring::launch_tiny(CachedKernel& kept, const KernelRun& runner) {
  const KernelRecord& record = kept.kernel->record();
  const bool is_timed = is_product(record.role) || record.role == Role::kPack;
  if (!compiles_at_launch(session_.device.device) || !is_timed) return std::nullopt;
  auto made = make_job(session_.operands(request_.options.seed), *kept.kernel, tiny_shape(record));
  if (auto* shape_limit = std::get_if<KernelError>(&made)) return std::move(*shape_limit);
  const LaunchJob& job = std::get<LaunchJob>(made);
  announce_launch(runner, kept.first_launch_s);
  Timed timed = sampler().once(job.launch(job.whole), job.what);
  if (auto* kernel_error = std::get_if<KernelError>(&timed)) return std::move(*kernel_error);
  session_.executor().store(*kept.kernel);
  return std::nullopt;
}

void Measuring::classify(KernelRun& runner) const {
  Outcome& outcome = runner.outcome;
  if (request_.shapes.empty() || runner.out) return;
  if (outcome.shapes.empty()) {
    outcome.result = OutcomeClass::kLimits;
    outcome.reason =
        runner.outcome.label() + " cannot be used on any of the shapes: " + runner.shape_limit;
    return;
  }
  for (std::size_t shape = 0; shape < request_.shapes.size(); ++shape) {
    const ShapeSamples* samples = samples_on(outcome, request_.shapes[shape]);
    if (samples != nullptr && median_ns(*samples) <= kMaxSlowdown * best_ns(shape)) return;
  }
  outcome.result = OutcomeClass::kSlow;
  outcome.reason = fmt::format(
      "more than {} times slower than the best kernel on every measured shape", kMaxSlowdown);
}

// Records a failure. The first line of the reason becomes the outcome's reason, the rest its build
// log.
std::nullopt_t Measuring::fail(KernelRun& runner, OutcomeClass result, const std::string& reason) {
  runner.out = true;
  Outcome& outcome = runner.outcome;
  outcome.result = result;
  const std::size_t end = reason.find('\n');
  outcome.reason = reason.substr(0, end);
  if (end != std::string::npos) outcome.build_log = reason.substr(end + 1);
  return std::nullopt;
}

std::nullopt_t Measuring::fail(KernelRun& runner, const KernelError& kernel_error) {
  return fail(runner, to_outcome_class(kernel_error.kind), kernel_error.reason);
}

void Measuring::reopen_after(const KernelRun& runner) {
  if (runner.out && runner.outcome.result == OutcomeClass::kLaunch) session_.reopen();
}

}  // namespace tilewright

// Samples kernels shape by shape, in rounds and under the dispatch guard.
#include <algorithm>
#include <limits>
#include <optional>

#include "runtime/call/opencl_error.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/measure/kernel_job.hpp"
#include "tuner/measure/session/measuring.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

// A candidate that is slower than the best by kDropFactor in every sample so far is not sampled
// further. After a single sample the factor is kFirstDropFactor, because the machine may have
// been slow at that moment.
constexpr double kDropFactor = 2.0;
constexpr double kFirstDropFactor = 4.0;
// A kernel with large tiles may leave most of a wide GPU idle on a small product and still be the
// best on a large one. A candidate within this factor of the best on one of the shapes so far may
// still win on the next. One shape decides nothing: on a small and deep product, the best kernel of
// large products is 12 times slower than kernels that divide k.
constexpr double kMayImprove = 8.0;
// A candidate within this factor of the best on the previous shape is promising. Only such
// candidates are measured with long launches.
constexpr double kPromising = 1.15;

}  // namespace

// Loads the kernel if necessary, determines how much of the shape the dispatch guard permits, and
// makes sure that the kernel has been launched before.
std::optional<PreparedRun> Measuring::prepare(KernelRun& runner, std::size_t shape) {
  try {
    const GemmShape& whole = request_.shapes[shape];
    auto loaded = session_.load(request_.profile, runner.outcome, is_new(runner.outcome));
    if (const auto* error = std::get_if<KernelError>(&loaded)) return fail(runner, *error);
    auto& kept = std::get<std::shared_ptr<CachedKernel>>(loaded);
    OperandPool& operands = session_.operands(request_.options.seed);
    auto made = make_job(operands, *kept->kernel, whole);
    if (auto* shape_limit = std::get_if<KernelError>(&made)) {
      runner.shape_limit = std::move(shape_limit->reason);
      return std::nullopt;
    }
    const auto [known, is_first] = kept->on.try_emplace(to_text(whole), kept->last);
    const auto expected = runner.known.find(shape);
    if (is_first && expected != runner.known.end() && expected->second > 0.0) {
      known->second = {expected->second / std::max(1.0, flops(whole)), flops(whole)};
    }
    PreparedRun ready{kept, std::move(std::get<LaunchJob>(made)), &known->second};
    const double max_dispatch_ns = request_.options.max_dispatch_ns;
    announce_launch(runner, kept->first_launch_s + 1e-9 * max_dispatch_ns);
    const auto reached = find_dispatch_part(sampler(), ready.job, max_dispatch_ns, *ready.rate);
    if (const auto* error = std::get_if<KernelError>(&reached)) return fail(runner, *error);
    if (const auto* slow = std::get_if<ExceedsDispatchLimit>(&reached)) {
      return fail(runner, OutcomeClass::kSlow, slow->reason);
    }
    ready.part = std::get<DispatchPart>(reached);
    const GemmShape& part = ready.part.part;
    double& expected_ns = ready.part.expected_ns;
    if (is_first) {  // On some drivers the first launch compiles. It also warms the caches.
      announce_launch(runner, kept->first_launch_s + 1e-9 * expected_ns);
      const Timed warm = sampler().once(ready.job.launch(part), ready.job.what);
      if (const auto* error = std::get_if<KernelError>(&warm)) return fail(runner, *error);
      expected_ns = std::get<double>(warm);
      *ready.rate = kept->last = {expected_ns / std::max(1.0, flops(part)), flops(part)};
      kept->first_launch_s = 0.0;
      session_.executor().store(*kept->kernel);
    }
    return ready;
  } catch (const Error& error) {
    return fail(runner, OutcomeClass::kLaunch, error.what());
  }
}

// Returns true if the kernel was so slow on earlier shapes that it is not even launched on this
// one. Slow launches would use up most of the time budget.
bool Measuring::is_hopeless(const KernelRun& runner, std::size_t shape) const {
  const double expected_ns = runner.ns_per_flop * flops(request_.shapes[shape]);
  if (is_long_launch(shape, expected_ns)) return runner.slowdown > kPromising;
  return runner.outcome.shapes.size() > 1 && runner.min_slowdown > kMayImprove;
}

void Measuring::measure_on(std::size_t shape) {
  std::vector<KernelRun*> runs;
  for (KernelRun& runner : runners_) {
    if (!runner.tried || runner.out || is_hopeless(runner, shape)) continue;
    if (prepare(runner, shape)) runs.push_back(&runner);
    reopen_after(runner);
  }
  const std::size_t kernels = runs.size();
  if (kernels > 0 && reference_ && !reference_->out && reference_->known.count(shape) > 0) {
    if (prepare(*reference_, shape)) runs.push_back(&*reference_);
    reopen_after(*reference_);
  }
  Rounds rounds;
  rounds.min = std::max(1, request_.options.samples);
  rounds.max = request_.seconds > 0.0 ? request_.max_rounds : rounds.min;
  rounds.seconds = request_.seconds;
  take_turns(runs.size(), rounds, session_.random_, [&](std::size_t i) {
    const bool is_reference = i == kernels;
    // The reference is sampled as often as the kernels that are compared with it.
    const bool wanted =
        is_reference ? std::any_of(runs.begin(), runs.end() - 1,
                                   [&](const KernelRun* run) {
                                     return run->samples.ns.size() + wants_more(*run, shape) >
                                            reference_->samples.ns.size();
                                   })
                     : wants_more(*runs[i], shape);
    if (wanted && sample(*runs[i], shape)) return true;
    reopen_after(*runs[i]);
    return false;
  });
  const bool has_reference = runs.size() > kernels && !reference_->out;
  for (std::size_t i = 0; i < kernels; ++i) {
    keep_samples(*runs[i], has_reference ? &*reference_ : nullptr, shape);
  }
  for (KernelRun* run : runs) run->samples = {};
}

void Measuring::keep_samples(KernelRun& runner, const KernelRun* reference, std::size_t shape) {
  ShapeSamples& samples = runner.samples;
  if (runner.out || samples.ns.empty()) return;
  if (reference != nullptr) {
    samples.reference_ns = reference->samples.ns;
    samples.reference_known_ns = reference->known.at(shape);
    runner.outcome.reference = request_.reference;
  }
  runner.slowdown = median_ns(samples) / best_ns(shape);
  const bool is_first = runner.outcome.shapes.empty();
  runner.min_slowdown = is_first ? runner.slowdown : std::min(runner.min_slowdown, runner.slowdown);
  runner.ns_per_flop = median_ns(samples) / std::max(1.0, flops(samples.shape));
  runner.outcome.shapes.push_back(std::move(samples));
}

bool Measuring::wants_more(const KernelRun& runner, std::size_t shape) const {
  const std::size_t count = runner.samples.ns.size();
  if (runner.out || count == 0) return !runner.out;
  const double margin = count == 1 ? kFirstDropFactor : kDropFactor;
  return count < runner.max_samples && min_ns(runner.samples) <= margin * best_ns(shape);
}

// Takes one more sample. Returns false if the kernel failed or does not support the shape any more.
bool Measuring::sample(KernelRun& runner, std::size_t shape) {
  const std::optional<PreparedRun> ready = prepare(runner, shape);
  if (!ready) return false;
  const auto& [part, expected_ns, scale] = ready->part;
  ShapeSamples& samples = runner.samples;
  if (samples.ns.empty()) {
    // job.whole may differ: a reduction always has the same extent.
    samples.shape = request_.shapes[shape];
    samples.slice_m = part == ready->job.whole ? 0 : part.m;
    const bool is_long = is_long_launch(shape, expected_ns * scale) && request_.seconds == 0.0;
    runner.max_samples = is_long ? 1 : std::numeric_limits<std::size_t>::max();
  }
  try {
    announce_launch(runner, 1e-9 * expected_ns + sampler().expected_s(expected_ns));
    const Sampled sampled = sampler().sample(ready->job.launch(part), expected_ns, ready->job.what);
    if (const auto* error = std::get_if<KernelError>(&sampled)) {
      fail(runner, *error);
      return false;
    }
    const Sample& sample = std::get<Sample>(sampled);
    *ready->rate = ready->kept->last = {sample.ns / std::max(1.0, flops(part)), flops(part)};
    samples.ns.push_back(sample.ns * scale);
    if (sample.clock_hz != ClockPair{}) samples.clocks_hz.push_back(sample.clock_hz);
    for (const double ns : sample.rejected_ns) samples.rejected_ns.push_back(ns * scale);
    return true;
  } catch (const Error& error) {
    fail(runner, OutcomeClass::kLaunch, error.what());
    return false;
  }
}

}  // namespace tilewright

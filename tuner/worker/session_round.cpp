// A round of the finals: one sample of each finalist on one shape.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/opencl_error.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

// A sample of the whole product, or why there is none: its class, and a sentence.
struct Failure {
  OutcomeClass result;
  std::string reason;
};
using Measured = std::variant<Sample, Failure>;

Failure failure_of(const Rejection& rejection) {
  return {class_of(rejection.stage), rejection.reason};
}

class RoundRun {
 public:
  RoundRun(SessionState& state, const RoundRequest& request) : state_(state), request_(request) {
    state_.open->sampler(request.options);  // options that contradict each other are found now
  }

  RoundReply run();

 private:
  Measured measure(std::size_t index);
  Measured time(std::size_t index);
  Measured time(std::size_t index, const LaunchJob& job, double first_launch_s);
  void announce(std::size_t index, double expected_s) {
    state_.announce({PhaseKind::kLaunch, std::to_string(index), expected_s});
  }

  SessionState& state_;
  const RoundRequest& request_;
};

RoundReply RoundRun::run() {
  RoundReply reply;
  reply.round.round = request_.round;
  reply.round.block = request_.block;
  reply.round.shape = request_.shape;
  for (const std::size_t index : request_.runs) {
    const Measured measured = measure(index);
    if (const auto* failure = std::get_if<Failure>(&measured)) {
      reply.failures[index] = fmt::format("{}: {}", to_text(failure->result), failure->reason);
      continue;
    }
    const Sample& sample = std::get<Sample>(measured);
    reply.round.ns[index] = sample.ns;
    if (sample.clock_hz != ClockPair{}) reply.round.clocks_hz[index] = sample.clock_hz;
    if (!sample.rejected_ns.empty()) reply.round.rejected_ns[index] = sample.rejected_ns;
  }
  return reply;
}

// Whoever fails leaves the others a device that works.
Measured RoundRun::measure(std::size_t index) {
  Measured measured = Failure{OutcomeClass::kLaunch, ""};
  try {
    measured = time(index);
  } catch (const Error& error) {
    measured = Failure{OutcomeClass::kLaunch, error.what()};
  }
  const auto* failure = std::get_if<Failure>(&measured);
  if (failure != nullptr && failure->result == OutcomeClass::kLaunch) state_.reopen();
  return measured;
}

Measured RoundRun::time(std::size_t index) {
  if (index >= state_.lineup.finalists.size()) {
    return Failure{OutcomeClass::kLimits, fmt::format("there is no finalist {}", index)};
  }
  const KeptKernel loaded = state_.load(state_.lineup.finalists[index], std::to_string(index));
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) return failure_of(*rejection);
  const ReadyKernel& ready = std::get<ReadyKernel>(loaded);
  const KernelRecord& record = ready.kernel->record();
  if (record.role != Role::kGemm && record.role != Role::kGemv) {
    return Failure{OutcomeClass::kLimits, record.name + " computes no product"};
  }
  OpenDevice& open = *state_.open;
  PooledGemm pooled = open.pool(request_.options.seed).product(record, request_.shape);
  if (const auto* misfit = std::get_if<Rejection>(&pooled)) return failure_of(*misfit);
  const LaunchJob job = product_job(open.executor(), open.queue(), *ready.kernel,
                                    std::move(std::get<Pooled<GemmProblem>>(pooled)));
  const Measured measured = time(index, job, ready.first_launch_s);
  if (std::holds_alternative<Sample>(measured)) open.executor().store(*ready.kernel);
  return measured;
}

Measured RoundRun::time(std::size_t index, const LaunchJob& job, double first_launch_s) {
  const Sampler& sampler = state_.open->sampler(request_.options);
  const double max_dispatch_ns = request_.options.max_dispatch_ns;
  const auto [known, is_first] = state_.rates.try_emplace({index, to_text(request_.shape)});
  LearnedRate& rate = known->second;
  const auto expected = request_.expected_ns.find(index);
  if (is_first && expected != request_.expected_ns.end() && expected->second > 0.0) {
    rate = {expected->second / flops(job.whole), flops(job.whole)};
  }
  announce(index, first_launch_s + 1e-9 * max_dispatch_ns);
  const Reached reached = reach(sampler, job, max_dispatch_ns, rate);
  if (const auto* rejection = std::get_if<Rejection>(&reached)) return failure_of(*rejection);
  if (const auto* slow = std::get_if<TooSlow>(&reached)) {
    return Failure{OutcomeClass::kSlow, slow->reason};
  }
  const Reach& part = std::get<Reach>(reached);
  const Launch launch = [&] { return job.launch(part.part); };
  announce(index, 1e-9 * part.expected_ns + sampler.expected_s(part.expected_ns));
  double expected_ns = part.expected_ns;
  if (is_first) {  // it compiles, on some drivers, and warms caches
    const Timed warm = sampler.once(launch, job.what);
    if (const auto* rejection = std::get_if<Rejection>(&warm)) return failure_of(*rejection);
    expected_ns = std::get<double>(warm);
  }
  Sampled sampled = sampler.sample(launch, expected_ns, job.what);
  if (const auto* rejection = std::get_if<Rejection>(&sampled)) return failure_of(*rejection);
  Sample& sample = std::get<Sample>(sampled);
  rate = {sample.ns / flops(part.part), flops(part.part)};
  sample.ns *= part.scale;
  for (double& ns : sample.rejected_ns) ns *= part.scale;
  return std::move(sample);
}

}  // namespace

RoundReply run_round(SessionState& state, const RoundRequest& request) {
  if (!request.lineup.finalists.empty() && request.lineup != state.lineup) {
    state.lineup = request.lineup;
    state.rates.clear();
  }
  // All are wanted again in every round.
  state.open->make_room(state.lineup.finalists.size());
  return RoundRun(state, request).run();
}

}  // namespace tilewright

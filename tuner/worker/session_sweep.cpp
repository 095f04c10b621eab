// A sweep of the finals: one sample of each finalist on one shape.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/opencl_error.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

// A sample of the whole job, or why there is none: its class, and a sentence.
struct Failure {
  OutcomeClass result;
  std::string reason;
};
using Raced = std::variant<Sample, Failure>;

Failure failure_of(const Rejection& rejection) {
  return {class_of(rejection.stage), rejection.reason};
}

// The job that a kernel of this role is for: of two, the wanted one.
Finalist::Job job_for(Role role, Finalist::Job wanted) {
  if (role == Role::kReduce) return Finalist::Job::kReduce;
  if (role != Role::kPack) return Finalist::Job::kProduct;
  return wanted == Finalist::Job::kPackA ? wanted : Finalist::Job::kPackB;
}

class Sweeping {
 public:
  Sweeping(SessionState& state, const SweepRequest& request)
      : state_(state), request_(request), pool_seed_(request.options.seed) {
    state_.open->sampler(request.options);  // options that contradict each other are found now
  }

  SweepReply run();

 private:
  Raced race(std::size_t index);
  Raced time(std::size_t index);
  Raced time(std::size_t index, const LaunchJob& job, double first_launch_s);
  std::variant<LaunchJob, Failure> job_of(const Finalist& finalist, LoadedKernel& kernel);
  void announce(std::size_t index, double expected_s) {
    state_.announce({PhaseKind::kLaunch, std::to_string(index), expected_s});
  }

  SessionState& state_;
  const SweepRequest& request_;
  std::uint64_t pool_seed_;
};

SweepReply Sweeping::run() {
  SweepReply reply;
  reply.sweep.round = request_.round;
  reply.sweep.fork = request_.fork;
  reply.sweep.shape = request_.shape;
  if (state_.lineup.finalists.empty()) return reply;
  const auto run = [&](std::size_t index) -> std::optional<Sample> {
    if (reply.failures.count(index) > 0) return std::nullopt;
    Raced raced = race(index);
    if (auto* sample = std::get_if<Sample>(&raced)) return std::move(*sample);
    const Failure& failure = std::get<Failure>(raced);
    reply.failures[index] = fmt::format("{}: {}", to_text(failure.result), failure.reason);
    return std::nullopt;
  };
  const auto reference_ns = [&] {
    const auto sample = request_.with_reference ? run(state_.lineup.reference) : std::nullopt;
    return sample ? sample->ns : 0.0;
  };
  reply.sweep.reference_before_ns = reference_ns();
  for (const std::size_t index : request_.runs) {
    const std::optional<Sample> sample = run(index);
    if (!sample) continue;
    reply.sweep.ns[index] = sample->ns;
    if (sample->clock_hz != ClockPair{}) reply.sweep.clocks_hz[index] = sample->clock_hz;
    if (!sample->rejected_ns.empty()) reply.sweep.rejected_ns[index] = sample->rejected_ns;
  }
  reply.sweep.reference_after_ns = reference_ns();
  return reply;
}

// Whoever fails leaves the others a device that works.
Raced Sweeping::race(std::size_t index) {
  Raced raced = Failure{OutcomeClass::kLaunch, ""};
  try {
    raced = time(index);
  } catch (const Error& error) {
    raced = Failure{OutcomeClass::kLaunch, error.what()};
  }
  const auto* failure = std::get_if<Failure>(&raced);
  if (failure != nullptr && failure->result == OutcomeClass::kLaunch) state_.reopen();
  return raced;
}

Raced Sweeping::time(std::size_t index) {
  if (index >= state_.lineup.finalists.size()) {
    return Failure{OutcomeClass::kLimits, fmt::format("there is no finalist {}", index)};
  }
  const Finalist& finalist = state_.lineup.finalists[index];
  const KeptKernel loaded = state_.load(finalist.point, std::to_string(index));
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) return failure_of(*rejection);
  const ReadyKernel& ready = std::get<ReadyKernel>(loaded);
  auto job = job_of(finalist, *ready.kernel);
  if (auto* failure = std::get_if<Failure>(&job)) return std::move(*failure);
  const Raced raced = time(index, std::get<LaunchJob>(job), ready.first_launch_s);
  if (std::holds_alternative<Sample>(raced)) state_.open->executor().store(*ready.kernel);
  return raced;
}

std::variant<LaunchJob, Failure> Sweeping::job_of(const Finalist& finalist, LoadedKernel& kernel) {
  OpenDevice& open = *state_.open;
  OperandPool& pool = open.pool(pool_seed_);
  const KernelRecord& record = kernel.record();
  if (job_for(record.role, finalist.job) != finalist.job) {
    return Failure{OutcomeClass::kLimits, record.name + " is not for that job"};
  }
  const auto of = [&](auto make, auto pooled) -> std::variant<LaunchJob, Failure> {
    if (const auto* misfit = std::get_if<Rejection>(&pooled)) return failure_of(*misfit);
    return make(open.executor(), open.queue(), kernel, std::move(std::get<0>(pooled)));
  };
  if (finalist.job == Finalist::Job::kProduct) {
    return of(product_job, pool.product(record, request_.shape));
  }
  const KernelRecord gemm = state_.emit_point(parse_point(finalist.packs_for));
  if (finalist.job == Finalist::Job::kReduce) {
    return of(reducing_job, pool.reducing(record, gemm, request_.shape));
  }
  const PooledOperand operand =
      finalist.job == Finalist::Job::kPackA ? PooledOperand::kA : PooledOperand::kB;
  return of(packing_job, pool.packing(record, operand, gemm, request_.shape));
}

Raced Sweeping::time(std::size_t index, const LaunchJob& job, double first_launch_s) {
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

SweepReply run_sweep(SessionState& state, const SweepRequest& request) {
  if (!request.lineup.finalists.empty() && request.lineup != state.lineup) {
    state.lineup = request.lineup;
    state.rates.clear();
  }
  // Who races is wanted again in every sweep.
  state.open->make_room(state.lineup.finalists.size());
  return Sweeping(state, request).run();
}

}  // namespace tilewright

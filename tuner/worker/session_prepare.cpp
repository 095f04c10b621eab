// Preparing: a kernel is built and launched once, so that whoever asks for it next has it at once.
#include <numeric>

#include "runtime/call/opencl_error.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kTiny = 16;

// A product that the record serves, as small as any.
GemmShape tiny_shape(const KernelRecord& record) {
  const std::int64_t extent = std::lcm(kTiny, std::int64_t{record.alignment});
  return {record.narrow == Dimension::kM ? std::int64_t{record.tile.m} : extent,
          record.narrow == Dimension::kN ? std::int64_t{record.tile.n} : extent, kTiny};
}

// nullopt: kernels of that role are only built.
std::variant<std::optional<LaunchJob>, Rejection> tiny_job(OpenDevice& open, LoadedKernel& kernel) {
  const KernelRecord& record = kernel.record();
  OperandPool& pool = open.pool(MeasureOptions{}.seed);
  const Role role = record.role;
  if (role == Role::kReduce || role == Role::kActivation || role == Role::kSoftmax) {
    return std::nullopt;
  }
  if (record.role == Role::kPack) {
    PooledPack pooled = pool.packing(record, kTiny, kTiny);
    if (auto* misfit = std::get_if<Rejection>(&pooled)) return std::move(*misfit);
    return packing_job(open.executor(), open.queue(), kernel,
                       std::move(std::get<Pooled<PackProblem>>(pooled)));
  }
  PooledGemm pooled = pool.product(record, tiny_shape(record));
  if (auto* misfit = std::get_if<Rejection>(&pooled)) return std::move(*misfit);
  return product_job(open.executor(), open.queue(), kernel,
                     std::move(std::get<Pooled<GemmProblem>>(pooled)));
}

std::optional<Rejection> build(SessionState& state, const KernelId& wanted) {
  KeptKernel loaded = state.load(wanted, wanted.text());
  if (auto* rejection = std::get_if<Rejection>(&loaded)) return std::move(*rejection);
  const ReadyKernel& ready = std::get<ReadyKernel>(loaded);
  LoadedKernel& kernel = *ready.kernel;
  // Elsewhere it is compiled now, and in the cache. What is not verified is not launched beside a
  // measurement without need: it might take the device with it.
  if (!compiles_at_launch(state.device.device)) return std::nullopt;
  auto made = tiny_job(*state.open, kernel);
  if (auto* rejection = std::get_if<Rejection>(&made)) return std::move(*rejection);
  const auto& job = std::get<std::optional<LaunchJob>>(made);
  if (!job) return std::nullopt;
  state.announce({PhaseKind::kLaunch, wanted.text(), ready.first_launch_s});
  Timed timed = state.open->sampler({}).once([&] { return job->launch(job->whole); }, job->what);
  if (auto* rejection = std::get_if<Rejection>(&timed)) return std::move(*rejection);
  state.open->executor().store(kernel);
  return std::nullopt;
}

}  // namespace

Outcome DeviceSession::prepare(const KernelId& kernel) {
  Outcome outcome;
  outcome.kernel = kernel;
  try {
    if (const auto rejection = build(*state_, kernel)) reject(outcome, *rejection);
  } catch (const Error& error) {
    reject(outcome, {Stage::kLaunch, error.what()});
  }
  if (outcome.result == OutcomeClass::kLaunch) state_->reopen();
  return outcome;
}

}  // namespace tilewright

// Checking: is a kernel of a profile right on this device, and how fast is it?
#include <fmt/format.h>

#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "tuner/measure/pack_tuning.hpp"
#include "tuner/measure/reduce_verification.hpp"
#include "tuner/terminal/usage_error.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

// What is no product: verified, and measured where profiles have times.
std::optional<Rejection> check_other(SessionState& state, const CheckRequest& request,
                                     LoadedKernel& kernel, Outcome& outcome) {
  OpenDevice& open = *state.open;
  state.announce({PhaseKind::kLaunch, request.kernel, 0.0});
  const Role role = kernel.record().role;
  if (role == Role::kReduce) return verify_reduce(open.executor(), open.queue(), kernel);
  const bool layer = role == Role::kActivation || role == Role::kSoftmax;
  // The library's own check leaves nothing out of what such kernels do.
  if (auto wrong = layer ? check_kernel(open.executor(), open.queue(), kernel)
                         : verify_pack(open.executor(), open.queue(), kernel)) {
    return wrong;
  }
  if (request.shapes.empty()) return std::nullopt;
  const GemmShape& shape = request.shapes.front();  // a square, of k = 1
  state.announce({PhaseKind::kLaunch, request.kernel, 1e-9 * request.options.max_dispatch_ns});
  auto sampled = sample_auxiliary(open, kernel, shape.m, request.options);
  if (auto* failed = std::get_if<Rejection>(&sampled)) {
    // It is right: that it cannot be timed here is no fault of its.
    if (failed->stage == Stage::kLimits) return std::nullopt;
    return std::move(*failed);
  }
  ShapeSamples samples;
  samples.shape = shape;
  samples.ns = std::move(std::get<std::vector<double>>(sampled));
  outcome.shapes.push_back(std::move(samples));
  return std::nullopt;
}

bool is_product(const KernelRecord& record) {
  return record.role == Role::kGemm || record.role == Role::kGemv;
}

// What is no product; a product is loaded for its trial.
std::optional<Rejection> check_all_but_trial(SessionState& state, const CheckRequest& request,
                                             const KernelRecord& record,
                                             std::shared_ptr<LoadedKernel>& kernel,
                                             Outcome& outcome) {
  state.announce({PhaseKind::kBuild, record.name, 0.0});
  Loaded loaded = state.open->executor().load(record);
  if (auto* rejection = std::get_if<Rejection>(&loaded)) return std::move(*rejection);
  kernel = std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  return is_product(record) ? std::nullopt : check_other(state, request, *kernel, outcome);
}

}  // namespace

Outcome DeviceSession::check(const CheckRequest& request) {
  const Profile profile = load_profile(request.profile);
  const KernelRecord* record = find_kernel(profile, request.kernel);
  if (record == nullptr) {
    throw UsageError(fmt::format("{} has no kernel '{}'", request.profile, request.kernel));
  }
  Outcome outcome;
  std::shared_ptr<LoadedKernel> kernel;
  try {
    if (const auto rejection = check_all_but_trial(*state_, request, *record, kernel, outcome)) {
      reject(outcome, *rejection);
    }
  } catch (const Error& error) {
    reject(outcome, {Stage::kLaunch, error.what()});
  }
  if (outcome.result == OutcomeClass::kLaunch) {
    kernel.reset();
    state_->reopen();
  }
  if (outcome.result != OutcomeClass::kOk || !is_product(*record)) return outcome;
  TrialRequest measured;
  measured.shapes = request.shapes;
  measured.options = request.options;
  return run_trial(*state_, measured, std::move(kernel));
}

}  // namespace tilewright

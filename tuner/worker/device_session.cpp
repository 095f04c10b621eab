#include "tuner/worker/device_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "codelets/space/generic_profile.hpp"
#include "runtime/call/opencl_error.hpp"
#include "tuner/device/thread_pinning.hpp"
#include "tuner/measure/pack_tuning.hpp"
#include "tuner/rates/device_rates.hpp"
#include "tuner/worker/session_state.hpp"

namespace tilewright {
namespace {

constexpr double kMicroBenchmarks_s = 10.0;  // all of them, compiling included

DeviceFacts facts_of(const ListedDevice& listed, const std::string& sysfs) {
  DeviceFacts facts;
  facts.identity = listed.identity;
  facts.limits = space_limits(listed);
  facts.hints = device_hints(listed.device);
  facts.type = device_type(listed.device);
  if (facts.type == "cpu") facts.clock_warning = thread_warning(listed.identity.platform);
  if (facts.type != "gpu") return facts;
  const ClockReader clock(sysfs);
  facts.clock_governor = clock.governor();
  facts.clock_path = clock.path();
  facts.clock_warning = clock.warning();
  return facts;
}

}  // namespace

OutcomeClass class_of(Stage stage) {
  switch (stage) {
    case Stage::kLimits:
      return OutcomeClass::kLimits;
    case Stage::kBuild:
      return OutcomeClass::kBuild;
    case Stage::kLaunch:
      return OutcomeClass::kLaunch;
    case Stage::kWrong:
      return OutcomeClass::kWrong;
  }
  return OutcomeClass::kLaunch;
}

void reject(Outcome& outcome, const Rejection& rejection) {
  outcome.result = class_of(rejection.stage);
  const std::size_t end = rejection.reason.find('\n');
  outcome.reason = rejection.reason.substr(0, end);
  if (end != std::string::npos) outcome.build_log = rejection.reason.substr(end + 1);
}

SessionState::SessionState(const ListedDevice& listed, std::string cache, Announce announced,
                           const std::string& sysfs)
    : device(listed),
      cache_dir(std::move(cache)),
      announce(std::move(announced)),
      facts(facts_of(listed, sysfs)) {
  reopen();
}

void SessionState::reopen() {
  open.reset();  // one context at a time
  open = std::make_unique<OpenDevice>(device.device, cache_dir);
}

KeptKernel SessionState::load(const KernelId& wanted, const std::string& what) {
  if (auto kept = open->kept(wanted.text())) return ReadyKernel{std::move(kept), 0.0};
  announce({PhaseKind::kBuild, what, 0.0});
  const auto begin = std::chrono::steady_clock::now();
  Loaded loaded = open->executor().load(emit_point(wanted.point()));
  if (auto* rejection = std::get_if<Rejection>(&loaded)) return std::move(*rejection);
  std::shared_ptr<LoadedKernel> kernel = std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  open->keep(wanted.text(), kernel);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return ReadyKernel{std::move(kernel), took.count()};
}

VerificationCases& SessionState::cases(std::uint64_t seed) {
  if (cases_of_seed == nullptr || cases_seed != seed) {
    cases_of_seed = std::make_unique<VerificationCases>(seed);
    cases_seed = seed;
  }
  return *cases_of_seed;
}

DeviceSession::DeviceSession(const ListedDevice& device, const std::string& cache_dir,
                             Announce announce, const std::string& sysfs)
    : state_(std::make_unique<SessionState>(device, cache_dir, std::move(announce), sysfs)) {}
DeviceSession::~DeviceSession() = default;

const DeviceFacts& DeviceSession::facts() const {
  return state_->facts;
}

void DeviceSession::set_emit(Emit emit) {
  state_->emit_point = std::move(emit);
}

RoundReply DeviceSession::round(const RoundRequest& request) {
  return run_round(*state_, request);
}

PackReply DeviceSession::tune_pack(const PackRequest& request) {
  const auto about_to = [this](PhaseKind kind, const std::string& point) {
    state_->announce({kind, point, 0.0});
  };
  const auto best = tilewright::tune_pack(*state_->open, state_->facts.limits, request,
                                          state_->emit_point, about_to);
  return best ? PackReply{best->kernel, best->ns_per_element} : PackReply{};
}

RatesReply DeviceSession::measure_rates(double most_s, const DeviceRates& known) {
  state_->announce({PhaseKind::kBuild, kMicroBenchmarks, kMicroBenchmarks_s});
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() > most_s;
  };
  return measure_device_rates(state_->device, is_over, known);
}

void DeviceSession::health_check() {
  constexpr GemmShape kShape[] = {{17, 19, 13}};
  std::string reason = "the built-in profile has no product";
  VerificationCases cases(1, kShape);
  for (const KernelRecord& record : generic_profile().kernels) {
    if (record.role != Role::kGemm) continue;
    state_->announce({PhaseKind::kBuild, "health check: " + record.point, 0.0});
    Loaded loaded = state_->open->executor().load(record);
    if (const auto* rejection = std::get_if<Rejection>(&loaded)) {
      reason = rejection->reason;
      // The next one may be smaller.
      if (rejection->stage == Stage::kLimits) continue;
      break;
    }
    state_->announce({PhaseKind::kLaunch, "health check: " + record.point, 0.0});
    const Verified verified =
        verify_kernel(state_->open->executor(), state_->open->queue(),
                      *std::get<std::unique_ptr<LoadedKernel>>(loaded), cases.of(record));
    const auto* rejection = std::get_if<Rejection>(&verified);
    if (rejection == nullptr) return;
    reason = rejection->reason;
    break;
  }
  throw Error(TW_OPENCL_ERROR,
              fmt::format("the device '{}' does not compute even the built-in product: {}",
                          state_->facts.identity.name, reason));
}

}  // namespace tilewright

#include "tuner/worker/device_session.hpp"

#include <fmt/format.h>

#include <chrono>

#include "codelets/space/generic_profile.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "tuner/rates/copy_job.hpp"
#include "tuner/rates/device_rates.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

constexpr double kMicroBenchmarks_s = 10.0;  // all of them, compiling included

}  // namespace

DeviceSession::DeviceSession(const ListedDevice& listed, std::string cache_dir, Announce announced,
                             const std::string& sysfs)
    : device(listed),
      facts(describe_device(listed, sysfs)),
      announce(std::move(announced)),
      cache_dir_(std::move(cache_dir)) {
  reopen();
}

void DeviceSession::reopen() {
  open_.reset();  // one context at a time
  open_ = std::make_unique<OpenDevice>(device.device, cache_dir_);
}

KernelRecord DeviceSession::record_of(const std::string& profile, const std::string& name) {
  if (const auto width = copy_width(name)) return copy_record(*width);
  if (profile_.first != profile) {
    profile_ = {profile, profile == kBuiltInProfile
                             ? parse_profile(generic_profile_text(), "built-in profile")
                             : load_profile(profile)};
  }
  if (const KernelRecord* record = find_kernel(profile_.second, name)) return *record;
  throw UsageError(fmt::format("{} has no kernel '{}'", profile, name));
}

std::variant<std::shared_ptr<KeptKernel>, Rejection> DeviceSession::load(
    const MeasureRequest& request, const KernelId& kernel, const std::string& name) {
  const std::string key = kernel.empty() ? request.profile + '\n' + name : kernel.text();
  if (auto kept = open_->kept(key)) return kept;
  announce({WorkerActivityKind::kBuild, name, 0.0});
  const auto begin = std::chrono::steady_clock::now();
  Loaded loaded = open_->executor().load(kernel.empty() ? record_of(request.profile, name)
                                                        : emit_point_(kernel.point()));
  if (auto* rejection = std::get_if<Rejection>(&loaded)) return std::move(*rejection);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  auto kept = std::make_shared<KeptKernel>(
      KeptKernel{std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded)), took.count()});
  open_->keep(key, kept);
  return kept;
}

void DeviceSession::set_emit(Emit emit) {
  emit_point_ = std::move(emit);
  reopen();  // kernels that are kept were others
}

RatesReply DeviceSession::measure_rates(double most_s, const DeviceRates& known,
                                        Precision precision) {
  announce({WorkerActivityKind::kBuild, kMicroBenchmarks, kMicroBenchmarks_s});
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() > most_s;
  };
  return measure_device_rates(device, is_over, known, {precision});
}

void DeviceSession::health_check() {
  std::string reason = "the built-in profile has no product";
  for (const KernelRecord& record : basic_profile().kernels) {
    if (record.role != Role::kGemm) continue;
    announce({WorkerActivityKind::kBuild, "health check: " + record.point, 0.0});
    Loaded loaded = open_->executor().load(record);
    if (const auto* rejection = std::get_if<Rejection>(&loaded)) {
      reason = rejection->reason;
      // The next one may be smaller.
      if (rejection->stage == Stage::kLimits) continue;
      break;
    }
    announce({WorkerActivityKind::kLaunch, "health check: " + record.point, 0.0});
    const auto rejection = check_kernel(open_->executor(), open_->queue(),
                                        *std::get<std::unique_ptr<LoadedKernel>>(loaded));
    if (!rejection) return;
    reason = rejection->reason;
    break;
  }
  throw Error(TW_OPENCL_ERROR,
              fmt::format("the device '{}' does not compute even the built-in product: {}",
                          facts.identity.name, reason));
}

}  // namespace tilewright

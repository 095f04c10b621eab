// What do the requests of a DeviceSession share? Private to it.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "tuner/measure/open_device.hpp"
#include "tuner/measure/verification.hpp"
#include "tuner/worker/device_session.hpp"

namespace tilewright {

struct SessionState {
  SessionState(const ListedDevice& listed, std::string cache, Announce announced,
               const std::string& sysfs);

  // Opens the device afresh. Throws Error.
  void reopen();
  // The kernel, or else the request's of that name, kept or loaded; before it is loaded, kBuild is
  // announced for the name. Throws ProfileError, UsageError if there is no such kernel.
  std::variant<std::shared_ptr<KeptKernel>, Rejection> load(const MeasureRequest& request,
                                                            const KernelId& kernel,
                                                            const std::string& name);
  VerificationCases& cases(std::uint64_t seed);

  ListedDevice device;
  std::string cache_dir;
  Announce announce;
  DeviceFacts facts;
  Emit emit_point = emit;
  std::unique_ptr<OpenDevice> open;
  std::mt19937_64 random{std::random_device()()};  // the order of rounds: another in each process

 private:
  KernelRecord record_of(const std::string& profile, const std::string& name);

  std::uint64_t cases_seed_ = 0;
  std::unique_ptr<VerificationCases> cases_;
  std::pair<std::string, Profile> profile_;  // the last that was asked for, by its path
};

}  // namespace tilewright

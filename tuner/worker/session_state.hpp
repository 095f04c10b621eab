// What do the requests of a DeviceSession share? Private to it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/open_device.hpp"
#include "tuner/measure/verification.hpp"
#include "tuner/worker/device_session.hpp"

namespace tilewright {

// A kernel that is ready to be launched.
struct ReadyKernel {
  std::shared_ptr<LoadedKernel> kernel;
  // Expected of its first launch: drivers that go on compiling then need about as long again. 0: it
  // has been launched before.
  double first_launch_s = 0.0;
};
using KeptKernel = std::variant<ReadyKernel, Rejection>;

struct SessionState {
  SessionState(const ListedDevice& listed, std::string cache, Announce announced,
               const std::string& sysfs);

  // Opens the device afresh. Throws Error.
  void reopen();
  // The kernel, kept or loaded; before it is loaded, kBuild is announced for `what`.
  KeptKernel load(const KernelId& wanted, const std::string& what);
  VerificationCases& cases(std::uint64_t seed);

  ListedDevice device;
  std::string cache_dir;
  Announce announce;
  DeviceFacts facts;
  Emit emit_point = emit;
  std::unique_ptr<OpenDevice> open;
  std::uint64_t cases_seed = 0;
  std::unique_ptr<VerificationCases> cases_of_seed;
  // Of the finals: what is known of each finalist on each shape (as text).
  Lineup lineup;
  std::map<std::pair<std::size_t, std::string>, LearnedRate> rates;
};

OutcomeClass class_of(Stage stage);
// What became of a candidate that was rejected; the build log apart.
void reject(Outcome& outcome, const Rejection& rejection);

// What DeviceSession::trial does. `kernel`: that is tried, if not what the request's is emitted as.
Outcome run_trial(SessionState& state, const TrialRequest& request,
                  std::shared_ptr<LoadedKernel> kernel = nullptr);
// What DeviceSession::round does.
RoundReply run_round(SessionState& state, const RoundRequest& request);

}  // namespace tilewright

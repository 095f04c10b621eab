#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "tuner/bench/profile_check.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {
namespace {

// After this time kernels are verified but not measured, so that the command takes less than a
// minute.
constexpr std::chrono::seconds kMeasureFor{40};
// At this time a hanging kernel is given up, and no further kernel is started.
constexpr std::chrono::seconds kVerifyFor{55};

struct VerifyArguments {
  std::string profile;
  std::string device;
  std::string precision;
  bool verbose = false;
  bool json = false;
};

Outcome require_outcome(std::variant<Outcome, Stopped> answer) {
  if (auto* outcome = std::get_if<Outcome>(&answer)) return std::move(*outcome);
  throw std::runtime_error("stopped before all kernels were verified");
}

KernelCheck check_kernel(DeviceWorker& worker, const Profile& profile, const std::string& path,
                         const KernelRecord& record, bool measure) {
  MeasureRequest request = check_request(profile, path, record, measure);
  Outcome outcome = require_outcome(worker.trial(request));
  if (outcome.result == OutcomeClass::kLimits && !request.shapes.empty()) {
    // The shapes on which it was measured may not fit into memory.
    request.shapes.clear();
    outcome = require_outcome(worker.trial(request));
  }
  return judge(profile, record, outcome);
}

// A worker process owns the device, so that a kernel that crashes the driver does not end the
// command.
int run_verify(const VerifyArguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  Profile profile = load_profile(arguments.profile);
  keep_precision(arguments.precision, arguments.profile, profile);
  WorkerSetup setup;
  setup.on_failures = print_failures;
  setup.device = arguments.device;
  DeviceWorker worker(setup);
  const DeviceIdentity& identity = worker.facts().identity;
  ProfileCheck check;
  check.profile = arguments.profile;
  check.device =
      fmt::format("{} ({}; driver {})", identity.name, identity.platform, identity.driver);
  if (const auto mismatch = hard_mismatch(profile, identity)) {
    throw Error(TW_WRONG_DEVICE,
                fmt::format("profile {} is for another device: {}", arguments.profile, *mismatch));
  }
  check.software_change = soft_mismatch(profile, identity).value_or("");
  if (!arguments.json) {
    print("{} on {} ({})\n{}\n", check.profile, identity.name, short_platform(identity.platform),
          kernel_count_text(profile));
    if (!check.software_change.empty()) {
      print("{}{}\n", profile.kind == ProfileKind::kPredicted ? "" : "tuned with other software: ",
            check.software_change);
    }
  }
  const std::string path = std::filesystem::absolute(arguments.profile).string();
  worker.end_by(start + kVerifyFor);
  for (const KernelRecord& record : profile.kernels) {
    if (std::chrono::steady_clock::now() - start > kVerifyFor) {
      check.left_out = profile.kernels.size() - check.kernels.size();
      break;
    }
    const bool measure = std::chrono::steady_clock::now() - start < kMeasureFor;
    check.kernels.push_back(check_kernel(worker, profile, path, record, measure));
    const bool is_right = check.kernels.back().verdict == Verdict::kRight;
    if (arguments.json || (is_right && !arguments.verbose)) continue;
    print_lines(to_text(check.kernels.back()));
    std::fflush(standard_output());
  }
  print_lines(arguments.json ? to_json(check) + "\n" : summary_text(check));
  return check.all_right() ? 0 : 1;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "verify",
      "Run the kernels of a profile and check their results and speed\n\n"
      "Takes at most a minute. The exit code is 1 if a kernel computes wrong results or fails.");
  auto a = std::make_shared<VerifyArguments>();
  command->add_option("PROFILE", a->profile, "Profile to verify")->required();
  add_device_option(*command, a->device);
  add_precision_option(*command, a->precision)
      ->description("Verify only kernels with this element type: s, d or h");
  add_verbose_flag(*command, a->verbose);
  add_json_flag(*command, a->json);
  command->callback([a, &exit_code] { exit_code = run_verify(*a); });
}

}  // namespace tilewright

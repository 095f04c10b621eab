// Verifies the kernels of a profile on a device and compares their times with those in the profile.
//
// These functions create the requests for a worker and evaluate its replies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/journal/records/statistics.hpp"
#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

enum class Verdict {
  kRight,
  kWrong,
  kDoesNotBuild,  // the compiler rejects it or crashes, or it exceeds the limits of the device
  kDoesNotRun,    // a launch fails, hangs or crashes the driver
};
const char* to_text(Verdict);  // "right", "wrong", "does not build", "does not run"

// A result of the profile that was measured again.
struct Remeasured {
  GemmShape shape;           // pack kernel: rows, columns, 1
  double recorded_ns = 0.0;  // median in the profile
  Summary ratio;             // measured time divided by recorded time; above 1: slower now
};

struct KernelCheck {
  std::string kernel;
  Role role = Role::kGemm;
  Verdict verdict = Verdict::kRight;
  std::string reason;      // a sentence; empty if the kernel is correct
  double max_error = 0.0;  // products: largest error as a share of the error bound
  std::vector<Remeasured> results;
};

struct ProfileCheck {
  std::string profile;
  std::string device;
  std::string software_change;  // how the software differs from that of the tuning; "": not at all
  std::vector<KernelCheck> kernels;
  std::size_t left_out = 0;  // kernels that were not measured for lack of time

  bool all_right() const;
};

// Returns the request for a kernel. It measures again the shortest result and the longest one that
// takes little time; for a pack kernel, its only result. `measure`: if false, only verify.
MeasureRequest check_request(const Profile& profile, const std::string& path,
                             const KernelRecord& record, bool measure);

// Evaluates the reply.
KernelCheck judge(const Profile& profile, const KernelRecord& record, const Outcome& outcome);

// Return some lines for one kernel, and a line for each kind of kernel with the result of all.
std::string to_text(const KernelCheck& check);
std::string summary_text(const ProfileCheck& check);
std::string to_json(const ProfileCheck& check);

}  // namespace tilewright

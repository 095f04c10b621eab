// Are the kernels of a profile right on this device, and as fast as it says?
//
// Pure: what is to be asked of a worker, and what its answers mean.
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
  kDoesNotBuild,  // the compiler refuses it or dies of it, or the device cannot hold it
  kDoesNotRun,    // a launch fails, hangs or kills the driver
};
const char* to_text(Verdict);  // "right", "wrong", "does not build", "does not run"

// A result of the profile, measured again.
struct Remeasured {
  GemmShape shape;           // of a pack: rows, columns, 1
  double recorded_ns = 0.0;  // median, as the profile says
  Summary ratio;             // measured time to recorded time; above 1: slower now
};

struct KernelCheck {
  std::string kernel;
  Role role = Role::kGemm;
  Verdict verdict = Verdict::kRight;
  std::string reason;      // a sentence; empty if it is right
  double max_error = 0.0;  // of products: share of the error bound
  std::vector<Remeasured> results;
};

struct ProfileCheck {
  std::string profile;
  std::string device;
  std::string software_change;  // other software than the profile was tuned under; "": the same
  std::vector<KernelCheck> kernels;
  std::size_t left_out = 0;  // kernels that no time was left for

  bool all_right() const;
};

// What to ask of a kernel: of its results, the shortest and the longest that cost little to measure
// again; of a pack kernel, the one that it has. `measure`: false only verifies.
MeasureRequest check_request(const Profile& profile, const std::string& path,
                             const KernelRecord& record, bool measure);

// What the answer says.
KernelCheck judge(const Profile& profile, const KernelRecord& record, const Outcome& outcome);

// A few lines for one kernel, and the last words on all.
std::string to_text(const KernelCheck& check);
std::string summary_text(const ProfileCheck& check);
std::string to_json(const ProfileCheck& check);

}  // namespace tilewright

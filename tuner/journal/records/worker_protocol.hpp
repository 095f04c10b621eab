// Defines the protocol between supervisor and worker.
//
// Each message is a JSON object on one line of a socket (worker_lines.hpp). The supervisor sends a
// request; the worker replies with any number of announcements and then one reply. The worker
// announces each step that may crash or hang, with its expected duration, and the latest
// announcement determines the supervisor's deadline. Before the first build and the first launch of
// a candidate, the worker waits until the supervisor has received the announcement. If a worker
// dies or exceeds its deadline, the latest announcement determines the class of the outcome.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/records/finals_record.hpp"
#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// What a worker is about to do.
enum class WorkerActivityKind { kStart, kBuild, kLaunch };

// The name under which the micro-benchmarks are announced.
inline constexpr const char* kMicroBenchmarks = "micro-benchmarks";

// An announcement.
struct WorkerActivity {
  WorkerActivityKind kind = WorkerActivityKind::kStart;
  std::string what;         // text of the kernel, or another name
  double expected_s = 0.0;  // predicted duration; 0 if unknown. The deadline grows with it
  // If `what` names more than a kernel, such as a plan on a shape: the point of the product's
  // kernel; "" if there is none.
  std::string kernel = {};
  // True before the first build and the first launch of a new kernel, which may take the board
  // down: the worker waits until the supervisor has recorded the activity.
  bool is_new = false;
  bool operator==(const WorkerActivity&) const = default;
};

// Sends an announcement to the supervisor.
using Announce = std::function<void(const WorkerActivity&)>;

// How samples are taken.
struct MeasureOptions {
  double sample_ns = 1e6;          // minimum duration of a sample
  int samples = 3;                 // per trial and shape
  double max_dispatch_ns = 200e6;  // nothing is launched that is predicted to take longer
  bool cold_caches = false;        // flush caches before every launch
  bool event_time = true;          // if false: wall time of back-to-back launches
  std::string sysfs = "/sys";      // where to look for devfreq
  std::uint64_t seed = 1;          // of the data
  bool operator==(const MeasureOptions&) const = default;
};

// Durations in seconds. A good kernel finishes a screening shape within kShortLaunch_s. A launch
// above kLongLaunch_s is long: only promising candidates are measured with such launches, and only
// once each.
inline constexpr double kShortLaunch_s = 0.02;
inline constexpr double kLongLaunch_s = 4 * kShortLaunch_s;

// The request to measure kernels, different ones. It is used for trials, rounds of the finals,
// auxiliary kernels, `verify` and `bench`.
//
// The kernels are built in order and verified if requested. Then, shape by shape, they are launched
// under the dispatch guard and sampled in rounds: in each round, each kernel once in random order.
// Without shapes the kernels are only verified; if `verify` is false, too, they are only built, so
// that their binaries are in the cache.
struct MeasureRequest {
  std::vector<KernelId> kernels;
  // After these: names of kernels of the profile.
  std::vector<std::string> names = {};
  std::string profile = {};            // path of the profile, or kBuiltInProfile
  std::vector<GemmShape> shapes = {};  // for kernels other than products {rows, columns, 1}
  std::string task = {};               // task, process and round of the outcomes
  int process = 0;
  int round = 0;
  // Expected time of each of `kernels` on the first shape; 0, or a shorter list: unknown.
  std::vector<double> expected_ns = {};
  bool verify = true;
  // True if the kernels are new: since they may crash the board, the worker waits before the first
  // build and launch of each until that has been recorded.
  bool is_new = true;
  // If the worker is lost, the request ends, because measurements of another process cannot be
  // combined with those of this one.
  bool one_process = false;
  // Per shape, the best known time of one kernel in ns; infinity if there is none. Kernels that are
  // clearly slower are not measured further.
  std::vector<double> best_ns = {};
  KernelId reference = {};                // kernel that shows slow-downs of the machine
  std::vector<double> reference_ns = {};  // its usual time per shape
  // Once a kernel works, no further kernel is started after trying_s seconds or after max_kernels
  // were tried (0: no limit).
  std::size_t max_kernels = 0;
  double trying_s = std::numeric_limits<double>::infinity();
  // There are options.samples rounds, and more, up to max_rounds, until `seconds` have passed.
  double seconds = 0.0;
  int max_rounds = std::numeric_limits<int>::max();
  MeasureOptions options = {};
  bool operator==(const MeasureRequest&) const = default;

  std::size_t num_kernels() const { return kernels.size() + names.size(); }
};

// The reply to a request to measure: the outcome of each kernel that was tried, in the order of the
// request. This is also the line of a journal, with the time.
using Outcomes = std::vector<Outcome>;

// Returns an outcome without a result for each kernel of the request, in its order.
Outcomes requested_outcomes(const MeasureRequest& request);

// Stands for the path of the profile that is built into this program.
inline constexpr const char* kBuiltInProfile = "builtin";

// The reply of a worker that has opened its device.
struct OpenedDevice {
  DeviceInfo device;
  std::vector<std::string> failures = {};  // of other platforms and devices, one sentence for each
  bool has_timer = true;                   // false: samples are wall times
  bool operator==(const OpenedDevice&) const = default;
};

// Results of the micro-benchmarks.
struct MeasuredRates : DeviceRates {
  bool partial = false;  // true if the time was over before all had been started
  bool operator==(const MeasuredRates&) const = default;
};

}  // namespace tilewright

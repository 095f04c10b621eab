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

// The request to measure kernels. It is used for trials, rounds of the finals, auxiliary kernels,
// `verify` and `bench`.
//
// The kernels are built in order and verified if requested. Then, shape by shape, they are launched
// under the dispatch guard and sampled in rounds: in each round, each kernel once in random order.
// Without shapes the kernels are only verified; if `verify` is false, too, they are only built, so
// that their binaries are in the cache.
struct MeasureRequest {
  std::vector<KernelId> kernels;
  // The names of the kernels in announcements; empty: their texts. If a kernel is empty, its name
  // refers to a kernel of the profile, as named there, or is a copy_name(). A copy is not verified.
  // The outcomes of such kernels contain no kernel.
  std::vector<std::string> names = {};
  std::string profile = {};            // path of the profile, or kBuiltInProfile
  std::vector<GemmShape> shapes = {};  // for kernels other than products {rows, columns, 1}
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
  // By index of the kernel: expected time on the first shape, if known.
  std::map<std::size_t, double> expected_ns = {};
  // Once a kernel works, no further kernel is started after trying_s seconds or after max_kernels
  // were tried (0: no limit).
  std::size_t max_kernels = 0;
  double trying_s = std::numeric_limits<double>::infinity();
  // There are options.samples rounds, and more, up to max_rounds, until `seconds` have passed.
  double seconds = 0.0;
  int max_rounds = std::numeric_limits<int>::max();
  MeasureOptions options = {};
  bool operator==(const MeasureRequest&) const = default;

  // Returns the name of a kernel in announcements.
  const std::string& name(std::size_t kernel) const {
    return names.empty() ? kernels[kernel].text() : names[kernel];
  }
  // Adds a kernel of the profile, or a copy, by name.
  void add(const std::string& name) {
    kernels.emplace_back();
    names.push_back(name);
  }
};

// Stands for the path of the profile that is built into this program.
inline constexpr const char* kBuiltInProfile = "builtin";

// The reply to a request to measure.
struct MeasureReply {
  std::map<std::size_t, Outcome> outcomes;  // by index of the kernel, for those that were tried
  bool device_time = true;                  // false: samples are wall times
  bool worker_lost = false;      // a worker was lost, so not everything was measured in one process
  std::int64_t large_bytes = 0;  // size of a matrix that is larger than the caches of the device
  bool operator==(const MeasureReply&) const = default;
};

// The reply to a round: the measured times, and why finalists failed, by index.
struct RoundReply {
  Round round;
  std::map<std::size_t, std::string> failures;
  bool operator==(const RoundReply&) const = default;
};

// The best auxiliary kernel for a requirement.
struct PackReply {
  KernelId kernel;              // empty if none works
  double ns_per_element = 0.0;  // on a square matrix of moved_extent() rows
  bool operator==(const PackReply&) const = default;
};

// Results of the micro-benchmarks.
struct RatesReply {
  DeviceRates rates;
  bool partial = false;  // true if the time was over before all had been started
  bool operator==(const RatesReply&) const = default;
};

}  // namespace tilewright

// What do supervisor and worker say to each other?
//
// One JSON object a line, over a socket (worker_lines.hpp). The supervisor sends a request; the
// worker answers with any number of phase lines and then one reply. A phase line stands before each
// thing that may crash or hang, and says how long it may take: the supervisor's deadline is that of
// the last phase line. Before a candidate's first build and first launch the worker waits until the
// supervisor has read the line. A worker that dies or overstays is classed by its last phase.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/records/finals_record.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// What a worker is about to do.
enum class WorkerActivityKind { kStart, kBuild, kLaunch };

// What is at work while rates are measured.
inline constexpr const char* kMicroBenchmarks = "micro-benchmarks";

struct WorkerActivity {
  WorkerActivityKind kind = WorkerActivityKind::kStart;
  std::string what;         // the kernel's text, or what else is at work
  double expected_s = 0.0;  // predicted duration; 0: unknown. The deadline grows with it
  bool operator==(const WorkerActivity&) const = default;
};

using Announce = std::function<void(const WorkerActivity&)>;

// How samples are taken.
struct MeasureOptions {
  double sample_ns = 1e6;          // least length of a sample
  int samples = 3;                 // of a trial, per shape
  double max_dispatch_ns = 200e6;  // no launch that is predicted to take longer
  bool cold_caches = false;        // caches are flushed before every launch
  bool event_time = true;          // else wall time of back-to-back launches
  std::string sysfs = "/sys";      // where devfreq is looked for
  std::uint64_t seed = 1;          // of the data
  bool operator==(const MeasureOptions&) const = default;
};

// The one request to measure: of trials, rounds of the finals, kernels beside products, `verify`
// and `bench`. The kernels are built in their order, verified if that is asked for, and then, shape
// by shape, launched under the dispatch guard and sampled in rounds: each kernel once a round, in
// random order. Without shapes they are only verified; without that, too, only built, so that their
// binaries are in the cache.
struct MeasureRequest {
  std::vector<KernelId> kernels;
  // What phases call them; empty: as they are. A name without a kernel is that of a kernel of the
  // profile, as it is written there, or a copy_name(), which is verified by nothing and so is not
  // asked for alone: its outcome is of no kernel.
  std::vector<std::string> names = {};
  std::string profile = {};            // its path, or kBuiltInProfile
  std::vector<GemmShape> shapes = {};  // of others than products: rows, columns, 1
  bool verify = true;
  bool is_new = true;  // what may take the board down waits until it is written down
  // A loss of the worker ends the request: what would be measured in the next process does not
  // belong to it.
  bool one_process = false;
  // Per shape, of one kernel: the least known time; infinity: none yet. Kernels that are clearly
  // behind are left out.
  std::vector<double> best_ns = {};
  KernelId reference = {};                         // tells slow-downs
  std::vector<double> reference_ns = {};           // per shape: its known time
  std::map<std::size_t, double> expected_ns = {};  // by kernel, on the first shape, where known
  // Once one works, no more than so many are tried (0: all), and none is begun after so long.
  std::size_t most_kernels = 0;
  double trying_s = std::numeric_limits<double>::infinity();
  // There are options.samples rounds, and more, up to most_rounds, until so much time is over.
  double seconds = 0.0;
  int most_rounds = std::numeric_limits<int>::max();
  MeasureOptions options = {};
  bool operator==(const MeasureRequest&) const = default;

  const std::string& name(std::size_t kernel) const {
    return names.empty() ? kernels[kernel].text() : names[kernel];
  }
  // A kernel of the profile, or a copy.
  void add(const std::string& name) {
    kernels.emplace_back();
    names.push_back(name);
  }
};

// The profile that this program has in itself, as a path.
inline constexpr const char* kBuiltInProfile = "builtin";

struct MeasureReply {
  std::map<std::size_t, Outcome> outcomes;  // by kernel; of those that were tried
  bool device_time = true;                  // else samples are wall times
  bool worker_lost = false;                 // on the way: not all was measured in one process
  std::int64_t large_bytes = 0;             // of a matrix that no cache of the device holds
  bool operator==(const MeasureReply&) const = default;
};

// The reply to a round: what was measured, and who failed, why.
struct RoundReply {
  Round round;
  std::map<std::size_t, std::string> failures;
  bool operator==(const RoundReply&) const = default;
};

// The best kernel beside products for a demand.
struct PackReply {
  KernelId kernel;              // none works: no kernel
  double ns_per_element = 0.0;  // on a square of moved_extent()
  bool operator==(const PackReply&) const = default;
};

// What micro-benchmarks found out.
struct RatesReply {
  DeviceRates rates;
  bool partial = false;  // the time was over before all had been begun
  bool operator==(const RatesReply&) const = default;
};

}  // namespace tilewright

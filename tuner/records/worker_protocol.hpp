// What do supervisor and worker say to each other?
//
// One JSON object a line, over a socket (worker_lines.hpp). The supervisor sends a request; the
// worker answers with any number of phase lines and then one reply. A phase line stands before each
// thing that may crash or hang, and says how long it may take: the supervisor's deadline is that of
// the last phase line. Before a candidate's first build and first launch the worker waits until the
// supervisor has read the line. A worker that dies or overstays is classed by its last phase.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "codelets/model/merit.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/profile.hpp"
#include "tuner/records/finals_record.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// What a worker is about to do.
enum class PhaseKind { kStart, kBuild, kLaunch };

// What is at work while rates are measured.
inline constexpr const char* kMicroBenchmarks = "micro-benchmarks";

struct Phase {
  PhaseKind kind = PhaseKind::kStart;
  std::string what;         // the kernel's text, or what else is at work
  double expected_s = 0.0;  // predicted duration; 0: unknown. The deadline grows with it
  bool operator==(const Phase&) const = default;
};

using Announce = std::function<void(const Phase&)>;

// Who the device is: the first reply.
struct DeviceFacts {
  DeviceIdentity identity;
  SpaceLimits limits;
  DeviceHints hints;
  std::string type;  // "gpu", "cpu", "accelerator"
  // Another device of the machine has the same name: both of a Mali-T628 do.
  bool name_is_shared = false;
  // The clock of a GPU, as clock_reader.hpp finds it; "" where it cannot be read.
  std::string clock_governor;
  std::string clock_path;
  std::string clock_warning;  // why samples may not be comparable, and what to do; "": all is well
  bool operator==(const DeviceFacts&) const = default;
};

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

// A candidate on trial: build, verify, then measure on the shapes in turn, leaving out those where
// it was hopelessly behind before.
struct TrialRequest {
  KernelId kernel;
  std::vector<GemmShape> shapes;
  std::vector<double> best_ns;       // per shape: the least known time; infinity: none yet
  KernelId reference;                // tells slow-downs
  std::vector<double> reference_ns;  // per shape: its known time
  MeasureOptions options;
  bool operator==(const TrialRequest&) const = default;
};

// One round of the finals. `runs` names finalists by index.
struct RoundRequest {
  Lineup lineup;  // empty: as in the round before
  GemmShape shape;
  int block = 0;
  int round = 0;
  std::vector<std::size_t> runs;              // in the order in which they are to run
  std::map<std::size_t, double> expected_ns;  // by finalist, where known
  MeasureOptions options;
  bool first = false;  // of this line-up on this shape: finalists have not run on it yet
  bool operator==(const RoundRequest&) const = default;
};

// The reply to a round: what was measured, and who failed, why.
struct RoundReply {
  Round round;
  std::map<std::size_t, std::string> failures;
  bool operator==(const RoundReply&) const = default;
};

// The best kernel for a way of packing, a point of codelet pack whose demanded parameters (layouts,
// image, size) are given; or the best one that adds up parts, for the point "reduce".
struct PackRequest {
  ParameterPoint demand = PackPoint{};
  double seconds = 1.0;
  MeasureOptions options;
  std::vector<KernelId> excluded;    // not to be tried: workers died of them
  std::vector<KernelId> first = {};  // tried before all others
  int candidates = 0;                // that are tried; 0: as many as there is time for
  bool operator==(const PackRequest&) const = default;
};
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

// A kernel of a profile, as it is written there: build, verify by its role, then measure products
// on the shapes, and packs on the first, a square of k = 1. The answer is an outcome of no point's
// kernel.
struct CheckRequest {
  std::string profile;  // path
  std::string kernel;   // name
  std::vector<GemmShape> shapes;
  MeasureOptions options;
  bool operator==(const CheckRequest&) const = default;
};

}  // namespace tilewright

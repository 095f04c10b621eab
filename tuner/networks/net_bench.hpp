// How fast is a net's forward, and where does its time go?
//
// Wall time from the call to the finished output, in the memory where the input is. Competitors
// take turns inside one run, in random order, as in benchmark.hpp; forwards with timestamps, from
// which the time of each step comes, take turns with them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tilewright/mlp.hpp>
#include "tuner/bench/bench_conditions.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/networks/net_facts.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {

struct NetBenchOptions {
  std::string model_name;  // as the user says it
  std::vector<std::int64_t> batches;
  std::vector<std::string> rivals;
  ProfileSource profile = ProfileSource::automatic();
  double seconds_per_batch = 2.0;            // measuring time, all competitors together
  std::uint64_t seed = 1;                    // of the input
  std::string command;                       // goes into the report
  Precision precision = Precision::kSingle;  // of the net's elements
};

// Commands of a forward that belong together.
struct NetStepResult {
  MlpStep step;
  std::optional<Summary> device_ns;  // nullopt: the driver's timestamps make no sense

  // Median rate in GFLOPS; 0 if it is no product, or its time is not known.
  double gflops() const;
};

// Times in ns: median over the rounds, 10th and 90th percentile.
struct NetResult {
  std::size_t batch = 0;
  double flops = 0.0;                     // 2 batch inputs outputs, of all affine layers
  Summary forward_ns;                     // wall time
  std::map<std::string, Summary> rivals;  // wall time
  Summary launch_floor_ns;                // of an empty kernel, measured among the competitors
  std::size_t workspace_bytes = 0;        // between the layers
  std::vector<NetStepResult> steps;

  double gflops() const;
  // The launch floor as a share of a forward's median time (shares.hpp).
  double launch_share() const;
  // speed_ratio() by medians.
  double ratio(const std::string& rival) const;
};

struct NetBenchReport {
  BenchConditions conditions;
  std::string model_name;
  Precision precision = Precision::kSingle;
  NetFacts facts;
  std::string profile;         // origin of the profile that served
  std::string profile_digest;  // as in its file
  DeviceRates rates;           // as the profile has them
  std::vector<std::string> missing_rivals;
  std::map<std::string, std::string> rival_details;
  std::vector<NetResult> results;
};

// Measures everything; `done` is told each result as it comes. Before a competitor is timed, its
// output is checked (net_check.hpp): a wrong one is an Error.
NetBenchReport run_net_benchmark(const ListedDevice& device, const MlpModel& model,
                                 const NetBenchOptions& options,
                                 const std::function<void(const NetBenchReport&)>& begin,
                                 const std::function<void(const NetResult&)>& done);

// What people read: the table of a result, which shares of the measured peak need (0: not known).
std::string to_table(const NetResult& result, double peak_gflops);

// The report as the JSON object that `mlp bench --json` prints.
std::string to_json(const NetBenchReport& report);

}  // namespace tilewright

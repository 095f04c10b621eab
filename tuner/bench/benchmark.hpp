// How does the served SGEMM compare, end to end?
//
// Wall time from the call to the finished C, packing and launch included. Contenders take turns
// inside one run, in random order, so that drift of the machine meets all alike; ratios are
// meaningful where absolute figures are not.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench_conditions.hpp"
#include "tuner/bench/rivals.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

struct BenchOptions {
  std::vector<GemmShape> shapes;
  std::vector<Op> ops;
  std::vector<std::string> rivals;
  ProfileSource profile = ProfileSource::automatic();
  double seconds_per_product =
      2.0;  // measuring time for one op on one shape, all contenders together
  std::uint64_t seed = 1;
  // Every plan of the profile for the product is a contender, too.
  bool all_plans = false;
  std::string command;  // goes into the report
};

// One plan for the product, as the planner ranks them.
struct BenchPlan {
  std::string kernels;                 // what runs, in order, joined with '+'
  std::optional<double> predicted_ns;  // end to end; nullopt: its kernel was never measured
  Summary gflops;
};

// Rates in GFLOPS: median over the rounds, 10th and 90th percentile.
struct BenchResult {
  Op op;
  GemmShape shape;
  std::string kernel;  // of the product; a pack kernel before it is named with a '+'
  Summary gflops;
  std::map<std::string, Summary> rivals;
  std::vector<BenchPlan> plans = {};  // with all_plans: best predicted first, which serves
  Summary launch_floor_ns = {};       // of an empty kernel, measured among the contenders

  // The launch floor as a share of a call's median time: near 1 where a call is but a launch.
  double launch_share() const;
};

struct BenchReport {
  BenchConditions conditions;
  std::string profile;                               // origin of the profile that served
  std::string profile_digest;                        // as in its file
  DeviceRates rates;                                 // as the profile has them
  std::vector<std::string> missing_rivals;           // asked for, but not on this machine
  std::map<std::string, std::string> rival_details;  // conditions of a rival's figures
  std::vector<BenchResult> results;
};

// Measures everything; `announce` is told what comes next, and `done` the report so far after each
// result, which is its last. Before a contender is timed, some
// elements of its result are checked against the double-precision product: a wrong one is an Error.
BenchReport run_benchmark(const ListedDevice& device, const BenchOptions& options,
                          const Announce& announce,
                          const std::function<void(const BenchReport&)>& done);

// The report as the JSON object that `bench --json` prints.
std::string to_json(const BenchReport& report);

}  // namespace tilewright

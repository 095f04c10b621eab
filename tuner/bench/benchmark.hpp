// How does what is served compare, end to end?
//
// Wall time from the call to the finished C, packing and launch included. Competitors take turns
// inside one run, in random order, so that drift of the machine meets all alike; ratios are
// meaningful where absolute figures are not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench_conditions.hpp"
#include "tuner/bench/rivals.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/records/worker_protocol.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {

struct BenchOptions {
  std::vector<GemmShape> shapes;
  std::vector<Op> ops;
  Precision precision = Precision::kSingle;
  bool complex = false;  // of numbers with two such parts
  std::vector<std::string> rivals;
  std::string profile;  // as choose_profile() takes it
  double seconds_per_product =
      2.0;  // measuring time for one op on one shape, all competitors together
  std::uint64_t seed = 1;
  // Every plan of the profile for the product is a competitor, too, unless it is predicted to take
  // longer than the longest dispatch.
  bool all_plans = false;
  double max_dispatch_ns = MeasureOptions{}.max_dispatch_ns;
  std::string command;  // goes into the report
};

// One plan for the product, as the planner ranks them.
struct BenchPlan {
  std::string kernels;                 // what runs, in order, joined with '+'
  std::optional<double> predicted_ns;  // end to end; nullopt: its kernel was never measured
  Summary gflops;
};

// Rates in GFLOPS: median over the rounds, 10th and 90th percentile. No samples: the worker died of
// it.
struct BenchResult {
  Op op = Op::kNN;
  GemmShape shape;
  std::string kernel;  // of the product; a pack kernel before it is named with a '+'
  Summary gflops;
  std::map<std::string, Summary> rivals;
  std::vector<BenchPlan> plans = {};       // with all_plans: best predicted first, which serves
  std::vector<std::string> left_out = {};  // plans that are predicted to take too long
  Summary launch_floor_ns = {};            // of an empty kernel, measured among the competitors
  double operations = 0.0;                 // floating-point ones of the product

  // The launch floor as a share of a call's median time (shares.hpp).
  double launch_share() const;
  // speed_ratio() by medians; nullopt: one of the two was not measured.
  std::optional<double> ratio(const std::string& rival) const;
};

struct BenchReport {
  BenchConditions conditions;
  Precision precision = Precision::kSingle;
  bool complex = false;
  std::string profile;                               // origin of the profile that served
  std::string profile_digest;                        // as in its file
  DeviceRates rates;                                 // as the profile has them
  std::vector<std::string> missing_rivals;           // asked for, but not on this machine
  std::map<std::string, std::string> rival_details;  // conditions of a rival's figures
  std::vector<BenchResult> results;
  std::vector<std::string> crashes;  // what the worker died of, or hung in: a sentence each
};

// Measures everything in a worker; `done` is told the report so far after each result, which is its
// last. Before a competitor is timed, some elements of its result are checked against the
// double-precision product. What the worker reports an error of, dies of or hangs in is left out,
// and the others go on in the next one. Throws Error if the profile is not to be had.
BenchReport run_benchmark(DeviceWorker& worker, const BenchOptions& options,
                          const std::function<void(const BenchReport&)>& done);

// The worker's side: what all products of a process have in common.
class ProductBench {
 public:
  ProductBench(const ListedDevice& device, Announce announce);
  ~ProductBench();
  // Answers a request of run_benchmark().
  nlohmann::json answer(const nlohmann::json& request);

 private:
  struct Run;
  const ListedDevice& device_;
  Announce announce_;
  std::unique_ptr<Run> run_;
};

// The report as the JSON object that `bench --json` prints.
std::string to_json(const BenchReport& report);

}  // namespace tilewright

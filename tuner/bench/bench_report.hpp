// The results of a benchmark of products, a network or single kernels.
//
// A result belongs to one product, one batch of a network, or one shape of single kernels. Its
// figures are measured alternately in one run, in random order. A change of the machine's speed
// affects all of them equally, so ratios are meaningful even if absolute figures are not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_shape.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/bench/idle_wait.hpp"
#include "tuner/energy/energy_sensor.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {

enum class FigureKind {
  kOwn,         // the product or network, computed by tilewright's library
  kCompetitor,  // the same, computed by a competitor
  kPlan,        // the product, computed by one plan of the profile
  kStep,        // a step of a network's forward pass
  kKernel,      // a single kernel
  kLaunchFloor  // the launch of an empty kernel and the wait for it
};
const char* to_text(FigureKind);  // as in JSON: "tilewright", "competitor" ...

struct BenchFigure {
  FigureKind kind = FigureKind::kOwn;
  std::string name;                       // name of the competitor, plan, step, point or kernel
  std::vector<std::string> kernels = {};  // names of the kernels, in launch order
  double work = 0.0;                      // floating-point operations of one run; 0: none
  double predicted_ns = 0.0;              // 0: unknown
  std::int64_t inputs = 0;                // step: columns of the matrix that it reads
  std::int64_t outputs = 0;               // step: columns of the matrix that it writes
  std::vector<double> samples_ns = {};    // time of one run, one per round; empty: not measured
  // With --energy: joules of one run, and mean power in W, one per round of these measurements.
  std::vector<double> samples_j = {};
  std::vector<double> samples_w = {};

  bool is_measured() const { return !samples_ns.empty(); }
  // Median, 10th and 90th percentile of the samples; all 0 if it was not measured.
  Summary ns() const;
  Summary rate() const;  // GFLOPS
  // Without samples of energy these are all 0.
  Summary joules() const;
  Summary watts() const;
  Summary gflops_per_watt() const;  // floating-point operations per joule, in 10^9
};

// The conditions of measurements of energy.
struct BenchEnergy {
  bool is_asked = false;            // the user asked for it
  std::vector<SensorInfo> sensors;  // their energy is added up
  std::string missing;              // a sentence that says why there is no energy; "": there is
  std::vector<double> idle_w;       // power before the first product, in W
  double sample_s = 0.0;            // minimum length of a sample in s
};

struct BenchResult {
  Op op = Op::kNN;                   // product
  GemmShape shape;                   // product or point
  std::int64_t batch = 0;            // network
  std::int64_t workspace_bytes = 0;  // network: memory for results between layers
  std::vector<BenchFigure> figures;
  std::vector<std::string> left_out = {};  // plans that were skipped, predicted to take too long

  // Returns the first figure of that kind (and name); an unmeasured figure if there is none.
  const BenchFigure& figure(FigureKind kind, const std::string& name = "") const;
  // Returns all figures of that kind, in order.
  std::vector<const BenchFigure*> all(FigureKind kind) const;
  // Returns the launch overhead as a share of tilewright's median time (shares.hpp); nullopt if one
  // of them was not measured.
  std::optional<double> launch_share() const;
  // Returns tilewright's median rate divided by the competitor's: above 1 tilewright is faster.
  // nullopt if one of the two was not measured.
  std::optional<double> ratio(const std::string& competitor) const;
};

// The conditions of a measurement.
struct BenchConditions {
  std::string device;
  std::string processor;  // of a CPU, as in a profile; empty if unknown or another device
  std::string platform;
  std::string driver;
  std::string tool_version;
  std::string date;     // UTC, ISO 8601
  std::string command;  // the command line
  // NAME=value of each environment variable that is set and changes the speed of competitors.
  std::vector<std::string> environment;
};

enum class BenchKind { kProducts, kNetwork, kPoints };
const char* to_text(BenchKind);  // as in JSON: "products", "network", "points"

struct BenchReport {
  BenchKind kind = BenchKind::kProducts;
  BenchConditions conditions;
  Precision precision = Precision::kSingle;
  bool complex = false;
  bool verbose = false;         // the text has kernels and launch overheads
  std::string model;            // the argument of the user
  std::string widths;           // columns of the layers, "784, 100, 10"
  std::string output;           // name of the measured output; empty if the file has only one
  std::int64_t parameters = 0;  // number of weights and biases of the model
  std::string profile;          // origin of the profile
  std::string profile_digest;   // digest in the file of the profile
  DeviceRates rates;            // rates in the profile
  bool device_time = true;      // points; false: wall time, the device has no timer
  IdleWaits waits;              // the waits before the samples of products and networks
  BenchEnergy energy;           // products
  std::vector<Op> op_columns;  // products: the text has a row for each shape; empty: each product
  std::vector<std::string> competitors;         // names in the command line
  std::map<std::string, std::string> details;   // versions and settings, keyed by competitor
  std::map<std::string, std::string> not_here;  // missing competitors, and why they are missing
  std::vector<BenchResult> results;
  std::vector<std::string> missing;  // sentences that say why a figure is missing
  std::vector<std::string> in_part;  // sentences that say which figures are for part of a product
  std::size_t crashes = 0;           // kernels and competitors that crashed or hung the worker

  // Returns the precision of the sums, whose peak is reported.
  Precision arithmetic() const;
  // Returns the rates in the profile; for products, the peak is raised to the highest measured
  // rate.
  DeviceRates raised_rates() const;
  // Returns the peak in GFLOPS to which percentages refer; 0: unknown.
  double peak_gflops() const;
};

// Returns a report without results. `found`: the profile, unless single kernels are measured.
BenchReport begin_report(BenchKind kind, const DeviceIdentity& device, const FoundProfile& found,
                         const std::string& command);

// Return the text for people: before the results, for one result, and after the results.
std::string heading(const BenchReport& report);
std::string to_text(const BenchReport& report, const BenchResult& result);
std::string footer(const BenchReport& report);
// Returns the JSON object that --json prints.
std::string to_json(const BenchReport& report);

}  // namespace tilewright

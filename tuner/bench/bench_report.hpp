// The results of a benchmark: of products, a net, single kernels or pack kernels.
//
// A result is about one product, one batch of a net, or one size of matrices. Its figures belong to
// everything that took turns in one run, in random order, so that a change of the machine's speed
// affects all of them alike: ratios are meaningful where absolute figures are not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/idle_wait.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {

enum class FigureKind {
  kOwn,         // the product or net by tilewright's library
  kCompetitor,  // the same by a competitor
  kPlan,        // the product by one plan of the profile
  kStep,        // a part of a net's forward
  kKernel,      // a kernel alone
  kCopy,        // a copy of as many bytes
  kLaunchFloor  // an empty kernel and the wait for it
};
const char* to_text(FigureKind);  // as in JSON: "tilewright", "competitor" ...

struct BenchFigure {
  FigureKind kind = FigureKind::kOwn;
  std::string name;                       // of the competitor, plan, step, point or kernel
  std::vector<std::string> kernels = {};  // that run, in order
  double work = 0.0;                      // floating-point operations or bytes of one run; 0: none
  double predicted_ns = 0.0;              // 0: not known
  std::int64_t inputs = 0;                // of a step: columns of the matrix that it reads
  std::int64_t outputs = 0;               // and of the one that it writes
  std::vector<double> samples_ns = {};    // time of one run, one per round; none: not measured

  bool is_measured() const { return !samples_ns.empty(); }
  // Median, 10th and 90th percentile over the rounds; all 0 if it was not measured.
  Summary ns() const;
  Summary rate() const;  // GFLOPS or GB/s
};

struct BenchResult {
  Op op = Op::kNN;                   // of a product
  GemmShape shape;                   // of a product or point; rows, columns, 1 of a matrix
  std::int64_t batch = 0;            // of a net
  std::int64_t workspace_bytes = 0;  // of a net, between the layers
  std::vector<BenchFigure> figures;
  std::vector<std::string> left_out = {};  // plans that are predicted to take too long

  // The first figure of that kind (and name); one that is not measured if there is none.
  const BenchFigure& figure(FigureKind kind, const std::string& name = "") const;
  // All figures of that kind, in order.
  std::vector<const BenchFigure*> all(FigureKind kind) const;
  // The launch floor as a share of our own median time (shares.hpp); nullopt: one is not measured.
  std::optional<double> launch_share() const;
  // tilewright's rate divided by the competitor's, by medians: above 1 tilewright is faster.
  // nullopt: one of the two was not measured.
  std::optional<double> ratio(const std::string& competitor) const;
};

// A figure means nothing without its conditions.
struct BenchConditions {
  std::string device;
  std::string platform;
  std::string driver;
  std::string tool_version;
  std::string date;     // UTC, ISO 8601
  std::string command;  // the command line
  // NAME=value of the variables that are set and change the speed of competitors.
  std::vector<std::string> environment;
};

enum class BenchKind { kProducts, kNet, kPoints, kPacks };
const char* to_text(BenchKind);  // as in JSON: "products", "net", "points", "packs"

struct BenchReport {
  BenchKind kind = BenchKind::kProducts;
  BenchConditions conditions;
  Precision precision = Precision::kSingle;
  bool complex = false;
  std::string model;            // as the user names it
  std::string widths;           // of the model's layers
  std::int64_t parameters = 0;  // of the model
  std::string profile;          // where the profile came from
  std::string profile_digest;   // as in its file
  DeviceRates rates;            // as the profile has them
  bool device_time = true;      // of points and packs; false: wall time, the device has no timer
  IdleWaits waits;              // before the samples of products and nets
  std::vector<std::string> competitors;         // that the command names
  std::map<std::string, std::string> details;   // of competitors: conditions of their figures
  std::map<std::string, std::string> not_here;  // competitors that this machine lacks, and why
  std::vector<BenchResult> results;
  std::vector<std::string> missing;  // why something has no figure, a sentence each
  std::vector<std::string> in_part;  // likewise: which figures are of a part of the product
  std::size_t crashes = 0;           // kernels that the worker died of, or hung in

  // The type in which products and nets are summed up, whose peak is reported.
  Precision arithmetic() const;
  // The profile's rates; for products, with the peak raised to the highest measured rate.
  DeviceRates raised_rates() const;
  // What shares of the peak refer to, in GFLOPS; 0: not known.
  double peak_gflops() const;
};

// A report without results. Throws Error if the profile cannot be opened.
BenchReport begin_report(BenchKind kind, const DeviceIdentity& device, const std::string& profile,
                         const std::string& command);

// The text for people: before all results, of one result, and after all.
std::string heading(const BenchReport& report);
std::string to_text(const BenchReport& report, const BenchResult& result);
std::string footer(const BenchReport& report);
// The JSON object that --json prints.
std::string to_json(const BenchReport& report);

}  // namespace tilewright

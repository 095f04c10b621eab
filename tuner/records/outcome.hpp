// What became of a candidate?
//
// Outcomes are what a worker answers, what the journal keeps and what every decision is made from:
// search, finals and merging of shards. They know no device.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/records/kernel_id.hpp"

namespace tilewright {

// How a trial ended. All but the first keep a candidate out of the finals.
enum class OutcomeClass {
  kOk,
  kSlow,    // clearly behind, or no launch of it would stay below the longest dispatch allowed
  kLimits,  // the device cannot hold its work-group, local memory or images, or it serves no shape
  kBuild,   // the compiler refuses it
  kBuildCrash,  // the compiler dies of it, or does not come back
  kLaunch,      // the driver refuses to run it, it fails while running, or the driver dies of it
  kHang,        // a launch does not come back
  kWrong,       // its result is not the product
};
inline constexpr OutcomeClass kOutcomeClasses[] = {
    OutcomeClass::kOk,         OutcomeClass::kSlow,   OutcomeClass::kLimits, OutcomeClass::kBuild,
    OutcomeClass::kBuildCrash, OutcomeClass::kLaunch, OutcomeClass::kHang,   OutcomeClass::kWrong};
std::string_view to_text(OutcomeClass);  // "ok", "slow", "limits", "build", "build_crash" ...
std::optional<OutcomeClass> parse_outcome_class(std::string_view);

// The clock of the device beside one sample, Hz: before and after; 0 where it cannot be read.
using ClockPair = std::array<std::int64_t, 2>;

// Samples of one kernel on one shape. Each is the time of one launch of the whole product in ns:
// the mean of a sample's launches.
struct ShapeSamples {
  GemmShape shape;
  std::vector<double> ns;
  // Beside each: the reference's time at that moment; empty where there was none. A machine that
  // slows down changes both (slow_down.hpp).
  std::vector<double> reference_ns;
  double reference_known_ns = 0.0;  // what the reference was known to take; 0: no reference
  std::int64_t slice_m = 0;  // rows that were launched at a time, where all would have taken too
                             // long (the samples are scaled to the whole); 0: all
  std::vector<ClockPair> clocks_hz;  // beside each sample; empty where none can be read
  std::vector<double> rejected_ns;   // samples across which the clock changed: not counted
  bool operator==(const ShapeSamples&) const = default;
};

// Phases that are no search's. Of the built-in kernels, which are measured before any candidate:
inline constexpr const char* kBuiltIn = "built-in";
// of candidates that are in quarantine;
inline constexpr const char* kQuarantine = "quarantine";
// of kernels beside products that workers died of, or hung in;
inline constexpr const char* kPacking = "packing";
// of chosen kernels with a network's part beside the product.
inline constexpr const char* kFused = "fused";

struct Outcome {
  KernelId kernel;
  std::string phase;  // of the search that proposed it: "NN" ..., or "packed"; or one of the above
  OutcomeClass result = OutcomeClass::kOk;
  std::string reason;      // a sentence; empty for kOk
  std::string build_log;   // kBuild and kBuildCrash
  double max_error = 0.0;  // share of the error bound
  double took_s = 0.0;     // wall time of the trial, compiling included
  double at_s = 0.0;       // tuning time at its end, since the tuning began, over all sessions
  KernelId reference;      // whose times stand beside the samples
  // In the order of measuring; a shape that is missing was not measured (hopeless, or a misfit).
  std::vector<ShapeSamples> shapes;
  bool operator==(const Outcome&) const = default;
};

// Of a candidate that a search tried?
bool is_of_search(const Outcome& outcome);

// The samples on a shape, or nullptr.
const ShapeSamples* samples_on(const Outcome& outcome, const GemmShape& shape);

}  // namespace tilewright

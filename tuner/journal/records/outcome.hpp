// Defines the result of measuring a kernel.
//
// All measurements of kernels give outcomes: trials of a search, rounds of the finals, built-in and
// auxiliary kernels, kernels with the bias and activation of a network. The worker sends an outcome
// in the form in which the journal stores it, and every decision is based on outcomes. They do not
// refer to a device.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/kernel_id.hpp"

namespace tilewright {

// How a trial ended. Only kernels with kOk can take part in the finals.
enum class OutcomeClass {
  kOk,
  kSlow,  // clearly slower than the best, or any launch would exceed the dispatch limit
  // Exceeds a limit of the device (work-group, local memory, images), or supports no shape.
  kLimits,
  kBuild,       // the compiler reports errors
  kBuildCrash,  // the compiler crashes or does not return
  kLaunch,      // the driver rejects the launch, the launch fails, or the driver crashes during it
  kHang,        // a launch does not return
  kWrong,       // the result is not the product
};
inline constexpr OutcomeClass kOutcomeClasses[] = {
    OutcomeClass::kOk,         OutcomeClass::kSlow,   OutcomeClass::kLimits, OutcomeClass::kBuild,
    OutcomeClass::kBuildCrash, OutcomeClass::kLaunch, OutcomeClass::kHang,   OutcomeClass::kWrong};
std::string_view to_text(OutcomeClass);  // "ok", "slow", "limits", "build", "build_crash" ...
std::optional<OutcomeClass> parse_outcome_class(std::string_view);

// Frequency of the device's clock before and after a sample, in Hz; 0 if it cannot be read.
using ClockPair = std::array<std::int64_t, 2>;

// Samples of one kernel on one shape. Each sample is the time of one launch of the whole product in
// ns: the mean over the launches of the sample.
struct ShapeSamples {
  GemmShape shape;
  std::vector<double> ns;
  // For each sample, the time of the reference kernel at that moment; empty without a reference. If
  // the machine slows down, both change (slow_down.hpp).
  std::vector<double> reference_ns;
  double reference_known_ns = 0.0;  // usual time of the reference; 0: no reference
  // Rows per launch if a launch of all rows would have taken too long; 0: all rows. The samples are
  // scaled to the whole product.
  std::int64_t slice_m = 0;
  std::vector<ClockPair> clocks_hz;  // one per sample; empty if the clock cannot be read
  std::vector<double> rejected_ns;   // samples during which the clock changed; they do not count
  bool operator==(const ShapeSamples&) const = default;
};

// Tasks that are not searches:
// Kernels of the built-in profile, measured before any candidate.
inline constexpr const char* kBuiltIn = "built-in";
// Kernels that are not tried again, because the machine went down several times while they ran.
inline constexpr const char* kQuarantine = "quarantine";
// Kernels that had worked, and then failed on a random product.
inline constexpr const char* kValidating = "validation";
// Candidates for auxiliary kernels.
inline constexpr const char* kPacking = "packing";
// One sample of a finalist on one shape.
inline constexpr const char* kFinals = "finals";
// Chosen kernels with the bias and activation of a network.
inline constexpr const char* kFused = "fused";

// The result of measuring a kernel.
struct Outcome {
  KernelId kernel;
  // Name of a search ("NN" ..., or "packed"), or one of the above; "" if no tuning asked for it.
  std::string task;
  OutcomeClass result = OutcomeClass::kOk;
  std::string reason;      // a sentence; empty for kOk
  std::string build_log;   // kBuild and kBuildCrash
  double max_error = 0.0;  // as a fraction of the error bound
  double took_s = 0.0;     // wall time of the trial, including compilation
  // Tuning times over all sessions, which the line of the journal has: when it ended, and when the
  // line before was written. The time in between was spent on it.
  double at_s = 0.0;
  double since_s = 0.0;
  KernelId reference;  // kernel whose times are reference_ns in the samples
  // In the order of measuring. A shape is absent if it was not measured, because the kernel is much
  // too slow or does not support it.
  std::vector<ShapeSamples> shapes;
  // In the finals: the numbers of the worker process and of the round. Samples of the same round
  // and shape were taken one after the other. Pages and addresses differ between processes.
  int process = 0;
  int round = 0;
  // Of the plan of a validated product: its time as the profile predicts it, without the launch of
  // the product; 0: unknown.
  double predicted_ns = 0.0;
  // Instead of `kernel`, if the request names a kernel of a profile.
  std::string name = {};
  // Not stored. In merged journals: the number of the journal, from 1, because each journal numbers
  // its own processes. The slow-downs of the machine have been divided out of its finals.
  int journal = 0;
  bool operator==(const Outcome&) const = default;

  // The name of the kernel in announcements and messages.
  const std::string& label() const { return name.empty() ? kernel.text() : name; }
};

// Returns true if a search proposed the candidate.
bool is_from_search(const Outcome& outcome);

// Returns true if the kernel crashed or hung, or its launch failed.
bool is_crash(OutcomeClass result);

// Returns why a kernel of the finals has failed; nullopt if it is ok, or if it does not support the
// shape or is too slow on it: then it may be good on others.
std::optional<std::string> failure_of_finalist(const Outcome& outcome);

// Returns true for the failure of a kernel that may have an outcome that is ok: it took the machine
// down, or failed on a random product.
bool fails_later(const Outcome& outcome);
// Returns the kernels that must not run again, although they may have an outcome that is ok: they
// took the machine down, or failed on a random product.
std::set<KernelId> failed_later(const std::vector<Outcome>& outcomes);

// Returns the samples on a shape, or nullptr.
const ShapeSamples* samples_on(const Outcome& outcome, const GemmShape& shape);

}  // namespace tilewright

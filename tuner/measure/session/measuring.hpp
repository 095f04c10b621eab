// Measures the kernels of a request. measuring.cpp builds, verifies and classifies them;
// measuring_rounds.cpp samples them.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/kernel_job.hpp"
#include "tuner/measure/session/device_session.hpp"

namespace tilewright {

// Returns the element at an index, or `otherwise` if the list is too short.
inline double at_or(const std::vector<double>& values, std::size_t at, double otherwise) {
  return at < values.size() ? values[at] : otherwise;
}

// State of one kernel of the request, or of the reference kernel.
struct KernelRun {
  Outcome outcome = {};
  std::map<std::size_t, double> known = {};  // by index of the shape: expected time in ns
  bool tried = false;
  bool out = false;          // it failed and is not measured any more
  double ns_per_flop = 0.0;  // on the shape measured last
  // On the shape measured last: its time divided by the best known time.
  double slowdown = 0.0;
  double min_slowdown = 0.0;     // the smallest of these ratios so far
  std::string shape_limit = {};  // why it does not support a shape; "" if it supported all so far
  ShapeSamples samples = {};     // on the shape that is being measured
  std::size_t max_samples = 0;   // on this shape
};

// A kernel that is ready to be sampled on a shape.
struct PreparedRun {
  std::shared_ptr<CachedKernel> kept;
  LaunchJob job;
  LearnedRate* rate;
  DispatchPart part = {};
};

// The course of one measure request.
class Measuring {
 public:
  // Session and request must outlive this object. Throws Error if the options contradict each
  // other.
  Measuring(DeviceSession& session, const MeasureRequest& request);
  // Measures the kernels. A kernel that fails is returned as an outcome (never kBuildCrash or
  // kHang, since a worker that dies cannot reply). The supervisor fills in took_s and the times.
  // Throws Error if the device cannot be reopened after a failed launch. Throws ProfileError or
  // UsageError if the profile does not exist or lacks a kernel.
  Outcomes run();

 private:
  // Loads and verifies a kernel, and launches it on the first shape.
  void enter(KernelRun& runner);
  // Returns true if no more kernels need to be tried.
  bool has_enough() const;
  // These return why the kernel fails; nullopt if it works.
  std::optional<KernelError> verify(CachedKernel& kept, Outcome& outcome);
  std::optional<KernelError> launch_tiny(CachedKernel& kept, const KernelRun& runner);
  // Makes the kernel ready to be sampled on the shape with that index. Returns nullopt if it failed
  // or does not support the shape.
  std::optional<PreparedRun> prepare(KernelRun& runner, std::size_t shape);
  // Adds the samples to the outcome of the kernel.
  void keep_samples(KernelRun& runner, const KernelRun* reference, std::size_t shape);
  void measure_on(std::size_t shape);
  bool wants_more(const KernelRun& runner, std::size_t shape) const;
  // Takes one more sample. Returns false if the kernel failed or does not support the shape any
  // more.
  bool sample(KernelRun& runner, std::size_t shape);
  bool is_hopeless(const KernelRun& runner, std::size_t shape) const;
  // Classifies a kernel without failures as kOk, kSlow or kLimits.
  void classify(KernelRun& runner) const;
  // Record the failure of a kernel. Always return nullopt.
  std::nullopt_t fail(KernelRun& runner, OutcomeClass result, const std::string& reason);
  std::nullopt_t fail(KernelRun& runner, const KernelError& kernel_error);
  // Reopens the device if a launch of the kernel failed, so that other kernels find it working.
  // Objects of the old context must be gone.
  void reopen_after(const KernelRun& runner);

  const Sampler& sampler() { return session_.sampler(request_.options); }
  void announce_launch(const KernelRun& runner, double expected_s) {
    session_.announce({WorkerActivityKind::kLaunch, runner.outcome.label(), expected_s, "",
                       is_new(runner.outcome)});
  }
  // The reference is not new, although it is built and launched, too.
  bool is_new(const Outcome& outcome) const {
    return request_.is_new && outcome.label() != request_.reference.text();
  }
  double best_ns(std::size_t shape) const {
    return at_or(request_.best_ns, shape, std::numeric_limits<double>::infinity());
  }
  // The best known time counts, too, so that slow candidates are treated like the others.
  bool is_long_launch(std::size_t shape, double expected_ns) const {
    return std::min(best_ns(shape), expected_ns) > 1e9 * kLongLaunch_s;
  }

  DeviceSession& session_;
  const MeasureRequest& request_;
  std::vector<KernelRun> runners_;
  std::optional<KernelRun> reference_;
  std::size_t tried_ = 0;
  std::size_t working_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright

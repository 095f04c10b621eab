// DeviceSession::measure(), step by step: measuring.cpp builds, verifies and judges the kernels,
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
#include "tuner/measure/launch_job.hpp"
#include "tuner/worker/device_session.hpp"

namespace tilewright {

inline double at_or(const std::vector<double>& values, std::size_t at, double otherwise) {
  return at < values.size() ? values[at] : otherwise;
}

// A kernel of the request, or its reference, on its way.
struct Runner {
  KernelId kernel;
  std::string name;                     // in phases
  std::map<std::size_t, double> known;  // by shape: what it is expected to take, in ns
  bool tried = false;
  bool out = false;
  double ns_per_flop = 0.0;           // on the shape measured last
  double times_the_best = 0.0;        // likewise
  double least_times_the_best = 0.0;  // on any shape so far
  std::string misfit = {};            // why it cannot take a shape
  Outcome outcome = {};
};

// What is ready to be sampled on a shape.
struct Ready {
  std::shared_ptr<KeptKernel> kept;
  LaunchJob job;
  Reach part;
  double expected_ns;
  LearnedRate* rate;
};
// Why it is not sampled there.
struct NotReady {
  OutcomeClass result;
  std::string reason;
  bool is_misfit = false;  // of this shape alone
};
NotReady not_ready(const Rejection& rejection);
using PrepareResult = std::variant<Ready, NotReady>;

// A runner on one shape.
struct ShapeRun {
  Runner* runner;
  ShapeSamples samples;
  std::size_t most;  // samples
};

class Measuring {
 public:
  // The session must outlive it.
  Measuring(DeviceSession& session, const MeasureRequest& request);
  MeasureReply run();

 private:
  void enter(Runner& runner);
  bool has_enough() const;
  std::optional<Rejection> verify(KeptKernel& kept, Outcome& outcome);
  std::optional<Rejection> launch_tiny(KeptKernel& kept, const std::string& name);
  PrepareResult prepare(Runner& runner, std::size_t shape);
  std::optional<ShapeRun> line_up(Runner& runner, std::size_t shape);
  void measure_on(std::size_t shape);
  void keep_samples(ShapeRun& run, const ShapeRun* reference, std::size_t shape);
  bool wants_more(const ShapeRun& run, std::size_t shape) const;
  bool sample(ShapeRun& run, std::size_t shape);
  bool is_hopeless(const Runner& runner, std::size_t shape) const;
  void class_by_samples(Runner& runner) const;
  bool fail(Runner& runner, const NotReady& failure);  // always false

  const Sampler& sampler() { return session_.sampler(request_.options); }
  void announce_launch(const Runner& runner, double expected_s) {
    session_.announce({WorkerActivityKind::kLaunch, runner.name, expected_s});
  }
  double best_ns(std::size_t shape) const {
    return at_or(request_.best_ns, shape, std::numeric_limits<double>::infinity());
  }
  // Even of the best that is known, so that slow candidates are treated as others.
  bool is_long_launch(std::size_t shape, double expected_ns) const {
    return std::min(best_ns(shape), expected_ns) > 1e9 * kLongLaunch_s;
  }

  DeviceSession& session_;
  const MeasureRequest& request_;
  std::vector<Runner> runners_;
  std::optional<Runner> reference_;
  std::size_t tried_ = 0;
  std::size_t working_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright

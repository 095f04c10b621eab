// How is one sample taken?
//
// A sample is the mean time of launches back to back, at least so many ns of them. Which time
// (events or wall), with which caches (warm or flushed before every launch), and what a clock that
// changes meanwhile does to it, is decided here and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/device/executor.hpp"
#include "tuner/device/clock_reader.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// Enqueues one launch of what is measured.
using Launch = std::function<Launched()>;

struct SampleRule {
  double min_sample_ns = 1e6;
  bool event_time = true;  // else the wall time of a batch of launches, until all are done
  Launch before_each;      // enqueued before each launch and not timed; needs event time
};

// Are the event times of a batch of launches believable beside the wall time from the first
// enqueueing to the end of the last? An in-order queue runs one launch at a time.
bool makes_sense(double event_ns, double wall_ns);

// Launches until the rule is met, and returns the mean. `expected_ns` (of one launch; 0: unknown)
// only sets how many are enqueued at a time. `what` is launched, for the messages of rejections.
// The queue must be in order, and have profiling enabled for event time.
Timed time_launches(const cl::CommandQueue& queue, const Launch& launch, const SampleRule& rule,
                    double expected_ns, const std::string& what);

struct Sample {
  double ns = 0.0;                  // of one launch
  ClockPair clock_hz{};             // before and after
  std::vector<double> rejected_ns;  // samples before it across which the clock changed
  // It changed across this one, too: after so many that it will not stand still.
  bool clock_moved() const { return clock_hz[0] != clock_hz[1]; }
};
using Sampled = std::variant<Sample, Rejection>;

class Sampler {
 public:
  // The executor must outlive the sampler. Throws Error for cold caches with wall time, and where
  // the caches cannot be flushed.
  Sampler(const Executor& executor, const cl::CommandQueue& queue, const MeasureOptions& options,
          ClockReader clock);
  Sampler(const Sampler&) = delete;  // the rule points to it
  Sampler& operator=(const Sampler&) = delete;

  // A sample across which the clock changes is taken again; after ten such the last one counts.
  Sampled sample(const Launch& launch, double expected_ns, const std::string& what) const;
  // One launch, timed whatever the caches and the clock do: to warm up, or to learn a rate.
  Timed once(const Launch& launch, const std::string& what) const;
  // Predicted duration of a sample.
  double expected_s(double expected_ns) const;

 private:
  void prepare_flush();

  const Executor& executor_;
  cl::CommandQueue queue_;
  ClockReader clock_;
  SampleRule rule_;
  // Of cold caches: a pack kernel that reads one half of a large buffer and writes the other.
  std::unique_ptr<LoadedKernel> flush_kernel_;
  cl::Buffer flush_buffer_;
  PackProblem flush_problem_;
  double flush_ns_ = 0.0;
};

}  // namespace tilewright

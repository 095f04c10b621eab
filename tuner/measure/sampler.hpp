// Takes samples of the time of a kernel launch.
//
// A sample is the mean time of back-to-back launches that together take at least a given time. This
// module alone decides which time is used (events or wall clock), whether caches are warm or
// flushed before every launch, and what happens if the device's clock changes during a sample.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "runtime/device/executor.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/device/clock_reader.hpp"
#include "tuner/measure/measurement.hpp"

namespace tilewright {

// Enqueues one launch of the kernel that is measured.
using Launch = std::function<Launched()>;

// The maximum number of launches in the queue at a time if each wait for their end counts: such
// batches are long rather than numerous, but drivers keep all launches in memory.
inline constexpr int kMaxLaunchesOfBatch = 4096;

// How samples are taken.
struct SampleRule {
  double min_sample_ns = 1e6;
  bool event_time = true;  // if false: wall time of a batch of launches, until all have finished
  Launch before_each;      // Enqueued before each launch and not timed. Requires event time
};

// Returns true if the event times of a batch are plausible, given the wall time from the first
// enqueueing to the end of the last launch. Since an in-order queue runs one launch at a time, the
// sum of event times cannot be much larger (a factor of 10 is tolerated) than the wall time.
bool makes_sense(double event_ns, double wall_ns);

// Launches until the total time reaches rule.min_sample_ns, or the limit on the number of launches
// is reached, and returns the mean time of a launch. `expected_ns` (time of one launch; 0 if
// unknown) only determines how many launches are enqueued at a time. `what` describes the kernel in
// error messages. The queue must be in-order, and have profiling enabled for event time.
Timed time_launches(const cl::CommandQueue& queue, const Launch& launch, const SampleRule& rule,
                    double expected_ns, const std::string& what);

// One sample.
struct Sample {
  double ns = 0.0;                  // mean time of one launch
  ClockPair clock_hz{};             // frequency before and after; 0 if unknown
  std::vector<double> rejected_ns;  // earlier attempts during which the clock changed
  // Returns true if the clock changed during this sample, too. That happens only after ten attempts
  // in which it changed.
  bool clock_moved() const { return clock_hz[0] != clock_hz[1]; }
};
// A sample, or why there is none.
using Sampled = std::variant<Sample, KernelError>;

// Takes samples on one queue. Not thread-safe.
class Sampler {
 public:
  // The executor must outlive the sampler. Throws Error if options ask for cold caches with wall
  // time, or if the caches cannot be flushed.
  Sampler(const Executor& executor, const cl::CommandQueue& queue, const MeasureOptions& options,
          ClockReader clock);
  Sampler(const Sampler&) = delete;  // rule_ holds a pointer to this object
  Sampler& operator=(const Sampler&) = delete;

  // Takes a sample. If the clock changes meanwhile, the sample is repeated; after ten attempts the
  // last one is used.
  Sampled sample(const Launch& launch, double expected_ns, const std::string& what) const;
  // Times a single launch with warm caches, ignoring clock changes. Used to warm up and to learn a
  // rate.
  Timed once(const Launch& launch, const std::string& what) const;
  // Returns the predicted duration of a sample in seconds, given the time of one launch in ns.
  double expected_s(double expected_ns) const;

 private:
  void prepare_flush();

  const Executor& executor_;
  cl::CommandQueue queue_;
  ClockReader clock_;
  SampleRule rule_;
  // Used for cold caches: a pack kernel that copies one half of a large buffer to the other half.
  std::unique_ptr<LoadedKernel> flush_kernel_;
  cl::Buffer flush_buffer_;
  PackProblem flush_problem_;
  double flush_ns_ = 0.0;
};

}  // namespace tilewright

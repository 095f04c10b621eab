// Measures how fast a kernel runs on a problem.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "runtime/device/executor.hpp"

namespace tilewright {

// A product with its operands on the device. The elements are uniform in [-1, 1], the matrices have
// no padding, and C is written with beta = 0.
class Workload {
 public:
  // If `complex` is true the elements are complex numbers with two parts of that precision. Throws
  // Error if the device has not enough memory.
  Workload(const cl::Context& context, Precision precision, Op op, const GemmShape& shape,
           std::uint64_t seed, bool complex = false);

  const GemmShape& shape() const { return problem_.shape; }
  const GemmProblem& problem() const { return problem_; }
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return b_; }
  const Matrix& c() const { return c_; }

 private:
  Matrix a_;
  Matrix b_;
  Matrix c_;
  GemmProblem problem_;
};

// Returns the device time of a finished event in ns; nullopt if the timestamps are implausible
// (some drivers return garbage after a failed command).
std::optional<double> event_ns(const cl::Event& event);

// Reads a whole buffer of floats from the device. Throws Error on failure.
std::vector<float> download(const cl::CommandQueue& queue, const cl::Buffer& buffer);

// Reads a whole buffer of elements of the given precision. Throws Error on failure.
std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                             Precision precision);

// Returns true if the kernel can run on the problem's operands in place. It can if it supports the
// shape, and if the operands that it expects in plain layouts are suitably aligned with suitable
// leading dimensions.
bool can_take(const KernelRecord& record, const GemmProblem& problem);

// Device time of one launch in ns, or the reason for a failure.
using Timed = std::variant<double, KernelError>;

// Takes one sample with event times and warm caches (sampler.hpp). The operands must have the
// layouts of the kernel's record. For plain layouts this is checked with can_take(), and a
// violation is returned as a KernelError of kind kLimits.
Timed time_kernel(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                  const GemmProblem& problem, double min_sample_ns, double expected_ns);

}  // namespace tilewright

// How fast is a kernel on a problem?
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "runtime/device/executor.hpp"

namespace tilewright {

// A problem with its operands on the device: data uniform in [-1, 1], nothing padded, C written
// with beta = 0.
class Workload {
 public:
  // `complex`: of numbers with two such parts. Throws Error if the device has no room.
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

// Device time of a finished event in ns; nullopt if the driver's timestamps make no sense (some
// drivers answer garbage after a failed command).
std::optional<double> event_ns(const cl::Event& event);

// All of a buffer, read from the device. Throws Error.
std::vector<float> download(const cl::CommandQueue& queue, const cl::Buffer& buffer);

// The same of elements of that precision.
std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                             Precision precision);

// Can the kernel run on the problem's operands where they are? Those in plain layouts must be
// aligned and of the right extents.
bool can_take(const KernelRecord& record, const GemmProblem& problem);

// Device time of one launch in ns, or why there is none.
using Timed = std::variant<double, Rejection>;

// One sample by event times with warm caches (sampler.hpp). The problem's operands must lie as the
// kernel's record wants them; of those in plain layouts this is checked (alignment, extents); a
// misfit is a rejection of stage kLimits.
Timed time_kernel(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                  const GemmProblem& problem, double min_sample_ns, double expected_ns);

}  // namespace tilewright

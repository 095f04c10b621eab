// Is a candidate right, and worth a place in the finals?
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codelets/parameter_point.hpp"
#include "tuner/measurement.hpp"
#include "tuner/verification.hpp"

namespace tilewright {

// Samples are at least this long: below, timer steps and launch gaps show.
inline constexpr double kMinSampleNs = 1e6;

// A candidate that computes the product.
struct Screened {
  ParameterPoint point;
  double cost = 0.0;  // mean over the screening shapes of log(ns per flop); less is better
  std::vector<double>
      ns;  // per screening shape; 0: not measured, the candidate was clearly behind before
  double max_error = 0.0;  // share of the error bound
};

using ScreenResult = std::variant<Screened, Rejection>;

// Tries candidates for one operand combination: load, verify, then measure on a few shapes from the
// least to the largest, stopping where a candidate is clearly behind the best seen there.
class Screening {
 public:
  Screening(const Executor& executor, const cl::CommandQueue& queue, Op op,
            const std::vector<GemmShape>& shapes, std::uint64_t seed);

  ScreenResult screen(const ParameterPoint& point);

  // Least, middle and largest of the shapes, the largest at most kMostScreeningFlops: enough to see
  // what caches do, short enough for many candidates.
  static std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes);

  const std::vector<GemmShape>& shapes() const { return shapes_; }
  // The best rate seen on the largest screening shape, and whose it is; 0 before the first.
  double best_gflops() const;
  const std::string& best_kernel() const { return best_kernel_; }

 private:
  static constexpr double kMostScreeningFlops = 6e9;

  // Time of one launch on a shape: the median of a few samples, or of one if that is already too
  // slow.
  Timed measure(LoadedKernel& kernel, std::size_t shape, double expected_ns);

  const Executor& executor_;
  const cl::CommandQueue& queue_;
  std::vector<GemmShape> shapes_;
  std::vector<Workload> workloads_;
  std::vector<VerificationCase> cases_;
  std::vector<double> best_ns_;  // per shape; 0: none yet
  std::string best_kernel_;
};

}  // namespace tilewright

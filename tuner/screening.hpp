// Is a candidate right, and worth a place in the finals?
#pragma once

#include <memory>
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
  // Per screening shape; nullopt: not measured, the candidate was clearly behind before or cannot
  // take the shape.
  std::vector<std::optional<double>> ns;
  double max_error = 0.0;  // share of the error bound
};

using ScreenResult = std::variant<Screened, Rejection>;

// Tries candidates for one operand combination: load, verify, then measure on a few shapes from the
// least to the largest, leaving out those for which a candidate's rate so far makes it hopeless.
//
// Machines change pace for seconds at a time (clocks, neighbours), and candidates are minutes
// apart. So each sample is paired with one of a reference, the best candidate so far, and corrected
// by how much slower or faster the reference ran than it is known to run.
class Screening {
 public:
  Screening(const Executor& executor, const cl::CommandQueue& queue, Op op,
            const std::vector<GemmShape>& shapes, double most_flops, std::uint64_t seed);

  ScreenResult screen(const ParameterPoint& point);

  // Least, middle and largest of the shapes, the largest of at most so many flops: enough to see
  // what caches do, short enough for many candidates.
  static std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes, double most_flops);

  const std::vector<GemmShape>& shapes() const { return shapes_; }
  // The rate of the best candidate by cost on the largest screening shape, and its name; 0 and ""
  // before the first.
  double best_gflops() const;
  std::string best_kernel() const { return reference_ ? reference_->record().name : ""; }

 private:
  // Time of one launch on a shape, corrected for drift: the median of a few samples, or the first
  // if that is already too slow.
  Timed measure(LoadedKernel& kernel, std::size_t shape, double expected_ns);
  // Known time of the reference on a shape over its time now; 1 as long as there is none.
  double pace(std::size_t shape);
  double misfit_cost(std::size_t shape) const;
  void take_as_reference(std::unique_ptr<LoadedKernel> kernel, const Screened& screened);

  const Executor& executor_;
  const cl::CommandQueue& queue_;
  std::vector<GemmShape> shapes_;
  std::vector<Workload> workloads_;
  VerificationCases cases_;
  std::vector<double> best_ns_;  // per shape; infinity: none yet
  std::unique_ptr<LoadedKernel> reference_;
  Screened reference_result_;
};

}  // namespace tilewright

// Divides a tuning into searches: their spaces, products, time and first points.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codelets/space/space.hpp"
#include "codelets/space/starting_points.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/search/screening.hpp"
#include "tuner/search/search.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {

struct TuneOptions;

// Name of the search of kernels with packed operands.
inline constexpr const char* kPackedTask = "packed";

// Approximate time per candidate in seconds before any was tried; most of it is compiling.
inline constexpr double kSecondsPerCandidate = 0.7;

// One search.
struct SearchTask {
  std::string name;               // "NN" ..., "NN narrow m" ..., or "packed"
  std::vector<Op> ops;            // transpose combinations for which kernels are searched
  std::vector<GemmShape> shapes;  // shapes for which kernels are searched
  double weight = 1.0;            // relative share of the search time
  std::unique_ptr<Space> space;
  double valid = 0.0;                 // number of points in the space; 0: too many to count quickly
  std::vector<ParameterPoint> first;  // to be tried before all others

  // Returns the parameters of the search. It may take `budget_s` seconds or, if the options limit
  // the number of candidates, try `most` candidates.
  SearchSetup setup(const TuneOptions& options, const DeviceInfo& device, double budget_s,
                    int most) const;
};

// Returns the searches of a tuning:
// - one for each op, with the kernels that read both operands in place;
// - one for each op and each dimension in which some shapes are narrow, with gemv kernels for these
//   shapes. If op(B) is packed only once, there is another one for column-major op(B);
// - one with packed operands for all ops together, because packing works from any layout.
//
// split_k and work_group_k are searched only if there is a shape that is too small and deep to keep
// the whole device busy without them, stream_k only on GPUs and if there is a shape whose last wave
// of work-groups matters. The form of multiply-adds is never searched; the
// device's rates determine it.
std::vector<SearchTask> search_tasks(const TuneOptions& options, const DeviceInfo& device);

// Returns the weights of the tasks.
std::vector<double> task_weights(const std::vector<SearchTask>& tasks);

// Returns how many candidates the search at `index` may try, at least one: its share of the part of
// options.candidates that the searches before it have left. Those have tried `tried_before`.
int max_candidates(const TuneOptions& options, const std::vector<SearchTask>& tasks,
                   std::size_t index, int tried_before);

// A candidate that a tuning would try. With the predictions of models in place of measurements, the
// tuning of a board can be examined on any machine before the board spends an hour on it.
struct DryRunCandidate {
  std::string task;      // name of the search: "NN" ..., "packed"
  ParameterPoint point;  // with the simplest form of multiply-adds, as no device was measured
  double score = 0.0;    // expected_score()
};

// Returns the candidates of all searches in the order in which they would be tried: as many as fit
// the budget if each takes a typical time. The result is the same for the same seed.
std::vector<DryRunCandidate> dry_run_candidates(const TuneOptions& options,
                                                const DeviceInfo& device);

}  // namespace tilewright

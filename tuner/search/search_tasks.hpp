// Which spaces does a tuning search, for which products, and how?
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codelets/space/space.hpp"
#include "codelets/space/starting_points.hpp"
#include "tuner/records/worker_protocol.hpp"
#include "tuner/search/screening.hpp"
#include "tuner/search/search.hpp"

namespace tilewright {

struct TuneOptions;

// The device as the rules for starting points see it. They count floats, of which a double is two.
DeviceInfo typed_device(DeviceInfo device, Precision precision);

inline constexpr const char* kPackedTask = "packed";

// What a candidate takes, about, before any was tried: compiling is most of it.
inline constexpr double kSecondsPerCandidate = 0.7;

struct SearchTask {
  std::string name;               // "NN" ..., "NN narrow m" ..., or "packed"
  std::vector<Op> ops;            // that its kernels are meant for
  std::vector<GemmShape> shapes;  // likewise
  double weight = 1.0;            // of its share of the time
  std::unique_ptr<Space> space;
  double valid = 0.0;                 // points of the space; 0: too many to count in a moment
  std::vector<ParameterPoint> first;  // to be tried before all others

  // How to search it within `budget_s`, or with `most` candidates where options bound these.
  SearchSetup setup(const TuneOptions& options, const DeviceInfo& device, double budget_s,
                    int most) const;
};

// One task for each op, with the points that read their operands where the caller has them; for
// each op and dimension in which shapes are narrow, one with the points of codelet gemv for these
// (and, where op(B) is packed once, one with op(B) by columns); and one with packed operands for
// all ops together, since what is packed may come from anywhere.
//
// split_k and work_group_k are searched where a shape is too small and deep for all of the device
// to have work otherwise. The form of multiply-adds never is: the device's rates decide it.
std::vector<SearchTask> search_tasks(const TuneOptions& options, const DeviceInfo& device);

// How many candidates the task at `index` may try, one at least: its share of what those before it,
// which tried so many, leave of options.candidates.
int most_candidates(const TuneOptions& options, const std::vector<SearchTask>& tasks,
                    std::size_t index, int tried_before);

}  // namespace tilewright

// Which ways could serve one call, how long would each take, and which one does?
//
// Pure: the plans as rank_plans() orders them, and which of them build.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan.hpp"

namespace tilewright {

enum class CandidateFate {
  kServes,
  kDoesNotBuild,  // better placed than the one that serves, but a kernel of it does not build
  kNext,          // behind the one that serves
};

struct PlanCandidate {
  CandidateFate fate = CandidateFate::kNext;
  GemmPlan plan;
  std::string why_not;  // kDoesNotBuild: what the driver says
};

struct Explanation {
  GemmProblem problem;
  std::string device;       // whose limits these are: a sentence
  bool built = false;       // kernels were built on the device; else all are taken to build
  std::size_t kernels = 0;  // of products, in the profiles
  std::vector<PlanCandidate> candidates;  // best first; none: nothing can serve the call
};

// What the driver says against a plan, or nullopt if all its kernels build.
using BuildFailure = std::function<std::optional<std::string>(const GemmPlan&)>;

// Asks plan by plan whether it builds, up to the first that does: that one serves. A null
// `build_failure` takes all to build. The profiles must outlive the explanation.
std::vector<PlanCandidate> candidates_of(std::vector<GemmPlan> plans,
                                         const BuildFailure& build_failure);

// Kernels of products in the profiles.
std::size_t product_kernels(const std::vector<const Profile*>& profiles);

// Limits of a device of which only this is known: images of the size that every OpenCL device with
// images has, buffers of any size.
ServingLimits least_limits(const DeviceLimits& limits);

// A table, a line for each candidate in order: predicted times in us, what runs, and why it stands
// where it stands.
std::string to_table(const Explanation& explanation);
// The same as JSON; times in us, null where nothing was measured.
std::string to_json(const Explanation& explanation);

}  // namespace tilewright

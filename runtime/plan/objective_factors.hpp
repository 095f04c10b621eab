// Weighs the times of a profile's kernels by its objective.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// The library compares plans by time. For another objective, the time of a kernel is multiplied by
// a factor that follows from its power, joules / seconds, relative to that of the fastest kernel of
// the same precision whose energy was measured on the same shape:
// - for the energy by this ratio;
// - for the energy-delay product by its square root, so that a cost is still like a time.
class ObjectiveFactors {
 public:
  ObjectiveFactors() = default;
  // Evaluates the results of the profile. All factors are 1 if its objective is the time.
  explicit ObjectiveFactors(const Profile& profile);

  // Returns the factor of a kernel on a shape. If the energy of this kernel was not measured there:
  // 1 if that of other kernels was, because only kernels that are much slower are left out;
  // otherwise the geometric mean of the kernel's own factors, or 1 if it has none.
  double factor(const KernelRecord& kernel, const GemmShape& shape) const;

 private:
  using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  struct OfKernel {
    std::map<Extents, double> factors;
    double mean = 1.0;
  };
  std::map<std::string, OfKernel, std::less<>> kernels_;
  std::set<std::pair<Precision, Extents>> measured_;
};

}  // namespace tilewright

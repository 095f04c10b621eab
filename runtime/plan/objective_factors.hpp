// Weighs the times of a profile's kernels by its objective.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Weighs the time of a kernel on a shape.
struct ObjectiveFactor {
  double value = 1.0;
  bool is_measured = true;  // false: assumed from other shapes or kernels
  bool operator==(const ObjectiveFactor&) const = default;
};

// The library compares plans by time. For another objective, the time of a kernel is multiplied by
// a factor that follows from its power, joules / seconds, relative to that of a reference on the
// same shape:
// - for the energy by this ratio;
// - for the energy-delay product by its square root, so that a cost is still like a time.
// The reference is the fastest built-in kernel of the same precision whose energy was measured
// there, because a profile keeps all of them; so the factors in a tuning, which has more kernels,
// are those of the library. Without a built-in kernel it is the fastest kernel.
class ObjectiveFactors {
 public:
  ObjectiveFactors() = default;
  // Evaluates the results of the profile. All factors are 1 if its objective is the time.
  explicit ObjectiveFactors(const Profile& profile);

  // Returns the factor of a kernel on a shape. If the energy of this kernel was not measured there:
  // the largest factor of the kernels that were, so that no kernel wins because it was not
  // measured. If no energy was measured there: the geometric mean of the kernel's own factors on
  // shapes on which it is about as fast as the reference (a slow kernel draws less power, only
  // because it is slow), or 1 if there is none.
  ObjectiveFactor factor(const KernelRecord& kernel, const GemmShape& shape) const;

 private:
  using Extents = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  using Place = std::pair<Precision, Extents>;
  struct OfKernel {
    std::map<Extents, double> factors;
    double mean = 1.0;
  };
  std::map<std::string, OfKernel, std::less<>> kernels_;
  std::map<Place, double> largest_;
};

}  // namespace tilewright

// Predicts what a product costs in addition to its kernel.
//
// This auxiliary cost covers packing the operands that the kernel cannot read in place, adding the
// parts of a divided k, and launching these kernels. It is predicted by the runtime's planner from
// the profile that the tuning would write, so that the tuning ranks kernels exactly as the library
// does. These functions do not access a device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/plan/plan.hpp"
#include "tuner/journal/journal.hpp"

namespace tilewright {

// Predicts auxiliary costs. Copies share the predictions. Not thread-safe.
class AuxiliaryCost {
 public:
  struct Cost {
    double ns = 0.0;       // including launches
    int packs = 0;         // packings in each call
    bool reduces = false;  // true if a reduction kernel runs
    int kernels() const { return packs + (reduces ? 1 : 0); }
  };

  // For the time before auxiliary kernels have been measured: assumes the simplest kernels, at the
  // rate of a copy. If `b_prepacked` is true op(B) is packed once and kept, so its packing costs
  // nothing. `compute_units` of the device determine how kernels with stream_k divide k.
  AuxiliaryCost(const DeviceRates& rates, bool b_prepacked, int compute_units = 1);
  // Uses the measured auxiliary kernels. If a required one is missing, the kernel cannot be used.
  AuxiliaryCost(const std::vector<Outcome>& packs, const DeviceRates& rates, bool b_prepacked,
                int compute_units = 1);

  // Returns the auxiliary cost of a kernel for dense matrices; nullopt if the kernel cannot be used
  // for the product. Each prediction is made only once.
  std::optional<Cost> find(const KernelId& kernel, Op op, const GemmShape& shape) const;

 private:
  std::optional<Cost> predict(const KernelId& kernel, Op op, const GemmShape& shape) const;

  struct Found;  // the profile and the predictions
  std::shared_ptr<Found> found_;
  bool b_prepacked_;
  bool assumes_;
};

// Adds an auxiliary kernel to a profile, with its measured time per element. Returns false if it is
// already there.
bool add_auxiliary(Profile& profile, const std::vector<Outcome>& packs, const KernelId& kernel);

}  // namespace tilewright

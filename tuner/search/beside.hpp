// What does a product cost besides its kernel?
//
// Packing operands that the kernel does not read where they are, adding up the parts of a split k,
// and launching both: as the runtime's planner predicts it from what a profile would hold. So what
// a tuning chooses by is what the library ranks by. Pure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/plan/plan.hpp"
#include "tuner/records/journal.hpp"

namespace tilewright {

class Beside {
 public:
  struct Cost {
    double ns = 0.0;  // launches included
    int packs = 0;    // that run each time
    bool adds_up = false;
    int kernels() const { return packs + (adds_up ? 1 : 0); }
  };

  // Before kernels beside products are known: the simplest, at the rate of a copy. b_prepacked:
  // op(B) is packed once and kept, so that packing it costs nothing.
  Beside(const DeviceRates& rates, bool b_prepacked);
  // The ones that were found. Where one that is needed was not, there is no plan.
  Beside(const std::vector<PackOutcome>& packs, const DeviceRates& rates, bool b_prepacked);

  // Of dense matrices. nullopt: the kernel cannot serve that. Predicted once for each kernel.
  std::optional<Cost> of(const KernelId& kernel, Op op, const GemmShape& shape) const;

 private:
  std::optional<Cost> predict(const KernelId& kernel, Op op, const GemmShape& shape) const;

  struct Found;  // what plans are made of; copies share it
  std::shared_ptr<Found> found_;
  bool b_prepacked_;
  bool assumes_;
};

// Puts what moves, adds up or applies into a profile, with its rate. False: it is there already.
bool add_auxiliary(Profile& profile, const std::vector<PackOutcome>& packs, const KernelId& kernel);

}  // namespace tilewright

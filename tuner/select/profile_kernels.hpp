// Collects the kernels of a tuned profile, with their results.
//
// Internal to tuner/select.
#pragma once

#include <utility>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/search/auxiliary_cost.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

// A profile that grows kernel by kernel. A kernel that is there already is not added again. Keeps
// references to both arguments of the constructor.
class ProfileKernels {
 public:
  ProfileKernels(const JournalContents& contents, const Standings& standings)
      : contents_(contents), standings_(standings) {}

  // Adds a kernel with its results on every shape.
  void add_product(const KernelId& kernel);
  // Adds the kernels that compute the same product with bias and activation.
  void add_fused(const KernelId& plain);
  // Adds separate activation and softmax kernels, and if a chosen kernel splits k, reduction
  // kernels with bias and activation.
  void add_layers(bool splits);
  void add_auxiliary(const KernelId& kernel) {
    tilewright::add_auxiliary(profile_, contents_.packs, kernel);
  }
  // Adds the transposition that general kernels need for TT and for any op that was not tuned.
  void add_transposition();
  bool failed_in_finals(const KernelId& kernel) const { return failures_.contains(kernel); }
  Profile take() { return std::move(profile_); }

 private:
  const PlanTime* measured_time(const KernelId& kernel, const GemmShape& shape) const;
  std::vector<double> search_samples(const KernelId& kernel, const GemmShape& shape) const;
  void add_result(const KernelRecord& record, const GemmShape& shape,
                  const std::vector<double>& samples_ns, double ns, double max_error);
  double worst_error(const KernelId& kernel) const;
  // Returns false if the kernel is there already.
  bool add_kernel(const KernelRecord& record);

  const JournalContents& contents_;
  const Standings& standings_;
  const FinalFailures failures_{failed_finalists(contents_)};
  Profile profile_;
};

}  // namespace tilewright

// Computes how fast a profile makes each product that was tuned: with the plan that runs.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// One product.
struct TunedProduct {
  Op op;
  GemmShape shape;
};

// Returns the products of the tuning, ordered by op and size. Only plain products without bias and
// activation in measured_precision() count.
std::vector<TunedProduct> tuned_products(const Profile& profile);

// The plan that runs for a tuned product, as the library ranks plans, and the time of the whole
// call: packing, kernel, reduction and their launches.
struct PlanResult {
  TunedProduct product;
  std::string plan;     // for example "pack_a+sgemm_nn_..."
  KernelRecord kernel;  // of the product; may be a built-in one
  double ns = 0.0;
  double low_ns = 0.0;   // 10th percentile; the same as `ns` if the kernel was not measured here
  double high_ns = 0.0;  // 90th percentile
  int samples = 0;       // of the kernel on this shape; 0: its time is predicted
};

// Returns the results of tuned_products(), of the first plan whose time is known.
std::vector<PlanResult> plan_results(const Profile& profile);

}  // namespace tilewright

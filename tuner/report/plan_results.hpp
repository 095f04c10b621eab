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

// Returns the products that were measured, ordered by size and op: those of the tuning, and those
// of other ops for which built-in kernels were measured. Only plain products without bias and
// activation in this precision count.
std::vector<TunedProduct> tuned_products(const Profile& profile, Precision precision);

// The plan that runs for a tuned product, as the library ranks plans, and the time of the whole
// call: packing, kernel, reduction and their launches.
struct PlanResult {
  TunedProduct product;
  std::string plan;     // for example "pack_a+sgemm_nn_..."
  KernelRecord kernel;  // of the product; may be a built-in one
  double ns = 0.0;
  double low_ns = 0.0;   // 10th percentile; the same as `ns` if the kernel was not measured here
  double high_ns = 0.0;  // 90th percentile
  double runner_up_ns = 0.0;  // of the second plan; 0: there is none
  int samples = 0;            // of the kernel on this shape; 0: its time is predicted
};

// Returns the results of tuned_products(), of the first plan whose time is known.
std::vector<PlanResult> plan_results(const Profile& profile, Precision precision);

}  // namespace tilewright

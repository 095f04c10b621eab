// The plan of a network for one batch size, and the cache of such plans.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/network/network_weights.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {

// Everything that a plan depends on. Of the caller's matrices it is the alignment in elements (the
// minimum over all inputs, and over all outputs), and whether any of them has gaps between rows.
struct NetworkKey {
  std::int64_t batch = 0;
  std::size_t alignment_in = 1;
  std::size_t alignment_out = 1;
  bool gaps_in = false;
  bool gaps_out = false;
  // Plan for little device memory: weights are not packed, and kernels need no temporaries.
  bool small = false;
  bool operator==(const NetworkKey&) const = default;
};

// A step with its loaded kernels.
struct PlannedStep {
  std::shared_ptr<const PlannedRoute> product;  // null unless the step is a product
  LayerKernel kernel;                           // of any other step
  VectorArgument zeros;                         // activation: its kernel adds a bias
  GemmProblem problem;                          // product: without the matrices
  const PackedWeights* weights = nullptr;       // product
};

// The division of the workspace: values between steps, then the matrices that kernels of a product
// need. Offsets count floats, also in half precision: partial sums of a split k are always floats.
struct NetworkWorkspace {
  std::size_t packed = 0;   // the packed A of a product
  std::size_t between = 0;  // the intermediate result of a product: partial sums or a packed C
  Storage whole{Layout::R(), false, 1, 0, 0, 0};
};

// The place of a value between two steps. It is row-major.
struct ValuePlace {
  std::size_t offset = 0;  // floats, in the workspace
  std::size_t ld = 0;      // elements
};

// The plan for one NetworkKey. Immutable once it has weights, except for is_packed.
struct NetworkPlan {
  NetworkKey key;
  std::vector<PlannedStep> steps;
  std::vector<ValuePlace> values;  // indexed by NetworkValue
  NetworkWorkspace workspace;
  std::vector<cl::Event> packing;              // forward passes must wait for these
  std::atomic<bool> has_weights{false};        // PlannedStep::weights and `packing` are set
  mutable std::atomic<bool> is_packed{false};  // all events in `packing` are complete
};

// Computes the workspace for values of `values` floats and the steps.
NetworkWorkspace lay_out(std::size_t values, const std::vector<PlannedStep>& steps);

// Assigns memory to the values between steps. Values that are needed at the same time do not
// overlap. `values`: true for each value that needs memory. Returns the total size in floats, which
// is proportional to the batch size.
std::size_t place_values(const NetworkSteps& steps, const std::vector<bool>& values,
                         std::int64_t batch, Precision precision, std::vector<ValuePlace>& places);

// A cache of the most recently used plans. Thread-safe.
class NetworkPlans {
 public:
  static constexpr std::size_t kMaxPlans = 16;

  // Returns null if there is no plan for the key.
  std::shared_ptr<NetworkPlan> find(const NetworkKey& key);
  // Replaces the plan for the key. In a full cache it replaces the least recently used plan without
  // weights, which no forward pass has used. If all have weights, a new plan with weights replaces
  // the least recently used one, and a new plan without weights is not kept.
  void insert(const NetworkKey& key, std::shared_ptr<NetworkPlan> plan);

 private:
  std::mutex mutex_;
  // The most recently used one is the last.
  std::vector<std::pair<NetworkKey, std::shared_ptr<NetworkPlan>>> plans_;
};

}  // namespace tilewright

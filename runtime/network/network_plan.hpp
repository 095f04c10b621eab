// The plan of a network for one batch size, and the cache of such plans.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/network/network_chain.hpp"
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
  // Plan for little device memory: no kernel packs a matrix, splits k or pads rows, and all results
  // are row-major.
  bool small = false;
  bool operator==(const NetworkKey&) const = default;
};

// A part with its loaded kernels.
struct PlannedPart {
  std::shared_ptr<const PlannedRoute> product;  // null unless the part is a product
  LayerKernel layer;                            // activation or softmax
  VectorArgument zeros;                         // activation: its kernel adds a bias
  bool along_memory = false;                    // see LayerChoices
  GemmProblem problem;                          // product: without the matrices
  const PackedWeights* weights = nullptr;       // product
  std::int64_t columns = 0;                     // columns of its result, with padding
  Storage made;  // storage of its result; row-major in a matrix of the caller
};

// The division of the workspace. Offsets count floats, also in half precision: partial sums of a
// split k are always floats.
struct NetworkWorkspace {
  std::size_t even = 0;
  std::size_t odd = 0;
  std::size_t packed = 0;   // the packed A of a product
  std::size_t between = 0;  // the intermediate result of a product: partial sums or a packed C
  std::size_t values = 0;   // values between steps
  Storage whole{Layout::R(), false, 1, 0, 0, 0};
};

// Appends memory for values between steps.
void add_values(NetworkWorkspace& workspace, std::size_t floats);

// The place of a value between two steps. It is row-major.
struct ValuePlace {
  std::size_t offset = 0;  // floats, from NetworkWorkspace::values
  std::size_t ld = 0;      // elements
};

// The plan for one NetworkKey. Immutable once its weights are packed, except for is_packed.
struct NetworkPlan {
  NetworkKey key;
  std::vector<PlannedPart> parts;      // of all chains, in order
  std::vector<LoadedKernel*> kernels;  // one per step; null: the step is a chain
  std::vector<ValuePlace> values;      // indexed by NetworkValue
  NetworkWorkspace workspace;
  std::vector<cl::Event> packing;              // forward passes must wait for these
  mutable std::atomic<bool> is_packed{false};  // all events in `packing` are complete
};

// Computes the workspace that the parts need.
NetworkWorkspace lay_out(const std::vector<ChainPart>& parts,
                         const std::vector<PlannedPart>& planned);

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
  // The same, and removes the plan.
  std::shared_ptr<NetworkPlan> take(const NetworkKey& key);
  // Drops the least recently used plan if the cache is full.
  void insert(std::shared_ptr<NetworkPlan> plan);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<NetworkPlan>> plans_;  // the most recently used one is the last
};

}  // namespace tilewright

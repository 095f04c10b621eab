// How is a net served for one batch size?
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/api/library_state.hpp"
#include "runtime/net/mlp_chain.hpp"
#include "runtime/net/mlp_weights.hpp"
#include "runtime/net/net_steps.hpp"

namespace tilewright {

// All that such a plan depends on: of the caller's matrices how they are aligned (the least of all
// inputs, and of all outputs), and whether rows of any of them have gaps.
struct MlpKey {
  std::int64_t batch = 0;
  std::size_t alignment_in = 1;
  std::size_t alignment_out = 1;
  bool gaps_in = false;
  bool gaps_out = false;
  // No kernel packs a matrix or splits k: for where device memory is short.
  bool small = false;
  bool operator==(const MlpKey&) const = default;
};

// A stage with its kernels.
struct PlannedStage {
  std::shared_ptr<const PlannedRoute> product;  // null: it is none
  LayerKernel layer;                            // of an activation or softmax
  bool along_memory = false;                    // see LayerChoices
  GemmProblem problem;                          // of a product, without the matrices
  const PackedWeights* weights = nullptr;       // of a product
  std::int64_t columns = 0;                     // of what it makes, with padding
  Storage made;                                 // how that lies; in the caller's matrix: row by row
};

// Where things lie in the workspace: offsets, floats, whatever a net's elements are. Parts of a
// split k are floats always.
struct MlpWorkspace {
  std::size_t even = 0;
  std::size_t odd = 0;
  std::size_t packed = 0;   // a product's left factor
  std::size_t between = 0;  // what is between a product and its result
  std::size_t values = 0;   // values between steps
  Storage whole{Layout::R(), false, 1, 0, 0, 0};
};

// Adds room for values between steps.
void add_values(MlpWorkspace& workspace, std::size_t floats);

// Where a value between two steps lies, row by row.
struct HeldValue {
  std::size_t offset = 0;  // floats, from MlpWorkspace::values
  std::size_t ld = 0;      // elements
};

// Changes no more once it is packed, but for what it knows of events.
struct MlpPlan {
  MlpKey key;
  std::vector<PlannedStage> stages;    // of all chains
  std::vector<LoadedKernel*> kernels;  // of each step; null: it is a chain
  std::vector<HeldValue> values;       // by their numbers
  MlpWorkspace workspace;
  std::vector<cl::Event> packing;              // of weights, that forwards must wait for
  mutable std::atomic<bool> is_packed{false};  // all of these are complete
};

// The workspace that stages and their kernels need.
MlpWorkspace lay_out(const std::vector<MlpStage>& stages, const std::vector<PlannedStage>& planned);

// Places the values between the steps: two that are needed at the same time do not overlap.
// `values`: which are placed. Returns the floats that all of them take together.
std::size_t place_values(const NetSteps& steps, const std::vector<bool>& values, std::int64_t batch,
                         Precision precision, std::vector<HeldValue>& held);

// The latest used plans. Thread-safe.
class MlpPlans {
 public:
  static constexpr std::size_t kMaxPlans = 16;

  std::shared_ptr<const MlpPlan> find(const MlpKey& key);
  void insert(std::shared_ptr<const MlpPlan> plan);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const MlpPlan>> plans_;  // the latest used last
};

}  // namespace tilewright

// In which layouts does a batch lie between the layers of a net, and which kernels serve there?
//
// The decision knows no OpenCL, as that of plan.hpp. A kernel may write its result as the next one
// reads it, so the layers are planned together: a dynamic programme over the net's stages, whose
// states are the ways in which the batch may lie behind a stage (row by row, and whatever some
// kernel reads), and whose costs are the predicted times of plan_times.hpp. Where the result of a
// product lies otherwise than the next wants it, it is unpacked and packed, as for any product.
//
// Padding. A batch is held with as many columns as the kernel behind it reads (its multiples), or
// writes (its alignment). To the kernels these are columns like any other: the weights have zeros
// there (columns in the product that makes them, rows in the one that reads them), and so have the
// biases. So a column of padding holds activation(0), which is finite, and is multiplied by zeros.
// A sample that overflows makes NaN of its own row there, and no other sample's. Rows of padding
// are computed from what lies there and never read by a row that counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/call/storage.hpp"
#include "runtime/net/mlp_stages.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {

// How a batch lies between two stages.
struct HeldBatch {
  Layout layout;
  std::int64_t columns = 0;  // with padding
  bool operator==(const HeldBatch&) const = default;
};

// How a stage is served.
struct ChainLink {
  HeldBatch to;                              // how the batch lies afterwards
  std::optional<GemmPlan> product;           // of a product
  std::vector<const KernelRecord*> kernels;  // of an activation or softmax: in order of preference
  bool along_memory = false;                 // see LayerChoices
};

// A net and how a batch of it begins and ends: of the caller's matrices offsets and leading
// dimensions.
struct ChainQuestion {
  const std::vector<MlpStage>& stages;
  std::int64_t batch = 0;
  MatrixArgument in;
  MatrixArgument out;
  Precision precision = Precision::kSingle;
};

// The plans of all stages, a link for each, that take the least predicted time together; those
// with fewer products of kernels that were never measured before others, and batches row by row
// without padding where nothing speaks against it. nullopt: some stage cannot be served, or the
// device cannot hold what lies between two.
std::optional<std::vector<ChainLink>> plan_chain(const PlanBasis& basis,
                                                 const ChainQuestion& question);

// Can the device hold the batch so, with as much padding as `touched`, and a kernel count through
// it?
bool can_hold(const DeviceInfo& device, const ChainQuestion& question, const HeldBatch& held,
              const Extents& touched = {});

// The problem of a product between batches that lie so, without buffers.
GemmProblem layer_problem(const ChainQuestion& question, const MlpStage& stage,
                          const HeldBatch& from, const HeldBatch& to);

// How the batch lies behind each stage, with all that the kernels before and behind it touch. What
// lies in the caller's matrices has no elements.
std::vector<Storage> held_storages(const ChainQuestion& question,
                                   const std::vector<ChainLink>& links);

}  // namespace tilewright

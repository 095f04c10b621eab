// Plans a chain of layers: chooses the kernels of each part and the layouts of the batch between
// the parts. Uses no OpenCL.
//
// A kernel may write its result in the layout that the next kernel reads, so the parts are planned
// together. The planner is a dynamic program. Its states are the layouts that the batch may have
// after a part: row-major, and each layout that a kernel reads. Its costs are the predicted times
// of plan_times.hpp. If a product's result has another layout than the next kernel reads, it is
// unpacked and packed again, as in any product.
//
// Padding: a batch is stored with as many columns as the next kernel reads (a multiple of its
// tile), or as the previous kernel writes (a multiple of its alignment). Kernels treat the
// additional columns like all others. Weights and biases are 0 there: the weights of the product
// that writes the columns have zero columns, and those of the product that reads them have zero
// rows. A padding column therefore contains activation(0), which is finite, and is multiplied by
// zeros. If a sample overflows, its own row may contain NaN there, but no other row. Padding rows
// contain unspecified values, which never enter a row of the batch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/call/storage.hpp"
#include "runtime/network/chain_parts.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {

// The layout of a batch between two parts.
struct BatchFormat {
  Layout layout;
  std::int64_t columns = 0;  // with padding
  bool operator==(const BatchFormat&) const = default;
};

// The plan of one part.
struct ChainLink {
  BatchFormat to;                            // the layout of its result
  std::optional<GemmPlan> product;           // only if the part is a product
  std::vector<const KernelRecord*> kernels;  // activation or softmax: best first
  bool along_memory = false;                 // see LayerChoices
};

// What is to be planned: the parts of a chain, the batch size, and the offsets and leading
// dimensions of the chain's input and output (without buffers).
struct ChainQuestion {
  const std::vector<ChainPart>& parts;
  std::int64_t batch = 0;
  MatrixArgument in;
  MatrixArgument out;
  Precision precision = Precision::kSingle;
};

// Returns one link per part such that the number of products with unmeasured kernels is minimal
// and, among those plans, the total predicted time. Ties go to row-major batches without padding.
// nullopt: a part has no usable kernel, or a result is too large for a buffer of the device.
std::optional<std::vector<ChainLink>> plan_chain(const PlanBasis& basis,
                                                 const ChainQuestion& question);

// Does the padded batch fit in a buffer of the device, with indices that fit in 32 bits? `touched`:
// the extents that the kernels access, if they exceed the batch.
bool can_hold(const DeviceInfo& device, const ChainQuestion& question, const BatchFormat& format,
              const Extents& touched = {});

// Returns the problem of a product that reads a batch in the layout `from` and writes it in the
// layout `to`, without buffers.
GemmProblem layer_problem(const ChainQuestion& question, const ChainPart& part,
                          const BatchFormat& from, const BatchFormat& to);

// Returns the storage of each part's result, large enough for all elements that the kernels before
// and after it access. A result in a matrix of the caller has 0 elements.
std::vector<Storage> result_storages(const ChainQuestion& question,
                                     const std::vector<ChainLink>& links);

}  // namespace tilewright

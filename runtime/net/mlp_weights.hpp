// How do a net's weights and biases lie on the device?
//
// As elements of the net; biases are floats, as the sums that they are added to. Each affine
// layer's weights lie row by row, as the model has them but with zeros around them, up to whole
// vectors both ways, and once more in each layout that some batch size's kernel wants them packed
// in. The biases have zeros behind them, too.
#pragma once

#include <list>
#include <vector>

#include <tilewright/mlp_model.hpp>
#include "profiles/round_up.hpp"
#include "runtime/api/plan_operands.hpp"

namespace tilewright {

// Offsets and leading dimensions of what lies between layers: as aligned as any kernel asks.
inline std::size_t whole_vectors(std::size_t elements) {
  return round_up(elements, Plan::offset_multiple());
}

// Columns that a batch may be padded with: every bias has as many zeros behind it.
inline constexpr std::size_t kMaxPadding = 63;

// A layer's weights as a kernel wants them. Never changes once it is made.
struct PackedWeights {
  Storage storage;
  cl::Memory memory;
  cl::Event ready;  // null: it lies there already

  MatrixArgument argument() const { return {memory(), 0, storage.ld}; }
};

// Not thread-safe but for bias() and zeros().
class MlpWeights {
 public:
  // Copies those of a model that has been checked. Throws Error, TW_INVALID_VALUE for a weight that
  // is finite as a float and not as an element.
  MlpWeights(PlanHost& host, const MlpModel& model, Precision precision);

  // One bias for each column; zeros if the layer has none.
  VectorArgument bias(std::size_t layer) const { return {biases_(), layers_[layer].bias}; }
  // Zeros, for the widest matrix of the net.
  VectorArgument zeros() const { return {biases_(), 0}; }

  // Waits until enqueued packing is done. That does not take long: packing has no wait list.
  ~MlpWeights();
  MlpWeights(const MlpWeights&) = delete;
  MlpWeights& operator=(const MlpWeights&) = delete;

  // The weights as a route wants them. What was never packed so before is packed now. Valid as long
  // as this. Throws Error.
  const PackedWeights& packed(std::size_t layer, const Route& route);

  // How often each layer's weights are kept.
  std::vector<std::size_t> copies() const;
  // Frees what was packed since copies() returned this, which no plan may use. Waits until enqueued
  // packing is done.
  void free_since(const std::vector<std::size_t>& copies);

 private:
  struct Layer {
    std::list<PackedWeights> kept;  // the first as the model has them; nodes stay where they are
    std::size_t bias = 0;           // offset
  };

  const cl::CommandQueue& queue();

  PlanHost& host_;
  // For packing alone, made when it is first needed. On a queue of the application's, which may
  // wait for anything, packing would hold up forwards on its other queues.
  cl::CommandQueue queue_;
  std::vector<Layer> layers_;
  cl::Buffer biases_;
};

}  // namespace tilewright

// The weights and biases of a network on the device.
//
// Weights have the precision of the network. Biases are floats, like the sums to which they are
// added. The weights of each affine layer are stored row-major, padded with zeros to whole vectors
// in both dimensions, and additionally in each packed layout that the plan of a batch size uses.
// The offset of each bias is a multiple of the widest vector.
#pragma once

#include <list>
#include <vector>

#include "profiles/round_up.hpp"
#include "runtime/api/plan_operands.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Rounds an offset or leading dimension up to the alignment that all kernels accept, in elements.
inline std::size_t whole_vectors(std::size_t elements) {
  return round_up(elements, kWidestVector);
}

// The weights of a layer in the layout that a kernel reads. Immutable.
struct PackedWeights {
  Storage storage;
  cl::Memory memory;
  cl::Event ready;  // completes when the weights are packed; null: nothing to wait for

  MatrixArgument argument() const { return {memory(), 0, storage.ld}; }
};

// All weights of a network. Only bias() is thread-safe.
class NetworkWeights {
 public:
  // Copies the weights of a model without fault. Throws Error; TW_INVALID_NETWORK for a
  // finite weight that exceeds half precision.
  NetworkWeights(Library& library, const NetworkModel& model, Precision precision);

  // Returns one bias per column; zeros if the layer has none.
  VectorArgument bias(std::size_t layer) const { return {biases_(), layers_[layer].bias}; }
  // Returns at least `count` zeros, valid as long as this object. Throws Error.
  VectorArgument zeros(std::size_t count);

  // Waits until enqueued packing is complete. This is short, because packing waits for nothing.
  ~NetworkWeights();
  NetworkWeights(const NetworkWeights&) = delete;
  NetworkWeights& operator=(const NetworkWeights&) = delete;

  // Returns the weights in the layout that a route needs; packs them if they do not exist in this
  // layout yet. The reference is valid until free_since() or the destructor. Throws Error.
  const PackedWeights& packed(std::size_t layer, const Route& route);

  // Returns for each layer the number of layouts in which its weights exist.
  std::vector<std::size_t> copies() const;
  // Frees the weights that were packed after copies() returned `copies`. No plan may use them.
  // Waits until enqueued packing is complete.
  void free_since(const std::vector<std::size_t>& copies);

 private:
  struct Layer {
    std::list<PackedWeights>
        kept;              // the first is row-major; a list, because references must stay valid
    std::size_t bias = 0;  // offset in biases_, floats
  };

  const cl::CommandQueue& queue();

  Library& library_;
  // Used only for packing, created at first use. A queue of the application may be blocked by other
  // work; packing on it would delay forward passes on the application's other queues.
  cl::CommandQueue queue_;
  std::vector<Layer> layers_;
  cl::Buffer biases_;  // starts with as many zeros as the widest layer has outputs
  std::size_t num_zeros_ = 0;
  std::list<cl::Buffer> more_zeros_;  // for activations; the last one is the largest
};

}  // namespace tilewright

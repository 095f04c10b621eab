// Chooses the finalists whose energy a tuning measures.
//
// These functions do not access a device.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Finalists, and the expected time of one launch in ns.
using Contenders = std::map<std::size_t, double>;

// The finalists that may be best on a shape: for each op the four fastest plans, unless they are
// more than 25 % slower than the fastest one, what runs without the profile, and what wins by the
// energy that is known so far. That may be a plan whose energy is assumed, because it spends most
// of its time on packing.
class EnergyContenders {
 public:
  // `contents` must be those of a tuning after its finals, and must exist as long as this object.
  // After further samples or failures there may be other contenders: a new object is needed.
  explicit EnergyContenders(const JournalContents& contents);

  // `shape` must be one of the tuning.
  const Contenders& on(const GemmShape& shape) const;
  // Those that have at most `round` samples on the shape and have not failed.
  Contenders missing(const GemmShape& shape, int round) const;
  // Returns true if there are any on some shape.
  bool lack_samples(int round) const;

 private:
  const JournalContents& contents_;
  std::vector<Contenders> by_shape_;  // in the order of the shapes in the header
};

// Returns true if the objective is not the time and something that may be best has no sample of
// energy on a shape. Finalists that failed need none.
bool lacks_energy(const JournalContents& contents);

// Returns the number of contenders, summed over the shapes; before the finals, an estimate.
std::size_t num_contenders(const JournalContents& contents);

}  // namespace tilewright

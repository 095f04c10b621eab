// What is the best so far of each op on each shape, while a tuning runs?
//
// Times of kernels alone. Those that want their operands packed stand apart: what packing costs is
// not in them.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/records/outcome.hpp"

namespace tilewright {

class BestSoFar {
 public:
  void note(const Outcome& outcome);

  // A table: at most so many shapes, from the largest to the smallest, a column for each op. The
  // peak, of which each is a share, may be 0: unknown. Empty if nothing was measured.
  std::vector<std::string> table(std::size_t most_shapes, double peak_gflops) const;

 private:
  struct Larger {
    bool operator()(const GemmShape& a, const GemmShape& b) const;
  };
  std::map<GemmShape, std::map<std::string, double>, Larger> gflops_;  // by shape and column
};

}  // namespace tilewright

// What do the finals measure, and what is kept of it?
//
// Finalists are timed one by one: kernels, the pack kernels that bring operands to them, and the
// reduce kernels that add up the parts of a split k. What a way of serving a product costs end to
// end is the sum of its finalists and of their launches, so one measured pack serves all kernels
// that want that layout.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// One kernel in the race.
struct Finalist {
  enum class Job { kProduct, kPackA, kPackB, kReduce };
  std::string point;  // of the kernel that is timed: gemm, pack, or reduce
  Job job = Job::kProduct;
  // But for kProduct: point of the gemm kernel that reads what is packed, or wrote the parts.
  std::string packs_for;
  bool operator==(const Finalist&) const = default;
  auto operator<=>(const Finalist&) const = default;
};

// What a finalist does, for whomever: one pack of an operand serves all kernels that want the same
// of it, a little more or less padding does not matter. Parts are as many as a kernel writes.
inline Finalist work_of(Finalist finalist) {
  if (finalist.job != Finalist::Job::kReduce) finalist.packs_for.clear();
  return finalist;
}

// A way to serve a product: indices of finalists.
struct Way {
  Op op = Op::kNN;
  std::size_t product = 0;
  std::optional<std::size_t> pack_a;
  std::optional<std::size_t> pack_b;
  std::optional<std::size_t> reduce;
  bool keeps_b = false;  // B is packed once and kept, as a net's weights are: it costs nothing
  // What packs operands that are large; nullopt: the same.
  std::optional<std::size_t> large_pack_a = {};
  std::optional<std::size_t> large_pack_b = {};
  bool operator==(const Way&) const = default;
};

// How many kernels may run beside the product, each time.
inline int auxiliaries_of(const Way& way) {
  return !!way.pack_a + (way.pack_b && !way.keeps_b ? 1 : 0) + !!way.reduce;
}

// The line-up of a final over all shapes. `reference` (an index of finalists) is timed at the begin
// and the end of every sweep; `baseline` (of ways) is what would be served without this tuning.
struct Lineup {
  std::vector<Finalist> finalists;
  std::vector<Way> ways;
  std::size_t reference = 0;
  std::vector<std::size_t> baselines;
  bool operator==(const Lineup&) const = default;
};

// One sweep: one sample of each finalist that still runs on one shape, in random order. A fork is
// what is measured until another worker process goes on on purpose: there pages and addresses lie
// otherwise. ns: by index of
// finalists. What cannot run is not there. The clock beside the samples, where it can be read, and
// the samples across which it changed, which do not count, are there by finalist, too.
struct Sweep {
  int round = 0;
  GemmShape shape;
  double reference_before_ns = 0.0;
  double reference_after_ns = 0.0;
  std::map<std::size_t, double> ns;
  std::map<std::size_t, ClockPair> clocks_hz = {};
  std::map<std::size_t, std::vector<double>> rejected_ns = {};
  int fork = 0;
  bool operator==(const Sweep&) const = default;
};

}  // namespace tilewright

// Who races in the finals?
//
// Pure: outcomes in, racers and ways out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codelets/parameter_point.hpp"
#include "tuner/cost.hpp"
#include "tuner/finals_record.hpp"
#include "tuner/outcome.hpp"

namespace tilewright {

// The outcomes from which alone any decision is made: of each pair of operand layouts the best by
// kernel time, all in all and on each shape, and the best general ones. To look at thousands would
// take seconds.
std::vector<const Outcome*> most_promising(const std::vector<Outcome>& outcomes);

// Kernels (as text) that shall race for one op, best first, without repeats: the best by cost, the
// best on each screening shape, and the best general one.
std::vector<std::string> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                          const CostModel& costs);

// Does the kernel take any offset, leading dimension and extent, as its caller has them?
bool is_general(const ParameterPoint& point);

// The demands (points of codelet pack) that the kernels need, to serve the op on any of the shapes.
std::set<PackPoint> pack_demands(const std::vector<std::string>& kernels, Op op,
                                 const std::vector<GemmShape>& shapes);

// Builds a line-up: kernels that serve several ops race once.
class LineupBuilder {
 public:
  // `packs`: the best pack kernel by demand; a way that needs another is left out.
  explicit LineupBuilder(const std::map<PackPoint, std::string>& packs) : packs_(packs) {}
  // Index of the way; nullopt if a pack is missing. A way that is there already is not added again.
  std::optional<std::size_t> add(const std::string& kernel, Op op,
                                 const std::vector<GemmShape>& shapes);
  void set_reference(const std::string& kernel);
  void add_incumbent(std::size_t way);
  Lineup take() { return std::move(lineup_); }

 private:
  std::size_t racer(const Racer& racer);
  const std::map<PackPoint, std::string>& packs_;
  Lineup lineup_;
};

// The racers that a way needs on a shape: a kernel that reads an operand in place there needs no
// pack, whatever it needs elsewhere. Empty: it cannot serve the shape.
std::vector<std::size_t> racers_of(const Way& way, const Lineup& lineup, const GemmShape& shape);

// The racers that still run on a shape after `sweeps`: products that belong to a way that is not
// clearly behind the best of its op, the packs that those need, and the reference. All in the first
// round. Failed ones never.
std::vector<std::size_t> still_racing(const Lineup& lineup, const GemmShape& shape,
                                      const std::vector<Sweep>& sweeps,
                                      const std::map<std::size_t, std::string>& failures);

}  // namespace tilewright

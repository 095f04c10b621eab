// Who races in the finals?
//
// Pure: outcomes in, finalists and ways out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "codelets/point/validity.hpp"
#include "tuner/records/finals_record.hpp"
#include "tuner/records/outcome.hpp"
#include "tuner/search/cost.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {

// The outcomes from which alone any decision is made: of each codelet and pair of operand layouts
// the best by kernel time, so many on each shape and four times as many all in all, and the best
// general ones. To look at thousands would take seconds. Kernels that do a network's part beside
// the product are none.
std::vector<const Outcome*> most_promising(const std::vector<Outcome>& outcomes,
                                           std::size_t per_shape = 4);

// Kernels of a codelet (gemm or gemv; as text) that shall race for one op, without repeats: the
// best by cost, the best on each screening shape and the best general one, then the second best of
// each kind, and so on.
std::vector<std::string> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                          const CostModel& costs, Codelet codelet = Codelet::kGemm);

// Does the kernel take any offset, leading dimension and extent, as its caller has them?
bool is_general(const ParameterPoint& point);

// The demands (see Auxiliaries) of the kernels, to serve the op on any of the shapes.
std::set<ParameterPoint> demands_of(const std::vector<std::string>& kernels, Op op,
                                    const std::vector<GemmShape>& shapes);

// Kernels (as text) that would serve the op without this tuning, as they would be tried on this
// device: those of the profiles, first profile first. Repeats are possible.
std::vector<std::string> baselines_of(const std::vector<Profile>& profiles, Op op,
                                      const SpaceLimits& limits, const DeviceRates& rates);

// The starting points of a search for an op (as text), as they are tried on this device; not those
// that want packs.
std::set<std::string> starting_kernels(Op op, const SpaceLimits& limits, const DeviceRates& rates);

// Builds a line-up: kernels that serve several ops race once.
class LineupBuilder {
 public:
  // A way that needs other auxiliaries is left out. keeps_b: what packs op(B) counts in no way.
  explicit LineupBuilder(const Auxiliaries& auxiliaries, bool keeps_b = false)
      : auxiliaries_(auxiliaries), keeps_b_(keeps_b) {}
  // Index of the way; nullopt if an auxiliary is missing. A way that is there already is not added
  // again.
  std::optional<std::size_t> add(const std::string& kernel, Op op,
                                 const std::vector<GemmShape>& shapes);
  void set_reference(const std::string& kernel);
  void add_baseline(std::size_t way);
  Lineup take() { return std::move(lineup_); }

 private:
  std::size_t finalist(const Finalist& finalist);
  const Auxiliaries& auxiliaries_;
  bool keeps_b_;
  Lineup lineup_;
};

// The kernels (as text) that may race for an op, best first.
struct Contenders {
  std::vector<std::string> finalists;
  std::vector<std::string> baselines;
};

// The line-up of each op's first `most` finalists and baselines. The first op's first finalist is
// the reference.
Lineup make_lineup(const std::map<Op, Contenders>& contenders, std::size_t most_finalists,
                   std::size_t most_baselines, const std::vector<GemmShape>& shapes,
                   const Auxiliaries& auxiliaries, bool keeps_b = false);

// The finalists that a way needs on a shape: a kernel that reads an operand in place there needs no
// pack, whatever it needs elsewhere, nor one that packs what is kept. Empty: it cannot serve the
// shape.
std::vector<std::size_t> finalists_of(const Way& way, const Lineup& lineup, const GemmShape& shape);

// What it takes to launch what runs beside a way's product, of so many finalists with that: see
// CommandCosts.
double launches_ns(const Way& way, std::size_t finalists, const DeviceRates& rates);

}  // namespace tilewright

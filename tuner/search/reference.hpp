// Which candidate tells the machine's slow-downs during a search?
//
// A good candidate is run beside every other. Not always the best so far: of many noisy candidates
// the best is one that was lucky, and if others are corrected by its lucky time, the luckiest of
// those is too good twice, and so on. So a reference stays until another is clearly better. What it
// usually takes is said by what it takes, as it is, in trial after trial (slow_down.hpp). Pure.
#pragma once

#include <map>
#include <vector>

#include "tuner/records/outcome.hpp"
#include "tuner/search/cost.hpp"

namespace tilewright {

class Reference {
 public:
  // Takes an outcome into account: as a candidate for being the reference (class ok, measured on
  // most of the model's shapes: some kernels cannot serve all, and long ones are for few), and for
  // what the reference took beside it. The model has learnt it.
  void learn(const Outcome& outcome, const CostModel& costs);

  // The reference; no kernel: none yet.
  const KernelId& kernel() const { return kernel_; }
  // What it usually takes on the model's shapes, 0 where it was not measured; empty: none yet.
  std::vector<double> known_ns() const;

 private:
  struct Candidate {
    Outcome outcome;
    double cost = 0.0;
    std::vector<std::vector<double>> seen_ns;  // per shape: as the reference of others
  };
  std::vector<double> known_ns(const Candidate& candidate) const;
  void weigh(Candidate& candidate, const CostModel& costs);
  void see(const Outcome& outcome, const CostModel& costs);
  void choose();

  std::map<KernelId, Candidate> candidates_;
  std::vector<GemmShape> shapes_;
  KernelId kernel_;
};

}  // namespace tilewright

// Which candidate's time tells the machine's pace during a search, and what is it known to take?
//
// A good candidate is run beside every other. Not always the best so far: of many noisy candidates
// the best is one that was lucky, and if others are corrected by its lucky time, the luckiest of
// those is too good twice, and so on. So a reference stays until another is clearly better, and
// what it is known to take is the median of what it takes, as it is, in trial after trial. Pure.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tuner/records/outcome.hpp"
#include "tuner/search/cost.hpp"

namespace tilewright {

class DriftReference {
 public:
  // Takes an outcome into account: as a candidate for being the reference (class ok, measured on
  // most of the model's shapes: some kernels cannot serve all, and long ones are for few), and for
  // what the reference took beside it. The model has learnt it.
  void learn(const Outcome& outcome, const CostModel& costs);

  // Point of the reference; "": none yet.
  const std::string& point() const { return point_; }
  // What it is known to take on the model's shapes, 0 where it was not measured; empty: none yet.
  std::vector<double> known_ns() const;
  // Point of the best candidate, as far as is known; "": none yet.
  const std::string& best() const { return best_; }
  std::vector<double> best_ns() const;

 private:
  struct Candidate {
    Outcome outcome;
    double cost = 0.0;
    std::vector<std::deque<double>> seen_ns;  // per shape: as the reference of others
  };
  std::vector<double> known_ns(const Candidate& candidate) const;
  void weigh(Candidate& candidate, const CostModel& costs);
  void see(const Outcome& outcome, const CostModel& costs);
  void choose();

  std::map<std::string, Candidate> candidates_;
  std::vector<GemmShape> shapes_;
  std::string point_;
  std::string best_;
};

}  // namespace tilewright

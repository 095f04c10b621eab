// Selects the reference kernel that shows slow-downs of the machine during a search.
//
// The reference is a good candidate that is sampled together with every other candidate. It is not
// always the best candidate so far. The best of many noisy candidates is one that was lucky, and if
// other candidates are corrected by its lucky time, the next best appears even better, and so on.
// Therefore a reference is kept until another candidate is clearly better, and its usual time is
// estimated from its uncorrected times in many trials (slow_down.hpp). These functions do not
// access a device.
#pragma once

#include <map>
#include <vector>

#include "tuner/journal/records/outcome.hpp"
#include "tuner/search/cost.hpp"

namespace tilewright {

// The current reference, and the candidates for it.
class Reference {
 public:
  // Uses an outcome in two ways. Its kernel may become the reference, if it has class ok and was
  // measured on more than half of the model's shapes (some kernels do not support all shapes, and
  // only few candidates are measured with long launches). Its reference times update what is known
  // about the current reference. `costs` must have learned the outcome.
  void learn(const Outcome& outcome, const CostModel& costs);

  // The reference; empty if there is none yet.
  const KernelId& kernel() const { return kernel_; }
  // Usual time of the reference on each of the model's shapes in ns, 0 if it was not measured
  // there. Empty if there is no reference yet.
  std::vector<double> known_ns() const;

 private:
  struct Candidate {
    Outcome outcome;
    double cost = 0.0;
    // By shape: its times as the reference in other trials.
    std::vector<std::vector<double>> seen_ns;
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

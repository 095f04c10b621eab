// When do the finals go on in another worker process?
//
// Pure. A process repeats itself better than a kernel does: in the next one pages, addresses and
// threads lie otherwise, and of two kernels the other may be ahead by some hundredths
// (docs/measuring.md, "How stable is the choice?"). So what varies from process to process is
// repeated, too. How many rounds a process is worth follows from what it costs to begin with
// another, in rounds: the root of that, times how noisy samples are beside processes (Kalibera and
// Jones 2013, "Rigorous benchmarking in reasonable time", on the number of repetitions at each
// level). That is mostly loading kernels, and so falls with the number of finalists.
#pragma once

#include <vector>

namespace tilewright {

class Forks {
 public:
  // `first`: number of the first fork. `guess_s`: what it may cost to begin another one, until one
  // has begun.
  Forks(int first, double guess_s) : number_(first), cost_s_(guess_s) {}

  int number() const { return number_; }
  // A round of this fork took so long. Its first one takes longer: kernels are loaded anew.
  void round(double seconds) { rounds_s_.push_back(seconds); }
  // Shall another one begin, if so much time is left?
  bool is_over(double left_s) const;
  void next();
  // What the first round of a fork takes more than others, as the last one shows.
  double cost_s() const;
  // Of the next round: cost_s() where it is the first of another worker, else 0.
  double next_round_cost_s() const;

 private:
  int number_;
  double cost_s_;
  bool renewed_ = false;  // this fork has a worker of its own
  std::vector<double> rounds_s_;
};

}  // namespace tilewright

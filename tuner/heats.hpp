// When do the finals go on in another worker process?
//
// Pure. A process repeats itself better than a kernel does: in the next one pages, addresses and
// threads lie otherwise, and of two kernels the other may be ahead by some hundredths
// (docs/measuring.md, "How stable is the choice?"). So what varies from process to process is
// repeated, too. How many rounds a process is worth follows from what it costs to begin with
// another, in rounds: the root of that, times how noisy samples are beside processes (Kalibera and
// Jones 2013, "Rigorous benchmarking in reasonable time", on the number of repetitions at each
// level). That is mostly loading kernels, and so falls with the number of racers.
#pragma once

#include <vector>

namespace tilewright {

class Heats {
 public:
  // `first`: number of the first heat.
  explicit Heats(int first) : number_(first) {}

  int number() const { return number_; }
  // A round of this heat took so long. Its first one takes longer: kernels are loaded anew.
  void round(double seconds) { rounds_s_.push_back(seconds); }
  // Shall another one begin, if so much time is left?
  bool is_over(double left_s) const;
  void next();
  // What the first round of this heat took more than others; until that is known, that of the one
  // before it; 0: nothing is known.
  double cost_s() const;

 private:
  int number_;
  std::vector<double> rounds_s_;
  double last_cost_s_ = 0.0;
};

}  // namespace tilewright

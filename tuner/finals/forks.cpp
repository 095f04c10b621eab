#include "tuner/finals/forks.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

// What a sample deviates from its fork's median, over what that deviates from the next fork's. PoCL
// 3.1 on 2 cores, 768x768x768: 1.9 % over 0.8 % (62 finalists in 9 forks) and over 2 % and more of
// some kernels, 2026-11-22.
constexpr double kNoise = 2.0;
constexpr std::size_t kLeastOfFork = 3;
constexpr std::size_t kMostOfFork = 25;

}  // namespace

double Forks::cost_s() const {
  // The first worker has been at work before, and may have the kernels.
  if (!renewed_ || rounds_s_.size() < kLeastOfFork) return cost_s_;
  const double usual_s = quantile({rounds_s_.begin() + 1, rounds_s_.end()}, 0.5);
  return std::max(0.0, rounds_s_.front() - usual_s);
}

double Forks::next_round_cost_s() const {
  return renewed_ && rounds_s_.empty() ? cost_s_ : 0.0;
}

bool Forks::is_over(double left_s) const {
  if (rounds_s_.size() < kLeastOfFork) return false;
  const double usual_s = quantile({rounds_s_.begin() + 1, rounds_s_.end()}, 0.5);
  const double wanted = kNoise * std::sqrt(cost_s() / std::max(usual_s, 1e-9));
  const double rounds =
      std::clamp(wanted, static_cast<double>(kLeastOfFork), static_cast<double>(kMostOfFork));
  // One that ends early says little of its process.
  const double least_s = cost_s() + 0.5 * rounds * usual_s;
  return static_cast<double>(rounds_s_.size()) >= rounds && left_s > least_s;
}

void Forks::next() {
  cost_s_ = cost_s();
  renewed_ = true;
  rounds_s_.clear();
  ++number_;
}

}  // namespace tilewright

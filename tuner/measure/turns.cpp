#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace tilewright {
namespace {

constexpr double kMinSampleSeconds = 2e-3;

}  // namespace

double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Turns::Turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random, Now now_s)
    : rounds_(rounds),
      random_(random),
      now_s_(std::move(now_s)),
      begin_s_(now_s_()),
      order_(count),
      at_(count) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

// Asked between rounds.
bool Turns::is_over() const {
  if (order_.empty() || begun_ >= rounds_.most) return true;
  if (begun_ < rounds_.least) return false;
  return rounds_.enough ? rounds_.enough() : now_s_() - begin_s_ >= rounds_.seconds;
}

std::optional<std::size_t> Turns::next() {
  if (at_ == order_.size()) {
    if (is_over()) return std::nullopt;
    ++begun_;
    std::shuffle(order_.begin(), order_.end(), random_);
    at_ = 0;
  }
  return order_[at_++];
}

void Turns::leave() {
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(--at_));
}

std::vector<std::vector<double>> take_turns(const std::vector<Calls>& competitors, double seconds,
                                            std::mt19937_64& random, const Now& now_s) {
  std::vector<int> calls;
  for (const Calls& competitor : competitors) {
    const double once = competitor(1);
    calls.push_back(std::max(1, static_cast<int>(std::ceil(kMinSampleSeconds / once))));
  }
  std::vector<std::vector<double>> samples(competitors.size());
  Turns turns(competitors.size(), {.seconds = seconds}, random, now_s);
  while (const std::optional<std::size_t> i = turns.next()) {
    samples[*i].push_back(competitors[*i](calls[*i]) / calls[*i]);
  }
  return samples;
}

Calls after_one_call(Calls calls) {
  return [calls = std::move(calls)](int count) {
    calls(1);
    return calls(count);
  };
}

}  // namespace tilewright

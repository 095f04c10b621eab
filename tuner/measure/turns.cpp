#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tilewright {
namespace {

constexpr double kMinSampleSeconds = 2e-3;

}  // namespace

double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void take_rounds(std::size_t count, const Rounds& rounds, std::mt19937_64& random,
                 const std::function<bool(std::size_t)>& measure, const Now& now_s) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begin_s = now_s();
  const auto is_over = [&](int done) {
    return order.empty() || done >= rounds.most ||
           (done >= rounds.least &&
            (rounds.enough ? rounds.enough() : now_s() - begin_s >= rounds.seconds));
  };
  for (int done = 0; !is_over(done); ++done) {
    std::shuffle(order.begin(), order.end(), random);
    order.erase(
        std::remove_if(order.begin(), order.end(), [&](std::size_t i) { return !measure(i); }),
        order.end());
  }
}

std::vector<std::vector<double>> take_turns(const std::vector<Calls>& competitors, double seconds,
                                            std::mt19937_64& random, const Now& now_s) {
  std::vector<int> calls;
  for (const Calls& competitor : competitors) {
    const double once = competitor(1);
    calls.push_back(std::max(1, static_cast<int>(std::ceil(kMinSampleSeconds / once))));
  }
  std::vector<std::vector<double>> samples(competitors.size());
  const auto sample = [&](std::size_t i) {
    samples[i].push_back(competitors[i](calls[i]) / calls[i]);
    return true;
  };
  take_rounds(competitors.size(), {.seconds = seconds}, random, sample, now_s);
  return samples;
}

Calls after_one_call(Calls calls) {
  return [calls = std::move(calls)](int count) {
    calls(1);
    return calls(count);
  };
}

}  // namespace tilewright

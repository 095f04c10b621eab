#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tilewright {
namespace {

constexpr double kMinSampleSeconds = 2e-3;
constexpr int kLeastRounds = 9;

}  // namespace

double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<std::vector<double>> take_turns(const std::vector<Calls>& contenders, double seconds,
                                            std::mt19937_64& random, const Now& now_s) {
  std::vector<int> calls;
  for (const Calls& contender : contenders) {
    const double once = contender(1);
    calls.push_back(std::max(1, static_cast<int>(std::ceil(kMinSampleSeconds / once))));
  }
  std::vector<std::vector<double>> samples(contenders.size());
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double begin_s = now_s();
  const auto time_left = [&] { return now_s() - begin_s < seconds; };
  for (int round = 0; round < kLeastRounds || time_left(); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) samples[i].push_back(contenders[i](calls[i]) / calls[i]);
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

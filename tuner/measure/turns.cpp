#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace tilewright {
namespace {

// A sample repeats the call until it takes about kSampleSeconds. A sample that turns out to be
// shorter than kMinSampleSeconds is repeated with more calls.
constexpr double kSampleSeconds = 2e-3;
constexpr double kMinSampleSeconds = 1e-3;
constexpr int kMaxCalls = 1 << 20;

int calls_for(double seconds, double call_s) {
  return static_cast<int>(std::clamp(std::ceil(seconds / call_s), 1.0, double{kMaxCalls}));
}

// Returns the seconds of one call. If `calls` turns out to be too small, for example because the
// machine was slow when it was estimated, it is increased.
double sample(const Calls& competitor, int& calls) {
  while (true) {
    const double call_s = competitor(calls) / calls;
    if (calls * call_s >= kMinSampleSeconds || calls == kMaxCalls) return call_s;
    calls = std::max(calls + 1, calls_for(kSampleSeconds, call_s));
  }
}

}  // namespace

double steady_now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ns_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void take_turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random,
                const std::function<bool(std::size_t)>& sample, const Now& now_s) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double start_s = now_s();
  const auto is_enough = [&] {
    return rounds.enough ? rounds.enough() : now_s() - start_s >= rounds.seconds;
  };
  for (int round = 0; !order.empty() && round < rounds.max; ++round) {
    if (round >= rounds.min && is_enough()) return;
    std::shuffle(order.begin(), order.end(), random);
    std::erase_if(order, [&](std::size_t i) { return !sample(i); });
  }
}

std::vector<std::vector<double>> time_in_turns(const std::vector<Calls>& competitors,
                                               double seconds, std::mt19937_64& random,
                                               const Now& now_s) {
  std::vector<int> calls;
  for (const Calls& competitor : competitors) {
    calls.push_back(calls_for(kSampleSeconds, competitor(1)));
  }
  std::vector<std::vector<double>> samples(competitors.size());
  const auto take_sample = [&](std::size_t i) {
    samples[i].push_back(sample(competitors[i], calls[i]));
    return true;
  };
  take_turns(competitors.size(), {.seconds = seconds}, random, take_sample, now_s);
  return samples;
}

}  // namespace tilewright

#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

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

Turns::Turns(std::size_t count, const Rounds& rounds, std::mt19937_64& random, Now now_s)
    : rounds_(rounds),
      random_(random),
      now_s_(std::move(now_s)),
      start_s_(now_s_()),
      order_(count),
      at_(count) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

// Called between rounds.
bool Turns::is_over() const {
  if (order_.empty() || begun_ >= rounds_.max) return true;
  if (begun_ < rounds_.min) return false;
  return rounds_.enough ? rounds_.enough() : now_s_() - start_s_ >= rounds_.seconds;
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
    calls.push_back(calls_for(kSampleSeconds, competitor(1)));
  }
  std::vector<std::vector<double>> samples(competitors.size());
  Turns turns(competitors.size(), {.seconds = seconds}, random, now_s);
  while (const std::optional<std::size_t> i = turns.next()) {
    samples[*i].push_back(sample(competitors[*i], calls[*i]));
  }
  return samples;
}

}  // namespace tilewright

#include "runtime/team/measured_choice.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

constexpr int kWarmUps = 1;
constexpr int kTrials = kWarmUps + 2;
constexpr double kWorthTrying = 1.5;
constexpr double kNewWeight = 0.125;  // of one later time in the average
constexpr double kCallsToRetry = 64.0;
constexpr double kWorthRetrying = 10.0;

}  // namespace

MeasuredChoice::MeasuredChoice(std::vector<double> expected) {
  for (const double seconds : expected) ways_.push_back({seconds});
}

std::size_t MeasuredChoice::fastest() const {
  const auto faster = [](const Way& x, const Way& y) {
    return known_seconds(x) < known_seconds(y);
  };
  return static_cast<std::size_t>(std::min_element(ways_.begin(), ways_.end(), faster) -
                                  ways_.begin());
}

bool MeasuredChoice::is_tried(std::size_t way) const {
  return ways_[way].runs >= kTrials;
}

bool MeasuredChoice::is_due_again(std::size_t way) const {
  const Way& other = ways_[way];
  const std::size_t best = fastest();
  if (way == best || other.measured <= 0.0) return false;
  const double ratio = other.measured / known_seconds(ways_[best]);
  if (ratio > kWorthRetrying) return false;
  const auto num_others = static_cast<double>(ways_.size() - 1);
  const double wait = std::ldexp(kCallsToRetry * num_others * ratio, other.retries);
  return static_cast<double>(num_calls_ - other.last_call) >= wait;
}

std::size_t MeasuredChoice::next() const {
  const std::size_t best = fastest();
  const double limit = kWorthTrying * known_seconds(ways_[best]);
  const auto members = static_cast<double>(std::max<std::size_t>(2, ways_.size()) - 1);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const double factor = ways_[i].measured > 0.0 ? 1.0 : members;
    if (!is_tried(i) && known_seconds(ways_[i]) <= factor * limit) return i;
  }
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (is_due_again(i)) return i;
  }
  return best;
}

void MeasuredChoice::expect(std::size_t way, double seconds) {
  ways_[way].expected = seconds;
}

void MeasuredChoice::restart(std::size_t way) {
  ways_[way].measured = 0.0;
  ways_[way].runs = 0;
}

void MeasuredChoice::record(std::size_t way, double seconds) {
  const bool is_retry = is_due_again(way);
  Way& known = ways_[way];
  known.last_call = ++num_calls_;
  ++known.runs;
  if (is_retry) {
    ++known.retries;
    known.measured = seconds;
    return;
  }
  if (known.runs <= kWarmUps) return;
  if (known.measured <= 0.0) {
    known.measured = seconds;
  } else if (known.runs <= kTrials) {
    known.measured = std::min(known.measured, seconds);
  } else {
    known.measured += kNewWeight * (seconds - known.measured);
  }
}

}  // namespace tilewright

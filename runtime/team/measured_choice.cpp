#include "runtime/team/measured_choice.hpp"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

constexpr int kTrials = 2;  // in addition to the warm-up
constexpr double kWorthTrying = 1.5;
constexpr double kNewWeight = 0.125;  // of one later time in the average
// A retry has two calls, and all retries together must take less than 1/64 of the time.
constexpr double kCallsToRetry = 2 * 64.0;
constexpr std::int64_t kCallsPerFailure = 16;

}  // namespace

MeasuredChoice::MeasuredChoice(const std::vector<double>& expected) : ways_(expected.size()) {
  for (std::size_t i = 0; i < expected.size(); ++i) expect(i, expected[i]);
}

std::size_t MeasuredChoice::fastest() const {
  const auto faster = [](const Way& x, const Way& y) {
    return known_seconds(x) < known_seconds(y);
  };
  return static_cast<std::size_t>(std::min_element(ways_.begin(), ways_.end(), faster) -
                                  ways_.begin());
}

std::size_t MeasuredChoice::current() const {
  const std::size_t best = fastest();
  const double limit = kWorthTrying * known_seconds(ways_[best]);
  const auto members = static_cast<double>(std::max<std::size_t>(1, num_members()));
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const double factor = ways_[i].measured > 0.0 ? 1.0 : members;
    const bool is_tried = ways_[i].num_counted >= kTrials;
    if (!is_tried && known_seconds(ways_[i]) <= factor * limit) return i;
  }
  return best;
}

bool MeasuredChoice::is_due(const Way& way) const {
  const double seconds = known_seconds(way);
  if (!std::isfinite(seconds)) return false;
  const double ratio = seconds / known_seconds(ways_[fastest()]);
  const double wait =
      std::ldexp(kCallsToRetry * static_cast<double>(num_members()) * ratio, way.num_retries);
  return static_cast<double>(num_calls_ - way.last_call) >= wait;
}

Choice MeasuredChoice::next() {
  Choice choice{current(), num_calls_ + 1};
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    Way& way = ways_[i];
    const bool is_first = is_due(way);
    if (i == choice.way || (!is_first && !way.is_half_retried)) continue;
    if (is_first) {
      ++way.num_retries;
      warm_up(i);
    }
    choice.way = i;
    choice.is_retry = true;
    break;
  }
  ways_[choice.way].is_half_retried = false;
  ways_[choice.way].last_call = choice.call;
  num_calls_ = choice.call;
  return choice;
}

void MeasuredChoice::expect(std::size_t way, double seconds) {
  ways_[way].expected = seconds;
}

void MeasuredChoice::warm_up(std::size_t way) {
  ways_[way].warm_since.reset();
  ways_[way].ignored_until = num_calls_;
}

void MeasuredChoice::restart(std::size_t way) {
  ways_[way].measured = 0.0;
  ways_[way].num_counted = 0;
  warm_up(way);
}

bool MeasuredChoice::record(const Choice& choice, double seconds) {
  Way& way = ways_[choice.way];
  if (choice.call <= way.ignored_until) return false;
  if (!way.warm_since) way.warm_since = num_calls_;
  if (choice.call <= *way.warm_since) {
    way.is_half_retried = way.is_half_retried || choice.is_retry;
    return false;
  }
  count(choice, seconds);
  return true;
}

void MeasuredChoice::record_failure(const Choice& choice, double seconds) {
  Way& way = ways_[choice.way];
  const bool is_first = choice.call > way.may_fail_after;
  way.may_fail_after = num_calls_ + kCallsPerFailure;
  if (is_first && !choice.is_retry) way.forgiven_until = num_calls_;
  if (choice.is_retry || choice.call > way.forgiven_until) count(choice, seconds);
}

void MeasuredChoice::count(const Choice& choice, double seconds) {
  Way& way = ways_[choice.way];
  ++way.num_counted;
  if (choice.is_retry || way.measured <= 0.0) {
    way.measured = seconds;
  } else if (way.num_counted <= kTrials) {
    way.measured = std::min(way.measured, seconds);
  } else {
    way.measured += kNewWeight * (seconds - way.measured);
  }
}

}  // namespace tilewright

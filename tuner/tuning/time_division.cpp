#include "tuner/tuning/time_division.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr double kRatesShare = 0.2;  // maximum share of the budget for measuring rates

}  // namespace

double left_for_rates_s(double budget_s, double spent_on_rates_s) {
  return std::max(0.0, kRatesShare * budget_s - spent_on_rates_s);
}

double searches_end_s(const SearchPeriod& period) {
  const double by_share_s =
      period.start_s + period.search_share * (period.budget_s - period.start_s);
  return std::min(by_share_s, period.budget_s - period.decided_in_s);
}

bool is_worth_searching(const SearchPeriod& period, double candidate_s) {
  return searches_end_s(period) - period.now_s >= candidate_s;
}

double share_of_space_s(const SpaceTime& time) {
  return (time.left_s + time.spent_from_here_s) * time.weight / time.weight_from_here;
}

}  // namespace tilewright

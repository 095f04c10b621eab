#include "tuner/tuning/time_division.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/select/validation.hpp"

namespace tilewright {
namespace {

// Shares of the budget.
constexpr double kRatesShare = 0.2;  // maximum for micro-benchmarks
constexpr double kBuiltInEnd = 0.5;  // of built-in kernels, before each op has a candidate
constexpr double kPackShare = 0.03;  // auxiliary kernels of the finalists; the same for networks
constexpr double kFinalsShare = 0.2;
constexpr double kNetworkShare = 0.14;
constexpr double kValidationShare = 0.2;
constexpr double kBadChoicesShare = 0.8;  // of what is left, for validation while choices are bad
constexpr double kWorthwhile = 0.02;      // less is not worth further finals
constexpr double kHeldOutShare = 0.05;
constexpr double kMaxHeldOutShare = 0.1;

constexpr double kUsualCandidate_s = 1.0;  // assumed if no candidate was tried
constexpr double kStep_s = 10.0;           // proposed budgets are multiples of this
constexpr double kMinGrowth = 1.5;         // factor over a budget that was not sufficient
// The first candidate of an op is not compiled while another one is measured.
constexpr double kFirstCandidate = 3.0;  // its time relative to the mean time of a candidate

double network_share(const TuneOptions& options) {
  return for_networks(options) ? kNetworkShare : 0.0;
}

// Returns the part of the total time that passes before validation and networks.
double finals_end_share(const TuneOptions& options) {
  return 1.0 - network_share(options) - (is_validated(options) ? kValidationShare : 0.0);
}

double candidate_s(const TimeNeed& need) {
  return need.candidate_s > 0.0 ? need.candidate_s : kUsualCandidate_s;
}

double rounded_up(double seconds) {
  return kStep_s * std::ceil(seconds / kStep_s);
}

}  // namespace

double left_for_rates_s(double budget_s, double spent_on_rates_s) {
  return std::max(0.0, kRatesShare * budget_s - spent_on_rates_s);
}

double built_in_end_s(double budget_s) {
  return kBuiltInEnd * budget_s;
}

double search_share(const TuneOptions& options) {
  return finals_end_share(options) - kFinalsShare - kPackShare;
}

double searches_end_s(const SearchPeriod& period) {
  if (period.lacks_candidates) return period.budget_s;
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

double auxiliaries_s(double budget_s) {
  return kPackShare * budget_s;
}

double finals_end_s(const TuneOptions& options, double end_s, double now_s) {
  const double networks = 1.0 - finals_end_share(options);
  const double of_the_rest = kFinalsShare / (kFinalsShare + networks);
  return std::max(finals_end_share(options) * end_s, now_s + of_the_rest * (end_s - now_s));
}

ValidationTimes validation_times(const TuneOptions& options, double end_s, double now_s) {
  const double left_s = std::max(0.0, end_s - now_s);
  const double networks = network_share(options);
  const double share = kValidationShare / (kValidationShare + networks);
  const double until_s = now_s + std::min(share * left_s, kValidationShare * end_s);
  return {until_s, std::max(until_s, now_s + kBadChoicesShare * left_s)};
}

std::optional<double> further_finals_end_s(double budget_s, double networks_start_s, double now_s) {
  const double end_s = budget_s - (now_s - networks_start_s);
  return end_s - now_s > kWorthwhile * budget_s ? std::optional(end_s) : std::nullopt;
}

double held_out_s(const TuneOptions& options, double product_s) {
  if (!is_validated(options) || options.shards > 1) return 0.0;
  return std::clamp(product_s * static_cast<double>(kMinHeldOut), kHeldOutShare * options.budget_s,
                    kMaxHeldOutShare * options.budget_s);
}

double first_profile_s(const TimeNeed& need) {
  const double candidates_s = need.ops * kFirstCandidate * candidate_s(need);
  const double needed_s = (need.fixed_s + candidates_s) / (1.0 - kRatesShare - kFinalsShare);
  const double least_s = need.lacks_candidates ? kMinGrowth * need.budget_s : 0.0;
  return rounded_up(std::max(needed_s, least_s));
}

double sufficient_s(const TimeNeed& need) {
  const double searching_s = kEnoughCandidates * need.searches * candidate_s(need);
  const double needed_s = need.fixed_s + searching_s / need.search_share;
  return rounded_up(std::max(needed_s, kMinGrowth * need.budget_s));
}

}  // namespace tilewright

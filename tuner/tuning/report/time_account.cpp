#include "tuner/tuning/report/time_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewright {
namespace {

constexpr double kCandidates = 30.0;       // for each search: starting points, and some of its own
constexpr double kUsualCandidate_s = 1.0;  // assumed if no candidate was tried
constexpr double kMinGrowth = 1.5;         // factor over the budget that was not sufficient
constexpr double kStep_s = 10.0;           // proposed budgets are multiples of this

}  // namespace

std::string time_account(const std::map<std::string, double>& seconds) {
  std::vector<std::pair<std::string, double>> all(seconds.begin(), seconds.end());
  std::erase_if(all, [](const auto& each) { return each.second < 0.5; });
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [activity, s] : all) {
    text += fmt::format("{}{} {:.0f} s", text.empty() ? "" : ", ", activity, s);
  }
  return text;
}

std::string few_candidates_text(int tried, const TimeNeed& need) {
  if (tried >= kCandidates * need.searches) return "";
  return fmt::format(
      "{} candidates are few for {} search space{}; --budget {:.0f}s would find "
      "better kernels",
      tried, need.searches, need.searches == 1 ? "" : "s", sufficient_s(need));
}

double sufficient_s(const TimeNeed& need) {
  const double candidate_s = need.candidate_s > 0.0 ? need.candidate_s : kUsualCandidate_s;
  const double searching_s = kCandidates * need.searches * candidate_s;
  const double for_search_s = need.fixed_s + searching_s / need.search_share;
  const double needed_s = std::max(for_search_s, kMinGrowth * need.budget_s);
  return kStep_s * std::ceil(needed_s / kStep_s);
}

double spent_on(const std::map<std::string, double>& seconds, const std::string& activity) {
  const auto found = seconds.find(activity);
  return found == seconds.end() ? 0.0 : found->second;
}

std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need) {
  const std::string account = time_account(spent_s);
  return fmt::format(
      "the budget left no time for {}{}; run {} with a longer one, such as --budget {:.0f}s",
      missing, account.empty() ? "" : " (time was spent on: " + account + ")", need.command,
      sufficient_s(need));
}

}  // namespace tilewright

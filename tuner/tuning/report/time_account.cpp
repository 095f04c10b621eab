#include "tuner/tuning/report/time_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

// Returns for example "3 ops".
std::string count_text(int count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Returns for example "--budget 30s for a first profile, --budget 240s for a good one".
std::string two_budgets(const TimeNeed& need) {
  return fmt::format("--budget {:.0f}s for a first profile, --budget {:.0f}s for a good one",
                     first_profile_s(need), sufficient_s(need));
}

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
  if (tried >= kEnoughCandidates * need.searches) return "";
  return fmt::format("{} candidates are few for {}; --budget {:.0f}s would find better kernels",
                     tried, count_text(need.searches, "search space"), sufficient_s(need));
}

std::string too_short_text(const TimeNeed& need, int shapes) {
  if (need.budget_s >= first_profile_s(need)) return "";
  return fmt::format("--budget {:.3g}s is probably too short for {} on {}: use {}", need.budget_s,
                     count_text(need.ops, "op"), count_text(shapes, "shape"), two_budgets(need));
}

std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need, const std::string& command) {
  const std::string account = time_account(spent_s);
  return fmt::format("the budget left no time for {}{}; run {} with a longer one: {}", missing,
                     account.empty() ? "" : " (time was spent on: " + account + ")", command,
                     need.lacks_candidates ? two_budgets(need)
                                           : fmt::format("--budget {:.0f}s", sufficient_s(need)));
}

}  // namespace tilewright

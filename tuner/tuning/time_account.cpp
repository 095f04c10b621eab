#include "tuner/tuning/time_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewright {
namespace {

constexpr double kCandidates = 30.0;  // of each search: starting points, and some of its own
constexpr double kUsualCandidate_s = 1.0;
// A built-in kernel is small: most candidates take longer to compile, which takes most of the time.
constexpr double kLongerThanBuiltIn = 4.0;
constexpr double kOfEachCompiler = 0.67;  // measuring and waiting are not shared
constexpr double kLeastGrowth = 1.5;      // over what did not suffice
constexpr double kStep_s = 10.0;

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

std::string search_account(const SearchTime& time) {
  const double all_s = time.all_s();
  if (time.candidates == 0 || !(all_s > 0.0)) return "";
  return fmt::format(
      "the search tried {} candidates in {:.0f} s, {:.0f} a minute: measuring {:.0f} %, compiling "
      "{:.0f} %, waiting {:.0f} %",
      time.candidates, all_s, 60.0 * time.candidates / all_s, 100.0 * time.measuring_s / all_s,
      100.0 * time.compiling_s / all_s, 100.0 * time.waiting_s / all_s);
}

double expected_candidate_s(const std::vector<Outcome>& outcomes, std::size_t screened,
                            std::size_t compilers, double sampling_s) {
  double least_s = 0.0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.phase != kBuiltIn || outcome.shapes.empty()) continue;
    const double share =
        std::min(1.0, static_cast<double>(screened) / static_cast<double>(outcome.shapes.size()));
    const double seconds = share * outcome.took_s;
    if (least_s == 0.0 || seconds < least_s) least_s = seconds;
  }
  if (least_s == 0.0) return 0.0;
  const double side_by_side = kOfEachCompiler * static_cast<double>(compilers);
  const double samples_s = 2.0 * sampling_s * static_cast<double>(screened);
  return std::max(kLongerThanBuiltIn * least_s / std::max(1.0, side_by_side), samples_s);
}

std::string outlook_text(double search_s, const TimeNeed& need) {
  if (!(need.candidate_s > 0.0) || !(search_s > 0.0)) return "";
  const double count = std::max(1.0, std::floor(search_s / need.candidate_s));
  // Two digits: it is an estimate.
  const double step = std::pow(10.0, std::max(0.0, std::floor(std::log10(count)) - 1.0));
  std::string text = fmt::format("the search has time for about {:.0f} candidates at {:.2g} s each",
                                 step * std::round(count / step), need.candidate_s);
  if (count < kCandidates * need.searches) {
    text += fmt::format(", few for {} space{}: --budget {:.0f}s finds more", need.searches,
                        need.searches == 1 ? "" : "s", sufficient_s(need));
  }
  return text;
}

double sufficient_s(const TimeNeed& need) {
  const double candidate_s = need.candidate_s > 0.0 ? need.candidate_s : kUsualCandidate_s;
  const double searching_s = kCandidates * need.searches * candidate_s;
  const double needed_s = need.fixed_s + searching_s / need.search_share;
  return kStep_s * std::ceil(std::max(needed_s, kLeastGrowth * need.budget_s) / kStep_s);
}

double spent_on(const std::map<std::string, double>& seconds, const std::string& activity) {
  const auto found = seconds.find(activity);
  return found == seconds.end() ? 0.0 : found->second;
}

std::string shortage_text(const std::string& missing, const std::map<std::string, double>& spent_s,
                          const TimeNeed& need) {
  const std::string account = time_account(spent_s);
  return fmt::format(
      "the budget left no time for {}{}; the same command goes on with a longer one: --budget "
      "{:.0f}s would suffice",
      missing, account.empty() ? "" : " (it went to: " + account + ")", sufficient_s(need));
}

}  // namespace tilewright

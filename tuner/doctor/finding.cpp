#include "tuner/doctor/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

std::ptrdiff_t count_findings(const Findings& findings, FindingState state) {
  return std::count_if(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.state == state; });
}

std::string counted(std::ptrdiff_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

bool has_problems(const Findings& findings) {
  return count_findings(findings, FindingState::kProblem) > 0;
}

std::string to_text(FindingState state) {
  constexpr const char* kNames[] = {"ok", "note", "problem"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string to_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{:<8} {:<12} {}\n", to_text(finding.state), printable(finding.subject),
                        wrapped(printable(finding.seen), kMaxColumns, 22, true));
    if (!finding.advice.empty()) text += fmt::format("{:22}-> {}\n", "", printable(finding.advice));
  }
  return text + fmt::format("\n{}, {}\n",
                            counted(count_findings(findings, FindingState::kProblem), "problem"),
                            counted(count_findings(findings, FindingState::kNote), "note"));
}

std::string to_json_text(const Findings& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"state", to_text(finding.state)},
                    {"seen", finding.seen},
                    {"advice", finding.advice}});
  }
  const nlohmann::ordered_json json = {
      {"problems", count_findings(findings, FindingState::kProblem)},
      {"notes", count_findings(findings, FindingState::kNote)},
      {"findings", list}};
  return pretty(json);
}

}  // namespace tilewright

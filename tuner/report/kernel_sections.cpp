#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

struct Failures {
  int count = 0;
  double seconds = 0.0;
  const Outcome* example = nullptr;
};

// Of a class the first candidate that has a build log, or else the first.
std::map<OutcomeClass, Failures> failures_of(const std::vector<Outcome>& outcomes) {
  std::map<OutcomeClass, Failures> all;
  for (const Outcome& outcome : outcomes) {
    Failures& failures = all[outcome.result];
    ++failures.count;
    failures.seconds += outcome.took_s;
    const bool better = failures.example == nullptr ||
                        (failures.example->build_log.empty() && !outcome.build_log.empty());
    if (better) failures.example = &outcome;
  }
  return all;
}

void add_failures(const ReportProfile& report, ReportSection& section) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [result, failures] : failures_of(report.journal->outcomes)) {
    const bool worked = result == OutcomeClass::kOk;
    rows.push_back({std::string(to_text(result)), std::to_string(failures.count),
                    fmt::format("{:.1f}", failures.seconds),
                    worked ? "-" : failures.example->kernel.text(),
                    worked ? "works and was measured" : failures.example->reason});
    if (!failures.example->build_log.empty()) {
      section.text(fmt::format("{}: build log of {}", report.name, to_text(result)),
                   failures.example->build_log);
    }
  }
  section.table(report.name, {"class", "candidates", "s", "for example", "because"}, rows);
  rows.clear();
  for (const auto& [finalist, reason] : report.journal->finalist_failures) {
    rows.push_back({report.journal->lineup->finalists.at(finalist).text(), reason});
  }
  section.table(report.name + ": left the finals", {"kernel", "because"}, rows);
}

// What each kernel is the fastest of the profile on.
std::map<std::string, std::vector<std::string>> wins_of(const Profile& profile) {
  std::map<std::string, std::vector<std::string>> wins;
  for (const ShapeResult* result : best_results(profile)) {
    wins[result->kernel].push_back(
        fmt::format("{} {}", to_text(result->op), short_text({result->m, result->n, result->k})));
  }
  return wins;
}

}  // namespace

ReportSection failures_section(const ReportInputs& inputs) {
  ReportSection section("failures", "What was tried, and what failed",
                        "Outcomes of all candidates by class, with the seconds that trials took.");
  for (const ReportProfile& report : inputs.profiles) {
    if (report.journal) {
      add_failures(report, section);
    } else {
      say_no_journal(section, report);
    }
  }
  return section;
}

ReportSection sources_section(const ReportInputs& inputs) {
  ReportSection section(
      "sources", "The winners' source",
      "Kernels that are the fastest of their profile on some product, device time "
      "alone, with their build options.");
  for (const ReportProfile& report : inputs.profiles) {
    const auto wins = wins_of(report.profile);
    if (wins.empty()) section.missing(report.name + ": it holds no results, so none has won.");
    for (const auto& [name, products] : wins) {
      const KernelRecord* kernel = find_kernel(report.profile, name);
      section.text(fmt::format("{}: {} ({})", report.name, name, fmt::join(products, ", ")),
                   kernel->build_options + "\n\n" + kernel->source);
    }
  }
  return section;
}

}  // namespace tilewright

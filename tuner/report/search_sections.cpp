#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "tuner/finals/distribution.hpp"
#include "tuner/records/slow_down.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

constexpr double kUnseen = 0.01;      // what a shape counts that nothing was measured on yet
constexpr double kStep = 1e-3;        // lesser gains are not drawn
constexpr double kLeastShare = 5e-4;  // of the time: less is not worth a bar

struct ByShape {
  bool operator()(const GemmShape& a, const GemmShape& b) const {
    return std::tie(a.m, a.n, a.k) < std::tie(b.m, b.n, b.k);
  }
};
using BestNs = std::map<GemmShape, double, ByShape>;

// Improves what is best so far by an outcome; true if it did.
bool take(const Outcome& outcome, BestNs& best) {
  bool better = false;
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.ns.empty()) continue;
    const double ns = median_ns(samples);
    const auto [place, is_first] = best.try_emplace(samples.shape, ns);
    better = better || is_first || ns < place->second;
    place->second = std::min(place->second, ns);
  }
  return better;
}

double share_of(const BestNs& end, const BestNs& now) {
  double sum = 0.0;
  for (const auto& [shape, ns] : end) {
    const auto found = now.find(shape);
    sum += std::log(found == now.end() ? kUnseen : ns / found->second);
  }
  return std::exp(sum / static_cast<double>(end.size()));
}

// The best so far of each phase, as a share of its best in the end, over the tuning's time.
Json progress_of(const std::vector<Outcome>& outcomes) {
  std::map<std::string, BestNs> ends;
  for (const Outcome& outcome : outcomes) {
    if (is_of_search(outcome) && outcome.result == OutcomeClass::kOk) {
      take(outcome, ends[outcome.phase]);
    }
  }
  struct Phase {
    BestNs best;
    double share = 0.0;
    int tried = 0;
  };
  std::map<std::string, Phase> phases;
  Json rows = Json::array();
  for (const Outcome& outcome : outcomes) {
    const auto end = ends.find(outcome.phase);
    if (!is_of_search(outcome) || end == ends.end() || end->second.empty()) continue;
    Phase& phase = phases[outcome.phase];
    ++phase.tried;
    if (outcome.result != OutcomeClass::kOk || !take(outcome, phase.best)) continue;
    const double share = share_of(end->second, phase.best);
    if (share < phase.share + kStep && share < 1.0) continue;
    phase.share = share;
    rows.push_back({{"phase", outcome.phase},
                    {"minutes", outcome.at_s / 60.0},
                    {"percent", 100.0 * share},
                    {"tried", phase.tried}});
  }
  return rows;
}

// Of the time; candidates by the search that they are of.
std::map<std::string, double> spent_on(const JournalContents& contents) {
  std::map<std::string, double> spent = contents.spent_on_s;
  const bool known = contents.outcomes_since_s.size() == contents.outcomes.size();
  for (std::size_t i = 0; known && i < contents.outcomes.size(); ++i) {
    const Outcome& outcome = contents.outcomes[i];
    if (!is_of_search(outcome)) continue;
    const double seconds = std::max(0.0, outcome.at_s - contents.outcomes_since_s[i]);
    spent["search " + outcome.phase] += seconds;
    spent[kOnCandidates] -= seconds;
  }
  const double all = contents.spent_s;
  std::erase_if(spent, [&](const auto& each) { return each.second < kLeastShare * all; });
  return spent;
}

void add_time(const ReportProfile& report, Json& data,
              std::vector<std::vector<std::string>>& rows) {
  const JournalContents& contents = *report.journal;
  const auto spent = spent_on(contents);
  std::vector<std::pair<std::string, double>> sorted(spent.begin(), spent.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [what, seconds] : sorted) {
    data.push_back({{"who", report.name}, {"what", what}, {"seconds", seconds}});
    rows.push_back({report.name, what, fmt::format("{:.1f}", seconds),
                    fmt::format("{:.1f}", 100.0 * seconds / contents.spent_s)});
  }
}

}  // namespace

ReportSection portfolio_section(const ReportInputs& inputs) {
  ReportSection section(
      "portfolio", "How many kernels are enough?",
      "Speed with so many kernels for products, chosen one by one, as a share of the fastest "
      "finalist on each product (geometric mean; shapes of a design count with what models "
      "predict for others).");
  Json data = Json::array();
  for (const ReportProfile& report : inputs.profiles) {
    if (!report.journal) {
      say_no_journal(section, report);
      continue;
    }
    if (!can_choose(*report.journal)) {
      section.missing(report.name + ": its journal holds no measured kernel.");
      continue;
    }
    const Portfolio portfolio = portfolio_of(*report.journal, standings(*report.journal), 0);
    for (std::size_t i = 0; i < portfolio.curve.size(); ++i) {
      data.push_back(
          {{"who", report.name}, {"kernels", i + 1}, {"percent", 100.0 * portfolio.curve[i]}});
    }
  }
  section.plot("portfolio", "", {{"curve", std::move(data)}}, "curve");
  return section;
}

ReportSection progress_section(const ReportInputs& inputs) {
  ReportSection section("progress", "How the search went on",
                        "The best so far of each search, as a share of its best in the end "
                        "(geometric mean over the shapes on which candidates were tried).");
  for (const ReportProfile& report : inputs.profiles) {
    if (!report.journal) {
      say_no_journal(section, report);
      continue;
    }
    Json rows = progress_of(settled(report.journal->outcomes));
    if (rows.empty()) section.missing(report.name + ": no candidate was measured.");
    section.plot("progress", report.name, {{"best", std::move(rows)}}, "best");
  }
  return section;
}

ReportSection time_section(const ReportInputs& inputs) {
  ReportSection section("time", "Where the time went", "Seconds of the tuning, over all sessions.");
  Json data = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const ReportProfile& report : inputs.profiles) {
    if (report.journal) {
      add_time(report, data, rows);
    } else {
      say_no_journal(section, report);
    }
  }
  section.plot("time", "", {{"spent", std::move(data)}}, "spent", rows.size());
  section.table("", {"profile", "what", "s", "%"}, rows);
  return section;
}

}  // namespace tilewright

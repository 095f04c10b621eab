#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "tuner/records/shapes.hpp"
#include "tuner/records/slow_down.hpp"
#include "tuner/report/report_parts.hpp"

namespace tilewright {
namespace {

// The one parameter in which two points of a codelet differ, or nullptr.
const Field* only_difference(const ParameterPoint& a, const ParameterPoint& b) {
  if (a.index() != b.index()) return nullptr;
  const Field* different = nullptr;
  for (const Field& field : fields(codelet_of(a))) {
    if (field.text(a) == field.text(b)) continue;
    if (different != nullptr) return nullptr;
    different = &field;
  }
  return different;
}

// The kernel that the profile has for the op's largest product.
std::optional<KernelId> winner_of(const Profile& profile, Op op) {
  const ShapeResult* largest = nullptr;
  for (const ShapeResult* result : best_results(profile)) {
    if (result->op == op && result->samples > 0) largest = result;  // they come by size
  }
  if (largest == nullptr) return std::nullopt;
  const KernelRecord* kernel = find_kernel(profile, largest->kernel);
  try {
    return parse_kernel(kernel->point);
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // of another version
  }
}

const Outcome* outcome_of(const KernelId& kernel, const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.kernel == kernel && outcome.result == OutcomeClass::kOk &&
        !outcome.shapes.empty()) {
      return &outcome;
    }
  }
  return nullptr;
}

const ShapeSamples* largest_of(const Outcome& outcome) {
  const ShapeSamples* largest = nullptr;
  for (const ShapeSamples& samples : outcome.shapes) {
    if (samples.ns.empty()) continue;
    if (largest == nullptr || flops(samples.shape) > flops(largest->shape)) largest = &samples;
  }
  return largest;
}

Json row_of(std::string_view parameter, const std::string& value, double percent,
            const char* what) {
  return {{"parameter", parameter}, {"value", value}, {"percent", percent}, {"what", what}};
}

struct Neighbours {
  Json rows = Json::array();
  std::size_t parameters = 0;
  std::vector<std::vector<std::string>> failed;
};

// Compares what a search tried with the winner, on one shape.
class Comparison {
 public:
  Comparison(const Outcome& winner, const ShapeSamples& own)
      : winner_(winner), own_(own), winner_ns_(median_ns(own)) {}

  void add(const Outcome& outcome);
  Neighbours result() const;

 private:
  using Choice = std::pair<std::string_view, std::string>;  // parameter and value

  void add_percent(const ParameterPoint& point, double percent);

  const Outcome& winner_;
  const ShapeSamples& own_;
  double winner_ns_;
  std::map<Choice, double> alone_;  // percent of the winner's speed, where nothing else differs
  std::map<Choice, double> best_;   // whatever else differs
  std::map<Choice, std::pair<OutcomeClass, std::string>> failed_;
};

void Comparison::add(const Outcome& outcome) {
  const ParameterPoint& point = outcome.kernel.point();
  if (point.index() != winner_.kernel.point().index()) return;
  const ShapeSamples* samples = samples_on(outcome, own_.shape);
  if (outcome.result == OutcomeClass::kOk) {
    if (samples == nullptr || samples->ns.empty()) return;
    add_percent(point, 100.0 * winner_ns_ / median_ns(*samples));
  } else if (const Field* field = only_difference(winner_.kernel.point(), point)) {
    failed_[{field->name, field->text(point)}] = {outcome.result, outcome.reason};
  }
}

void Comparison::add_percent(const ParameterPoint& point, double percent) {
  const Field* alone = only_difference(winner_.kernel.point(), point);
  for (const Field& field : fields(codelet_of(point))) {
    const std::string value = field.text(point);
    if (field.demanded || value == field.text(winner_.kernel.point())) continue;
    double& best = best_[{field.name, value}];
    best = std::max(best, percent);
    if (&field == alone) alone_[{field.name, value}] = percent;
  }
}

// Points that lie close to each other on a parameter's line share one label, or their labels would
// overlap: the first's, and the winner's before all others. The rest have "".
void add_labels(Json& rows) {
  constexpr double kLabelShare = 0.04;  // of the plot's width
  double least = 100.0;
  double most = 100.0;
  for (const Json& row : rows) {
    least = std::min(least, row.at("percent").get<double>());
    most = std::max(most, row.at("percent").get<double>());
  }
  std::map<std::string, std::vector<double>> taken;
  for (const bool winners : {true, false}) {
    for (Json& row : rows) {
      if ((row.at("what") == "winner") != winners) continue;
      const double at = row.at("percent").get<double>();
      std::vector<double>& places = taken[row.at("parameter").get<std::string>()];
      const bool is_free = std::all_of(places.begin(), places.end(), [&](double other) {
        return std::abs(at - other) >= kLabelShare * (most - least);
      });
      row["label"] = is_free ? row.at("value") : Json("");
      if (is_free) places.push_back(at);
    }
  }
}

Neighbours Comparison::result() const {
  Neighbours result;
  std::map<std::string_view, bool> parameters;
  for (const auto& [choice, best] : best_) {
    const auto& [parameter, value] = choice;
    parameters[parameter] = true;
    const auto alone = alone_.find(choice);
    result.rows.push_back(alone != alone_.end()
                              ? row_of(parameter, value, alone->second, "nothing else differs")
                              : row_of(parameter, value, best, "best, others differ, too"));
  }
  for (const Field& field : fields(codelet_of(winner_.kernel.point()))) {
    if (!parameters[field.name]) continue;
    ++result.parameters;
    result.rows.push_back(row_of(field.name, field.text(winner_.kernel.point()), 100.0, "winner"));
  }
  for (const auto& [choice, failure] : failed_) {
    result.failed.push_back({std::string(choice.first), choice.second,
                             std::string(to_text(failure.first)), failure.second});
  }
  return result;
}

void add_op(const ReportProfile& report, Op op, const std::vector<Outcome>& outcomes,
            ReportSection& section) {
  const auto missing = [&](const char* why) {
    section.missing(fmt::format("{}, {}: {}.", report.name, to_text(op), why));
  };
  const auto kernel = winner_of(report.profile, op);
  const Outcome* winner = kernel ? outcome_of(*kernel, outcomes) : nullptr;
  const ShapeSamples* own = winner == nullptr ? nullptr : largest_of(*winner);
  if (own == nullptr) return missing("its journal has no trial of the winner");
  Comparison comparison(*winner, *own);
  for (const Outcome& outcome : outcomes) {
    if (outcome.phase == winner->phase && outcome.kernel != winner->kernel) comparison.add(outcome);
  }
  Neighbours found = comparison.result();
  add_labels(found.rows);
  const std::string title =
      fmt::format("{}, {} on {}", report.name, to_text(op), short_text(own->shape));
  if (found.rows.empty()) missing("nothing else was measured on that product");
  section.plot("sensitivity", title, {{"neighbours", std::move(found.rows)}}, "neighbours",
               found.parameters);
  section.table(title + ": what did not work", {"parameter", "value", "class", "reason"},
                found.failed);
  section.text(title + ": the winner", winner->kernel.text());
}

}  // namespace

ReportSection sensitivity_section(const ReportInputs& inputs) {
  ReportSection section(
      "sensitivity", "What each parameter is worth",
      "Values of a parameter that the winner does not have, as a share of its speed: of the "
      "candidate in which nothing else differs, or, where none was measured, of the best that has "
      "the value. The winner is the kernel of the profile's largest product, measured by the search "
      "on the largest product that it tried. A trial is a few samples: a percent or two are noise.");
  for (const ReportProfile& report : inputs.profiles) {
    if (!report.journal) {
      say_no_journal(section, report);
      continue;
    }
    const std::vector<Outcome> outcomes = settled(report.journal->outcomes);
    for (const Op op : report.journal->header.ops) add_op(report, op, outcomes, section);
  }
  return section;
}

}  // namespace tilewright

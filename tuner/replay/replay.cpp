#include "tuner/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "codelets/point/parameter_point.hpp"
#include "profiles/digest.hpp"
#include "tuner/search/cost.hpp"
#include "tuner/search/search_tasks.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Proposals in a row that the journal does not know: it has nothing more to say.
constexpr int kMostUnrecorded = 2000;

// What the journal knows of a point: its outcome, and its time on each problem (shape and operand
// combination), end to end.
struct Recorded {
  const Outcome* outcome = nullptr;
  std::vector<double> ns;
  // Where it was timed on all problems, nothing that is learnt on the way can change its cost.
  std::optional<double> cost = std::nullopt;
  std::vector<double> parts = {};  // of the cost
};
using Records = std::map<ParameterPoint, Recorded>;

std::vector<double> times_of(const Outcome& outcome, const CostModel& costs,
                             const std::vector<Op>& ops) {
  std::vector<double> times(costs.shapes().size() * ops.size(), kNever);
  if (outcome.result != OutcomeClass::kOk) return times;
  for (std::size_t s = 0; s < costs.shapes().size(); ++s) {
    for (std::size_t o = 0; o < ops.size(); ++o) {
      times[s * ops.size() + o] = costs.total_ns(outcome, ops[o], costs.shapes()[s]);
    }
  }
  return times;
}

Records records_of(const JournalContents& contents, const SearchTask& task,
                   const CostModel& costs) {
  Records records;
  for (const Outcome& outcome : contents.outcomes) {
    const auto point = as_searched(*task.space, outcome.kernel.point());
    if (!point) continue;
    Recorded recorded{&outcome, times_of(outcome, costs, task.ops)};
    const bool everywhere = std::count(recorded.ns.begin(), recorded.ns.end(), kNever) == 0;
    if (everywhere) recorded.cost = costs.cost(outcome);
    recorded.parts = costs.parts(outcome);
    records[*point] = std::move(recorded);
  }
  return records;
}

void keep_least(std::vector<double>& least, const std::vector<double>& times) {
  for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], times[i]);
}

// 100 times the geometric mean of best / found over the problems that any recorded point serves.
double percent_of(const std::vector<double>& best, const std::vector<double>& found) {
  double sum = 0.0;
  int problems = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i] == kNever) continue;
    if (found[i] == kNever) return 0.0;
    sum += std::log(best[i] / found[i]);
    ++problems;
  }
  return problems == 0 ? 0.0 : 100.0 * std::exp(sum / problems);
}

// A phase, with all that its runs share.
struct RecordedSpace {
  const SearchTask* task;
  CostModel costs;  // that has learnt nothing yet
  Records records;
  std::vector<double> best;  // per problem
};

// Where a run stood when a budget was used up.
struct Mark {
  double percent = 0.0;
  double candidates = 0.0;
  double unrecorded = 0.0;
};

// One search.
class Run {
 public:
  Run(const RecordedSpace& stage, const SearchSetup& setup)
      : stage_(stage),
        costs_(stage.costs),
        strategy_(make_strategy(*stage.task->space, setup)),
        least_(stage.best.size(), kNever) {}

  // A mark for each budget. The candidate that is on trial when a budget ends still counts, as it
  // does in a tuning.
  std::vector<Mark> marks(const std::vector<double>& budgets_s) {
    std::vector<Mark> marks;
    for (const double budget_s : budgets_s) {
      while (spent_s_ < budget_s && in_a_row_ < kMostUnrecorded && step()) {
      }
      marks.push_back(mark());
    }
    return marks;
  }

 private:
  // False: nothing is left to propose.
  bool step() {
    const std::optional<ParameterPoint> point = strategy_->next();
    if (!point) return false;
    const auto record = stage_.records.find(*point);
    if (record == stage_.records.end()) {
      ++unrecorded_;
      ++in_a_row_;
      return true;
    }
    in_a_row_ = 0;
    const Outcome& outcome = *record->second.outcome;
    ++candidates_;
    spent_s_ += outcome.took_s;
    costs_.learn(outcome);
    const std::optional<double>& cost = record->second.cost;
    strategy_->report(*point, cost ? cost : costs_.cost(outcome), record->second.parts);
    keep_least(least_, record->second.ns);
    return true;
  }

  Mark mark() const {
    return {percent_of(stage_.best, least_), candidates_,
            unrecorded_ / std::max(1.0, candidates_ + unrecorded_)};
  }

  const RecordedSpace& stage_;
  CostModel costs_;
  std::unique_ptr<SearchStrategy> strategy_;
  std::vector<double> least_;  // found time per problem
  double candidates_ = 0.0;
  double spent_s_ = 0.0;
  double unrecorded_ = 0.0;
  int in_a_row_ = 0;  // unrecorded proposals
};

std::vector<ReplayResult> replay_strategy(const RecordedSpace& stage, SearchSetup setup,
                                          const std::vector<double>& budgets_s, int seeds) {
  std::vector<std::vector<Mark>> runs;  // by seed
  for (int seed = 1; seed <= seeds; ++seed) {
    setup.seed = static_cast<std::uint64_t>(seed);
    runs.push_back(Run(stage, setup).marks(budgets_s));
  }
  std::vector<ReplayResult> results;
  for (std::size_t b = 0; b < budgets_s.size(); ++b) {
    const auto over_seeds = [&](double Mark::*member) {
      std::vector<double> values;
      for (const std::vector<Mark>& marks : runs) values.push_back(marks[b].*member);
      return summarize(values);
    };
    results.push_back({setup.kind, budgets_s[b], over_seeds(&Mark::percent),
                       over_seeds(&Mark::candidates).median, over_seeds(&Mark::unrecorded).median});
  }
  return results;
}

ReplayPhase replay_phase(const JournalContents& contents, const SearchTask& task,
                         const TuneOptions& tuning, const ReplayOptions& options) {
  const DeviceRates rates = contents.rates.value_or(DeviceRates{});
  const CostModel costs(task.ops, screening_shapes(task.shapes, most_screening_flops(rates)), rates,
                        contents.header.b_prepacked);
  RecordedSpace stage{&task, costs, records_of(contents, task, costs), {}};
  stage.best.assign(costs.shapes().size() * task.ops.size(), kNever);
  ReplayPhase phase;
  phase.name = task.name;
  phase.valid = task.valid;
  for (const auto& [point, recorded] : stage.records) {
    ++phase.recorded;
    if (!recorded.outcome->shapes.empty()) ++phase.measured;
    phase.recorded_s += recorded.outcome->took_s;
    keep_least(stage.best, recorded.ns);
  }
  if (stage.records.empty()) return phase;  // a search would look for them without end
  std::vector<double> budgets_s = options.budgets_s;
  std::sort(budgets_s.begin(), budgets_s.end());
  for (const StrategyKind kind : options.strategies) {
    SearchSetup setup = task.setup(tuning, contents.header.device, 0.0, 0);
    setup.kind = kind;
    for (ReplayResult& result : replay_strategy(stage, setup, budgets_s, options.seeds)) {
      phase.results.push_back(result);
    }
  }
  return phase;
}

// Late parameters of which the journal knows no value but the first: a search that left these would
// meet what nobody recorded, as in all journals of spaces without them.
void keep_late(const JournalContents& contents,
               std::map<std::string, std::vector<std::string>>& only) {
  for (const Field& field : fields(Codelet::kGemm)) {  // codelet gemv has the same ones
    if (!field.late) continue;
    const std::string named = fmt::format(" {}=", field.name);
    const bool moved = std::any_of(
        contents.outcomes.begin(), contents.outcomes.end(), [&](const Outcome& outcome) {
          return to_text(outcome.kernel.point()).find(named) != std::string::npos;
        });
    if (!moved) only.emplace(field.name, std::vector{field.values.front()});
  }
}

}  // namespace

TuneOptions tuning_of(const JournalContents& contents) {
  TuneOptions options;
  options.shapes = contents.header.shapes;
  options.ops = contents.header.ops;
  options.precision = contents.header.precision;
  options.only = parse_restrictions(contents.header.restrictions);
  options.packed = contents.header.packed;
  options.b_prepacked = contents.header.b_prepacked;
  return options;
}

Replay replay(const JournalContents& contents, const ReplayOptions& options) {
  TuneOptions tuning = tuning_of(contents);
  keep_late(contents, tuning.only);
  const std::vector<SearchTask> tasks = search_tasks(tuning, contents.header.device);
  Replay replay;
  std::string digests;
  for (const SearchTask& task : tasks) {
    digests += task.space->digest();
    replay.phases.push_back(replay_phase(contents, task, tuning, options));
  }
  replay.same_space = digest_of_bytes(digests) == contents.header.space_digest;
  return replay;
}

}  // namespace tilewright

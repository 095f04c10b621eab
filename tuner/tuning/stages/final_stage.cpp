#include "tuner/tuning/stages/final_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/finalists.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/stages/auxiliary_stage.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMinFinalists = 3;  // per op, in addition to all that were chosen before
// Number of finalists per op: the best on each screening shape, and the best on all together. More
// take part if their first rounds fit into kShareOfMany of the time, because only a few finalists
// remain after these rounds.
constexpr std::size_t kUsualOfEach = 6;
constexpr double kShareOfMany = 1.0 / 6.0;

// Returns the elements of both lists in alternation, so that the first few contain the best of
// both.
std::vector<KernelId> in_turns(const std::vector<KernelId>& these,
                               const std::vector<KernelId>& those) {
  std::vector<KernelId> all;
  for (std::size_t i = 0; i < std::max(these.size(), those.size()); ++i) {
    if (i < these.size()) all.push_back(these[i]);
    if (i < those.size()) all.push_back(those[i]);
  }
  return all;
}

void add_new(std::vector<KernelId>& all, const KernelId& kernel) {
  if (std::find(all.begin(), all.end(), kernel) == all.end()) all.push_back(kernel);
}

// Returns the next smaller number to try. Predicting the time of finals takes long itself, so
// the steps are large.
std::size_t fewer(std::size_t most, std::size_t usual) {
  return most > usual ? std::max(usual, most * 3 / 4) : most - 1;
}

// Returns true for a candidate that may be a finalist.
bool is_candidate(const Outcome& outcome) {
  return outcome.task == kBuiltIn || is_from_search(outcome);
}

}  // namespace

FinalStage::FinalStage(TuneContext& context, const Times& times)
    : context_(context),
      times_(times),
      min_finalists_(kMinFinalists),
      barred_(failed_later(context.journal.contents().outcomes)) {}

// Kernels for narrow products are among the finalists, but are ranked by the shapes that are
// narrow.
std::vector<KernelId> FinalStage::choose_finalists_for(Op op) const {
  const std::vector<Outcome> tried =
      with_reference_correction(context_.journal.contents().outcomes);
  const auto choose = [&](const std::vector<GemmShape>& shapes, Codelet codelet) {
    if (shapes.empty()) return std::vector<KernelId>();
    const CostModel costs = screening_costs({op}, shapes, rates(), tried,
                                            context_.options.b_prepacked, compute_units());
    return choose_finalists(tried, op, costs, codelet);
  };
  std::vector<KernelId> chosen = choose(context_.options.shapes, Codelet::kGemm);
  if (chosen.empty()) return chosen;  // kernels for narrow products alone do not cover the op
  // If there is time for more finalists than usual, starting points are among them regardless of
  // their rank. Every search tries them, and noise may put the best of them at rank 100.
  const CostModel costs = screening_costs({op}, context_.options.shapes, rates(), tried,
                                          context_.options.b_prepacked, compute_units());
  const auto known = choose_finalists(starting_outcomes(op, tried), op, costs);
  const auto usual = static_cast<std::ptrdiff_t>(std::min(chosen.size(), usual_finalists()));
  std::vector<KernelId> all(chosen.begin(), chosen.begin() + usual);
  for (const KernelId& kernel : known) add_new(all, kernel);
  for (const KernelId& kernel : chosen) add_new(all, kernel);
  chosen = std::move(all);
  for (const Dimension narrow : {Dimension::kM, Dimension::kN}) {
    const auto others = choose(narrow_shapes(context_.options.shapes, narrow), Codelet::kGemv);
    chosen = in_turns(chosen, others);
  }
  return chosen;
}

// Returns the outcomes of starting points, except those that need packing, for which pack kernels
// would have to be tuned.
std::vector<Outcome> FinalStage::starting_outcomes(Op op, const std::vector<Outcome>& tried) const {
  if (!context_.options.starting_points) return {};
  const std::set<KernelId> starting =
      starting_kernels(op, context_.worker.facts(), rates(), context_.options.precision);
  std::vector<Outcome> found;
  std::copy_if(tried.begin(), tried.end(), std::back_inserter(found),
               [&](const Outcome& outcome) { return starting.count(outcome.kernel) > 0; });
  return found;
}

void FinalStage::fail_without(Op op) const {
  const auto& tried = context_.journal.contents().outcomes;
  const auto failed = std::find_if(tried.rbegin(), tried.rend(), [&](const Outcome& outcome) {
    return outcome.result != OutcomeClass::kOk &&
           (outcome.task == to_text(op) || outcome.task == kPackedTask);
  });
  if (failed != tried.rend()) {
    throw NoUsableKernel(fmt::format("no candidate for {} works on '{}'; the last one: {}: {}",
                                     to_text(op), context_.worker.facts().identity.name,
                                     to_text(failed->result), failed->reason));
  }
  throw NothingTried(fmt::format("a candidate for {}", to_text(op)));
}

// Returns the kernels that earlier finals chose. Otherwise a few new ones could replace many.
std::map<Op, std::vector<KernelId>> FinalStage::chosen_before() const {
  const JournalContents& contents = context_.journal.contents();
  std::map<Op, std::vector<KernelId>> chosen;
  if (contents.finals.empty()) return chosen;
  const Standings known = standings(contents);
  for (const Entry& entry : make_portfolio(contents, known, context_.options.max_kernels).entries) {
    if (known.built_in.contains(entry.kernel)) continue;  // they are in all finals
    chosen[entry.op].push_back(entry.kernel);
  }
  return chosen;
}

// Returns the finalists for each op.
std::map<Op, std::vector<KernelId>> FinalStage::finalists() {
  std::map<Op, std::vector<KernelId>> finalists = chosen_before();
  for (const Op op : context_.options.ops) {
    min_finalists_ = std::max(min_finalists_, finalists[op].size());
    for (const KernelId& kernel : choose_finalists_for(op)) add_new(finalists[op], kernel);
    std::erase_if(finalists[op], [&](const KernelId& kernel) { return barred_.contains(kernel); });
    if (finalists[op].empty()) fail_without(op);
  }
  return finalists;
}

// Finds pack kernels for every layout that a finalist requires and for TT; for large operands, also
// for the packings of the profile that is extended; and a reduction kernel if a finalist splits k.
bool FinalStage::tune_auxiliaries(const std::map<Op, std::vector<KernelId>>& finalists) {
  const PackPoint transposition{.precision = context_.options.precision};
  std::set<ParameterPoint> requirements = {transposition};
  for (const auto& [op, kernels] : finalists) {
    // Further kernels take part if they can use the same pack kernels.
    const std::size_t first = std::min(kernels.size(), usual_finalists());
    requirements.merge(
        required_packs({kernels.begin(), kernels.begin() + static_cast<std::ptrdiff_t>(first)}, op,
                       context_.options.shapes));
    // Always include the kernels that run without the profile.
    requirements.merge(required_packs(working_built_in(context_.journal.contents().outcomes), op,
                                      context_.options.shapes));
  }
  if (std::any_of(context_.options.shapes.begin(), context_.options.shapes.end(),
                  has_large_operand)) {
    requirements.insert(large(transposition));
    if (context_.options.joins)
      requirements.merge(large_pack_requirements(*context_.options.joins));
  }
  Auxiliaries found;  // they are also recorded in the journal
  return tilewright::tune_auxiliaries(context_, std::move(requirements), times_.packs_s,
                                      times_.end_s, found);
}

bool FinalStage::may_run(const Outcome& outcome) const {
  const bool runs = outcome.result == OutcomeClass::kOk || outcome.result == OutcomeClass::kSlow;
  return runs && !outcome.shapes.empty() && !barred_.contains(outcome.kernel);
}

// The built-in kernels, and those of --warm-start profiles.
std::vector<KernelId> FinalStage::baselines(Op op) const {
  std::vector<KernelId> kernels = working_built_in(context_.journal.contents().outcomes);
  const std::vector<KernelId> others =
      baseline_kernels(context_.options.warm_start, op, context_.worker.facts().limits, rates());
  kernels.insert(kernels.end(), others.begin(), others.end());
  std::erase_if(kernels, [&](const KernelId& kernel) {
    const Outcome* outcome = context_.journal.find(kernel);
    return outcome == nullptr || !may_run(*outcome);
  });
  return kernels;
}

std::size_t FinalStage::screening_shapes() const {
  return screening_costs(context_.options.ops, context_.options.shapes, rates(), {})
      .shapes()
      .size();
}

std::size_t FinalStage::usual_finalists() const {
  return kUsualOfEach * (1 + screening_shapes());
}

void FinalStage::begin_finals(const std::map<Op, std::vector<KernelId>>& finalists,
                              bool keeps_known) {
  // Returns as many of the best finalists for each op as leave time for some rounds, and all
  // baselines.
  std::map<Op, OpFinalists> by_op;
  const AuxiliaryCost auxiliary = make_auxiliary_cost(context_.journal.contents());
  std::size_t all = 0;
  for (const auto& [op, kernels] : finalists) {
    all = std::max(all, kernels.size());
    by_op[op] = {kernels, baselines(op)};
  }
  // The number of kernels that are best overall, on one screening shape, or among general kernels;
  // twice as many if there are narrow products.
  const bool narrow =
      std::any_of(context_.options.shapes.begin(), context_.options.shapes.end(),
                  [](const GemmShape& shape) { return narrow_side(shape) != Dimension::kNone; });
  const std::size_t least = (narrow ? 2 : 1) * (2 + screening_shapes());
  const std::size_t usual = (narrow ? 2 : 1) * usual_finalists();
  // If the number of rounds is limited, the finalists must not depend on the speed of the machine.
  if (context_.options.rounds > 0) all = std::min(all, usual);
  const int wanted_rounds = context_.options.rounds > 0
                                ? std::min(context_.options.rounds, kRoundsOfBlock)
                                : kRoundsOfBlock;
  const auto next = [&](std::size_t most) {
    return most > min_finalists_ ? std::max(min_finalists_, fewer(most, usual)) : most - 1;
  };
  for (std::size_t most = all; most > 0; most = next(most)) {
    Finalists chosen = join_finalists(by_op, most, context_.options.shapes, auxiliary);
    // Below `least`, only the time matters, because the specialists are lost already.
    const int rounds = most > least || most == all ? wanted_rounds : 1;
    const double seconds = predicted_finals_s(chosen, context_.journal.contents(), auxiliary,
                                              context_.measure, rounds);
    const double share = most > usual ? kShareOfMany : 1.0;
    const double left_s = times_.end_s - context_.journal.now_s();
    if (most > min_finalists_ && seconds > share * left_s) continue;
    // Results of earlier finals are better than a single incomplete round.
    if (seconds > left_s && keeps_known) return;
    context_.journal.append(std::move(chosen));
    return;
  }
}

bool FinalStage::run() {
  const JournalContents& contents = context_.journal.contents();
  // Candidates that were tried after a final did not take part in it.
  const bool outdated = std::any_of(
      contents.outcomes.begin() + static_cast<std::ptrdiff_t>(contents.outcomes_before_finals),
      contents.outcomes.end(), is_candidate);
  if (!contents.finalists || outdated) {
    const auto finalists = this->finalists();
    if (!tune_auxiliaries(finalists)) return false;
    begin_finals(finalists, !contents.finals.empty());
  }
  const int rounds = context_.options.rounds > 0 ? context_.options.rounds : kMaxRounds;
  return run_finals(context_, times_.end_s, rounds) != FinalsEnd::kStopped;
}

}  // namespace tilewright

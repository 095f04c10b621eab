#include "tuner/tuning/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/search/screening.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/blocks.hpp"
#include "tuner/select/distribution.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {
namespace {

// Number of finalists per op: the best on each screening shape, and the best on all together. More
// take part if their first rounds fit into kShareOfMany of the time, because only a few finalists
// remain after these rounds.
constexpr std::size_t kUsualOfEach = 6;
constexpr double kShareOfMany = 1.0 / 6.0;
// Factor for the time of a sample: warm-up and enqueueing.
constexpr double kOverhead = 1.3;
// Estimated time to load one kernel in seconds. Used only to limit the number of finalists.
constexpr double kLoad_s = 0.1;

std::size_t num_screening_shapes(const JournalContents& contents) {
  const JournalHeader& header = contents.header;
  return screening_costs(header.ops, header.shapes, *contents.rates, {}).shapes().size();
}

std::size_t usual_finalists(const JournalContents& contents) {
  return kUsualOfEach * (1 + num_screening_shapes(contents));
}

void add_new(std::vector<KernelId>& all, const KernelId& kernel) {
  if (std::find(all.begin(), all.end(), kernel) == all.end()) all.push_back(kernel);
}

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

// Returns the candidates for an op, best first. Kernels for narrow products are ranked by the
// shapes that are narrow.
std::vector<KernelId> ranked_candidates(Op op, const std::vector<Outcome>& tried,
                                        const JournalContents& contents, bool starting_points) {
  const JournalHeader& header = contents.header;
  const auto choose = [&](const std::vector<Outcome>& from, const std::vector<GemmShape>& shapes,
                          Codelet codelet) {
    if (shapes.empty()) return std::vector<KernelId>();
    const CostModel costs =
        screening_costs({op}, shapes, *contents.rates, tried, header.b_prepacked,
                        header.device.identity.compute_units);
    return choose_finalists(from, op, costs, codelet);
  };
  const std::vector<KernelId> best = choose(tried, header.shapes, Codelet::kGemm);
  if (best.empty()) return best;  // kernels for narrow products alone do not cover the op
  // If there is time for more finalists than usual, starting points are among them regardless of
  // their rank. Every search tries them, and noise may put the best of them at rank 100. Those that
  // need packing are left out, because pack kernels would have to be tuned for them.
  std::vector<Outcome> starting;
  if (starting_points) {
    const std::set<KernelId> known =
        starting_kernels(op, header.device, *contents.rates, header.precision);
    std::copy_if(tried.begin(), tried.end(), std::back_inserter(starting),
                 [&](const Outcome& outcome) { return known.contains(outcome.kernel); });
  }
  const std::size_t usual = std::min(best.size(), usual_finalists(contents));
  std::vector<KernelId> ranked(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(usual));
  for (const KernelId& kernel : choose(starting, header.shapes, Codelet::kGemm)) {
    add_new(ranked, kernel);
  }
  for (const KernelId& kernel : best) add_new(ranked, kernel);
  for (const Dimension narrow : {Dimension::kM, Dimension::kN}) {
    ranked = in_turns(ranked, choose(tried, narrow_shapes(header.shapes, narrow), Codelet::kGemv));
  }
  return ranked;
}

// Returns the built-in kernels, and those of --warm-start profiles that work.
std::vector<KernelId> baselines(Op op, const JournalContents& contents, const TuneOptions& options,
                                const std::set<KernelId>& barred) {
  std::vector<KernelId> kernels = working_built_in(contents.outcomes);
  const std::vector<KernelId> others =
      baseline_kernels(options.warm_start, op, contents.header.device.limits, *contents.rates);
  kernels.insert(kernels.end(), others.begin(), others.end());
  std::erase_if(kernels, [&](const KernelId& kernel) {
    const auto outcome = std::find_if(contents.outcomes.begin(), contents.outcomes.end(),
                                      [&](const Outcome& each) { return each.kernel == kernel; });
    return outcome == contents.outcomes.end() || outcome->shapes.empty() ||
           barred.contains(kernel) ||
           (outcome->result != OutcomeClass::kOk && outcome->result != OutcomeClass::kSlow);
  });
  return kernels;
}

[[noreturn]] void fail_without(Op op, const JournalContents& contents) {
  const std::vector<Outcome>& tried = contents.outcomes;
  const auto failed = std::find_if(tried.rbegin(), tried.rend(), [&](const Outcome& outcome) {
    return outcome.result != OutcomeClass::kOk &&
           (outcome.task == to_text(op) || outcome.task == kPackedTask);
  });
  if (failed == tried.rend()) throw NothingTried(fmt::format("a candidate for {}", to_text(op)));
  throw NoUsableKernel(fmt::format("no candidate for {} works on '{}'; the last one: {}: {}",
                                   to_text(op), contents.header.device.identity.name,
                                   to_text(failed->result), failed->reason));
}

// Returns the predicted duration of the first `rounds` rounds of finals in seconds.
double predicted_finals_s(const Finalists& finalists, const JournalContents& contents,
                          const AuxiliaryCost& auxiliary, const ExpectedTimes& times,
                          const MeasureOptions& options, int rounds) {
  double seconds = kLoad_s * static_cast<double>(finalists.kernels.size());
  for (const GemmShape& shape : contents.header.shapes) {
    const NextBlock all = next_block(finalists, contents.header.ops, shape, auxiliary);
    const std::vector<double> expected_ns = times.predict_ns(all.runs, shape);
    seconds += predicted_round_s(expected_ns, true, options) +
               (rounds - 1) * predicted_round_s(expected_ns, false, options);
  }
  return seconds;
}

// Distance of a search whose best kernels reach all limits, so that it still gets some time: limits
// are estimates, and other searches may find nothing.
constexpr double kMinDistance = 0.05;

struct FastestTime {
  Standings::Problem problem;
  double ns = 0.0;
};

std::vector<FastestTime> fastest_times(const JournalContents& contents) {
  Standings all = standings(contents);
  weigh_measured(all, contents.header);
  std::vector<FastestTime> best;
  for (std::size_t p = 0; p < all.problems.size(); ++p) {
    const KernelId fastest = all.fastest(p);
    if (!fastest.empty()) best.push_back({all.problems[p], all.time(p, fastest)->total_ns()});
  }
  return best;
}

bool is_for(const SearchTask& task, const Standings::Problem& problem) {
  return std::find(task.ops.begin(), task.ops.end(), problem.op) != task.ops.end() &&
         std::find(task.shapes.begin(), task.shapes.end(), problem.shape) != task.shapes.end();
}

}  // namespace

bool needs_finalists(const JournalContents& contents) {
  return contents.finals.kernels.empty() ||
         std::any_of(contents.outcomes.begin(), contents.outcomes.end(),
                     [&](const Outcome& outcome) {
                       return outcome.at_s > contents.finals.at_s &&
                              (outcome.task == kBuiltIn || is_from_search(outcome));
                     });
}

FinalCandidates final_candidates(const JournalContents& contents, const TuneOptions& options) {
  FinalCandidates candidates;
  // Kernels that earlier finals chose come first. Otherwise a few new ones could replace many.
  if (!contents.finals.outcomes.empty()) {
    const Standings known = standings(contents);
    const Portfolio portfolio = make_portfolio(contents, known, options.max_kernels, options.joins);
    for (const OpKernel& entry : portfolio.entries) {
      if (known.built_in.contains(entry.kernel)) continue;  // they are in all finals
      candidates.by_op[entry.op].finalists.push_back(entry.kernel);
    }
  }
  const std::vector<Outcome> tried = with_reference_correction(contents.outcomes);
  const std::set<KernelId> barred = failed_later(contents.outcomes);
  for (const Op op : contents.header.ops) {
    OpFinalists& of_op = candidates.by_op[op];
    std::vector<KernelId>& finalists = of_op.finalists;
    candidates.min_finalists = std::max(candidates.min_finalists, finalists.size());
    for (const KernelId& kernel : ranked_candidates(op, tried, contents, options.starting_points)) {
      add_new(finalists, kernel);
    }
    std::erase_if(finalists, [&](const KernelId& kernel) { return barred.contains(kernel); });
    if (finalists.empty()) fail_without(op, contents);
    of_op.baselines = baselines(op, contents, options, barred);
  }
  return candidates;
}

std::set<ParameterPoint> required_auxiliaries(const FinalCandidates& candidates,
                                              const JournalContents& contents,
                                              const TuneOptions& options) {
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  const PackPoint transposition{.precision = contents.header.precision};
  std::set<ParameterPoint> requirements = {transposition};
  for (const auto& [op, of_op] : candidates.by_op) {
    // Further kernels take part if they can use the same pack kernels. Those that run without the
    // profile always take part.
    std::vector<KernelId> kernels = of_op.finalists;
    kernels.resize(std::min(kernels.size(), usual_finalists(contents)));
    for (const KernelId& built_in : working_built_in(contents.outcomes)) {
      kernels.push_back(built_in);
    }
    requirements.merge(required_packs(kernels, op, shapes));
  }
  if (std::any_of(shapes.begin(), shapes.end(), has_large_operand)) {
    requirements.insert(large(transposition));
    if (options.joins) requirements.merge(large_pack_requirements(*options.joins));
  }
  return requirements;
}

std::optional<Finalists> decide_finalists(const FinalCandidates& candidates,
                                          const JournalContents& contents,
                                          const TuneOptions& options, double left_s) {
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  // The number of kernels that are best overall, on one screening shape, or among general kernels;
  // twice as many if there are narrow products.
  const bool narrow = std::any_of(shapes.begin(), shapes.end(), [](const GemmShape& shape) {
    return narrow_side(shape) != Dimension::kNone;
  });
  const std::size_t of_each_kind = (narrow ? 2 : 1) * (2 + num_screening_shapes(contents));
  const std::size_t usual = (narrow ? 2 : 1) * usual_finalists(contents);
  std::size_t all = 0;
  for (const auto& [op, of_op] : candidates.by_op) all = std::max(all, of_op.finalists.size());
  int wanted_rounds = kRoundsOfBlock;
  // If the number of rounds is limited, the finalists must not depend on the speed of the machine.
  if (options.rounds > 0) {
    all = std::min(all, usual);
    wanted_rounds = std::min(wanted_rounds, options.rounds);
  }
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  const ExpectedTimes times(contents);
  for (std::size_t most = all;;) {
    Finalists chosen = join_finalists(candidates.by_op, most, shapes, auxiliary);
    // Below `of_each_kind`, only the time matters, because the specialists are lost already.
    const int rounds = most > of_each_kind || most == all ? wanted_rounds : 1;
    const double seconds =
        predicted_finals_s(chosen, contents, auxiliary, times, options.measure, rounds);
    const bool fits = seconds <= (most > usual ? kShareOfMany : 1.0) * left_s;
    if (fits || most <= candidates.min_finalists) {
      if (seconds > left_s && !contents.finals.outcomes.empty()) return std::nullopt;
      return chosen;
    }
    // Predicting the time of finals takes long itself, so the steps are large.
    const std::size_t fewer = most > usual ? std::max(usual, most * 3 / 4) : most - 1;
    most = std::max(candidates.min_finalists, fewer);
  }
}

ExpectedTimes::ExpectedTimes(const JournalContents& contents) {
  for (const Outcome& outcome : contents.outcomes) {
    if (outcome.result == OutcomeClass::kOk) searched_[outcome.kernel] = outcome.shapes;
  }
  learn(contents.finals.outcomes);
}

void ExpectedTimes::learn(const Outcomes& finals) {
  for (const Outcome& outcome : finals) {
    for (const ShapeSamples& samples : outcome.shapes) {
      latest_ns_[{outcome.kernel, to_text(samples.shape)}] = samples.ns.front();
    }
  }
}

std::vector<double> ExpectedTimes::predict_ns(const std::vector<KernelId>& kernels,
                                              const GemmShape& shape) const {
  const auto distance = [&](const ShapeSamples& samples) {
    return std::abs(std::log(flops(samples.shape) / flops(shape)));
  };
  std::vector<double> all_ns;
  for (const KernelId& kernel : kernels) {
    double& ns = all_ns.emplace_back(0.0);
    const auto latest = latest_ns_.find({kernel, to_text(shape)});
    const auto searched = searched_.find(kernel);
    if (latest != latest_ns_.end()) {
      ns = latest->second;
    } else if (searched != searched_.end() && !searched->second.empty()) {
      // The rate on a large shape is a better prediction for large shapes, and that on a small one
      // for small shapes.
      const auto nearest =
          std::min_element(searched->second.begin(), searched->second.end(),
                           [&](auto& a, auto& b) { return distance(a) < distance(b); });
      if (!nearest->ns.empty()) ns = median_ns(*nearest) * flops(shape) / flops(nearest->shape);
    }
  }
  return all_ns;
}

double predicted_round_s(const std::vector<double>& expected_ns, bool is_first,
                         const MeasureOptions& options) {
  double ns = 0.0;
  for (const double one_ns : expected_ns) ns += std::max(one_ns, options.sample_ns);
  return (is_first ? 2.0 : 1.0) * kOverhead * ns / 1e9;
}

double distance_to_limits(const GemmShape& shape, double ns, double max_gflops,
                          const DeviceRates& rates, Precision precision) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double bytes = static_cast<double>(bytes_per_element(precision)) * (m * k + k * n + m * n);
  // 1 GB/s is one byte per nanosecond.
  const double copy_ns = rates.copy_gbytes_per_s > 0.0 ? bytes / rates.copy_gbytes_per_s : 0.0;
  const auto distance = [&](double gflops) {
    const double arithmetic_ns = gflops > 0.0 ? flops(shape) / gflops : 0.0;
    const double min_ns = rates.launch_ns + std::max(arithmetic_ns, copy_ns);
    return min_ns > 0.0 ? std::max(0.0, std::log(ns / min_ns)) : 0.0;
  };
  return 0.5 * (distance(product_peak(rates, precision)) + distance(max_gflops));
}

std::vector<double> weights_by_gain(const std::vector<SearchTask>& tasks,
                                    const JournalContents& contents) {
  std::vector<double> weights = task_weights(tasks);
  if (contents.finals.outcomes.empty() || !contents.rates) return weights;
  const std::vector<FastestTime> best = fastest_times(contents);
  double max_gflops = 0.0;
  for (const FastestTime& each : best) {
    max_gflops = std::max(max_gflops, flops(each.problem.shape) / each.ns);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    double sum = 0.0;
    double all = 0.0;
    for (const FastestTime& each : best) {
      if (!is_for(tasks[i], each.problem)) continue;
      sum += each.problem.weight * distance_to_limits(each.problem.shape, each.ns, max_gflops,
                                                      *contents.rates, contents.header.precision);
      all += each.problem.weight;
    }
    weights[i] *= kMinDistance + (all > 0.0 ? sum / all : 0.0);
  }
  return weights;
}

}  // namespace tilewright

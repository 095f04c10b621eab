#include "tuner/tuning/replay_finals.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "codelets/space/emit.hpp"
#include "codelets/space/generic_profile.hpp"
#include "tuner/finals/finals.hpp"
#include "tuner/finals/lineup.hpp"
#include "tuner/finals/race.hpp"
#include "tuner/finals/selection.hpp"
#include "tuner/finals/sweeps.hpp"
#include "tuner/search/search_tasks.hpp"

namespace tilewright {
namespace {

// As many as the finals of a few shapes have time for.
constexpr int kReplayedRounds = 100;
constexpr int kRoundsOfFork = 5;  // forks that do not differ: nothing is recorded of how they do
constexpr std::size_t kReplayedFinalists = 24;

template <class T>
const T& any_of(const std::vector<T>& values, std::mt19937_64& random) {
  // Not a std::uniform_int_distribution, which differs from library to library.
  return values[random() % values.size()];
}

// What the journal would be, had its tuning found no more than the search.
JournalContents contents_of(const JournalContents& journal, const ReplayedSearch& search) {
  JournalContents contents;
  contents.header = journal.header;
  contents.header.ops = search.ops;
  contents.header.shapes = search.shapes;
  contents.rates = journal.rates;
  contents.packs = journal.packs;
  for (const Outcome* outcome : search.found) contents.outcomes.push_back(*outcome);
  return contents;
}

// nullopt: nothing found serves any op.
std::optional<Lineup> lineup_of(const JournalContents& contents) {
  const DeviceRates rates = contents.rates.value_or(DeviceRates{});
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  std::map<Op, Contenders> contenders;
  for (const Op op : contents.header.ops) {
    Contenders of_op;
    const CostModel costs =
        screening_costs({op}, shapes, rates, contents.outcomes, contents.header.keeps_b);
    of_op.finalists = choose_finalists(contents.outcomes, op, costs);
    if (of_op.finalists.empty()) {  // the phase is one of kernels for narrow products
      of_op.finalists = choose_finalists(contents.outcomes, op, costs, Codelet::kGemv);
    }
    if (of_op.finalists.empty()) continue;
    of_op.baselines = baselines_of({generic_profile()}, op, contents.header.device.limits, rates);
    std::erase_if(of_op.baselines, [&](const std::string& point) {
      return std::none_of(contents.outcomes.begin(), contents.outcomes.end(),
                          [&](const Outcome& outcome) {
                            return outcome.point == point && outcome.result == OutcomeClass::kOk;
                          });
    });
    contenders[op] = std::move(of_op);
  }
  if (contenders.empty()) return std::nullopt;
  // Auxiliaries that the journal does not have are the simplest that do what is demanded.
  Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  for (const auto& [op, of_op] : contenders) {
    for (const auto* kernels : {&of_op.finalists, &of_op.baselines}) {
      for (const ParameterPoint& demand : demands_of(*kernels, op, shapes)) {
        auxiliaries.emplace(demand, to_text(demand));
      }
    }
  }
  return make_lineup(contenders, kReplayedFinalists, SIZE_MAX, shapes, auxiliaries,
                     contents.header.keeps_b);
}

Sweep draw_sweep(const JournalContents& contents, const RecordedSamples& samples, const Race& race,
                 const GemmShape& shape, int round, std::mt19937_64& random) {
  const double time = static_cast<double>(round) / kReplayedRounds;
  const Lineup& lineup = *contents.lineup;
  Sweep sweep;
  sweep.round = round;
  sweep.fork = round / kRoundsOfFork;
  sweep.shape = shape;
  const auto [before, after] = samples.draw_paces(shape, random);
  if (const auto reference = samples.draw(lineup.finalists[lineup.reference], shape, random)) {
    sweep.reference_before_ns = *reference * before;
    sweep.reference_after_ns = *reference * after;
  }
  for (const std::size_t finalist : race.after(contents.sweeps, {}, time).runs) {
    const auto ns = samples.draw(lineup.finalists[finalist], shape, random);
    if (ns) sweep.ns[finalist] = *ns * (before + after) / 2.0;
  }
  return sweep;
}

// Of each problem the best of the kernels that are in the profile.
ReplayedChoice choice_of(const JournalContents& contents) {
  Standings all = standings(contents);
  const Portfolio portfolio = choose_portfolio(all, 0);
  std::set<std::size_t> kernels;
  for (const std::size_t way : portfolio.ways) kernels.insert(all.lineup.ways[way].product);
  ReplayedChoice choice;
  choice.kernels = static_cast<int>(kernels.size());
  for (std::size_t p = 0; p < all.problems.size(); ++p) {
    for (std::size_t way = 0; way < all.times[p].size(); ++way) {
      if (kernels.count(all.lineup.ways[way].product) == 0) all.times[p][way].reset();
    }
    const auto best = winner(all, p);
    const auto& [op, shape] = all.problems[p];
    choice.problems.push_back(
        {op, shape, best ? all.lineup.finalists[all.lineup.ways[*best].product].point : ""});
  }
  return choice;
}

}  // namespace

RecordedSamples::RecordedSamples(const JournalContents& journal) {
  for (const PackOutcome& pack : journal.packs) {
    if (!pack.reply.point.empty()) auxiliary_rates_[pack.reply.point] = pack.reply.ns_per_element;
  }
  if (journal.rates && journal.rates->copy_gbytes_per_s > 0.0) {
    constexpr double kBytesMoved = 2 * sizeof(float);  // read and written
    usual_rate_ = kBytesMoved / journal.rates->copy_gbytes_per_s;
  }
  add_search(journal);
  add_finals(journal);
}

const RecordedSamples::OfShape* RecordedSamples::find(const GemmShape& shape) const {
  const auto found = std::find_if(shapes_.begin(), shapes_.end(),
                                  [&](const OfShape& of_shape) { return of_shape.shape == shape; });
  return found == shapes_.end() ? nullptr : &*found;
}

RecordedSamples::OfShape& RecordedSamples::on(const GemmShape& shape) {
  const OfShape* found = find(shape);
  if (found != nullptr) return shapes_[static_cast<std::size_t>(found - shapes_.data())];
  return shapes_.emplace_back(OfShape{shape, {}, {}, {}});
}

void RecordedSamples::add_search(const JournalContents& journal) {
  for (const Outcome& outcome : journal.outcomes) {
    if (outcome.result != OutcomeClass::kOk) continue;
    for (const ShapeSamples& samples : outcome.shapes) {
      if (samples.ns.empty()) continue;
      OfShape& of_shape = on(samples.shape);
      of_shape.products[outcome.point] = corrected_ns(samples);
      if (!(samples.reference_known_ns > 0.0)) continue;
      const std::vector<double>& reference = samples.reference_ns;
      for (std::size_t i = 1; i < reference.size(); ++i) {
        of_shape.paces.emplace_back(reference[i - 1] / samples.reference_known_ns,
                                    reference[i] / samples.reference_known_ns);
      }
    }
  }
}

void RecordedSamples::add_finals(const JournalContents& journal) {
  if (!journal.lineup) return;
  for (const GemmShape& shape : journal.header.shapes) {
    for (auto& [index, ns] : corrected_samples(journal.sweeps, shape)) {
      const Finalist& finalist = journal.lineup->finalists[index];
      OfShape& of_shape = on(shape);
      (finalist.job == Finalist::Job::kProduct ? of_shape.products[finalist.point]
                                               : of_shape.auxiliaries[work_of(finalist)]) = ns;
    }
  }
}

std::optional<double> RecordedSamples::draw(const Finalist& finalist, const GemmShape& shape,
                                            std::mt19937_64& random) const {
  const OfShape* of_shape = find(shape);
  if (of_shape == nullptr) return std::nullopt;
  const auto& products = of_shape->products;
  const auto& auxiliaries = of_shape->auxiliaries;
  if (finalist.job == Finalist::Job::kProduct) {
    const auto found = products.find(finalist.point);
    return found == products.end() ? std::nullopt : std::optional(any_of(found->second, random));
  }
  const auto found = auxiliaries.find(work_of(finalist));
  if (found != auxiliaries.end()) return any_of(found->second, random);
  const auto known = auxiliary_rates_.find(finalist.point);
  const double rate = known == auxiliary_rates_.end() ? usual_rate_ : known->second;
  const KernelRecord gemm = emit(parse_point(finalist.packs_for));
  const Storage storage = moved_storage(finalist.job, gemm, shape);
  return rate * static_cast<double>(storage.elements);
}

std::pair<double, double> RecordedSamples::draw_paces(const GemmShape& shape,
                                                      std::mt19937_64& random) const {
  const OfShape* of_shape = find(shape);
  const bool known = of_shape != nullptr && !of_shape->paces.empty();
  return known ? any_of(of_shape->paces, random) : std::pair(1.0, 1.0);
}

ReplayedChoice replay_finals(const JournalContents& journal, const RecordedSamples& samples,
                             const ReplayedSearch& search, std::uint64_t seed) {
  JournalContents contents = contents_of(journal, search);
  contents.lineup = lineup_of(contents);
  if (!contents.lineup) return {};
  std::mt19937_64 random(seed);
  std::vector<Race> races;
  for (const GemmShape& shape : search.shapes) {
    races.emplace_back(*contents.lineup, shape, contents.rates);
  }
  for (int round = 0; round < kReplayedRounds; ++round) {
    for (std::size_t s = 0; s < races.size(); ++s) {
      contents.sweeps.push_back(
          draw_sweep(contents, samples, races[s], search.shapes[s], round, random));
    }
  }
  return choice_of(contents);
}

}  // namespace tilewright

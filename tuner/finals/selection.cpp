#include "tuner/finals/selection.hpp"

#include <algorithm>
#include <tuple>

#include "codelets/space/emit.hpp"
#include "runtime/call/storage.hpp"
#include "tuner/finals/baseline.hpp"
#include "tuner/finals/lineup.hpp"
#include "tuner/finals/sweeps.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr double kMostBehind = 0.02;  // that one which passes for as good may be

// Line-up of the best that a search has measured so far.
Lineup lineup_of_outcomes(const JournalContents& contents) {
  const Auxiliaries auxiliaries = fastest_auxiliaries(contents.packs);
  LineupBuilder builder(auxiliaries, contents.header.keeps_b);
  for (const Outcome* outcome : most_promising(contents.outcomes)) {
    for (const Op op : contents.header.ops) builder.add(outcome->point, op, contents.header.shapes);
  }
  for (const Op op : contents.header.ops) {
    const std::string baseline = baseline_of(contents.outcomes, op, contents.header.device.limits);
    if (baseline.empty()) continue;
    const auto way = builder.add(baseline, op, contents.header.shapes);
    if (way) builder.add_baseline(*way);
  }
  return builder.take();
}

// Times of finalists on one shape: of the finals where they reached it, else of the search.
class FinalistTimes {
 public:
  // finals: the line-up is the one that they were held with.
  FinalistTimes(const JournalContents& contents, const Lineup& lineup, bool finals,
                const GemmShape& shape)
      : contents_(contents), lineup_(lineup), finals_(finals), shape_(shape) {
    if (finals) times_ = corrected(contents.sweeps, shape);
    if (times_.samples.empty()) take_search();
  }

  std::optional<WayTime> of(const Way& way) const {
    const std::vector<std::size_t> finalists = finalists_of(way, lineup_, shape_);
    if (finalists.empty() || times_.samples.count(way.product) == 0) return std::nullopt;
    WayTime time;
    time.raced = !from_search_;
    for (const std::size_t finalist : finalists) {
      if (finals_ && contents_.finalist_failures.count(finalist) != 0) return std::nullopt;
      if (finalist == way.product) continue;
      const std::optional<Known> auxiliary = auxiliary_time(way, finalist);
      if (!auxiliary) return std::nullopt;
      time.beside_ns += auxiliary->value;
      time.beside_uncertainty_ns += auxiliary->uncertainty;
    }
    time.samples_ns = times_.samples.at(way.product);
    time.kernel_ns = times_.time_of(way.product);
    if (contents_.rates) {
      time.launches_ns = launches_ns(way, finalists.size(), *contents_.rates);
    }
    return time;
  }

 private:
  void take_search() {
    from_search_ = true;
    std::map<std::string, const ShapeSamples*> by_point;
    for (const Outcome& outcome : contents_.outcomes) {
      const ShapeSamples* samples = samples_on(outcome, shape_);
      const bool measured = samples != nullptr && !samples->ns.empty();
      if (outcome.result == OutcomeClass::kOk && measured) {
        by_point.emplace(outcome.point, samples);
      }
    }
    for (std::size_t i = 0; i < lineup_.finalists.size(); ++i) {
      const auto found = by_point.find(lineup_.finalists[i].point);
      if (found != by_point.end()) times_.samples[i] = corrected_ns(*found->second);
    }
  }

  std::optional<Known> auxiliary_time(const Way& way, std::size_t finalist) const {
    if (times_.samples.count(finalist) > 0) return times_.time_of(finalist);
    if (!from_search_) return std::nullopt;
    const KernelRecord record = emit(parse_point(lineup_.finalists[way.product].point));
    const Storage storage = moved_storage(lineup_.finalists[finalist].job, record, shape_);
    for (const PackOutcome& pack : contents_.packs) {
      if (pack.reply.point != lineup_.finalists[finalist].point) continue;
      return Known{pack.reply.ns_per_element * static_cast<double>(storage.elements), 0.0};
    }
    return std::nullopt;
  }

  const JournalContents& contents_;
  const Lineup& lineup_;
  bool finals_;
  GemmShape shape_;
  CorrectedSweeps times_;
  bool from_search_ = false;
};

bool is_starting(const Standings& standings, std::size_t way) {
  const Lineup& lineup = standings.lineup;
  return standings.starting.count(lineup.finalists[lineup.ways[way].product].point) > 0;
}

bool is_baseline(const Standings& standings, std::size_t way) {
  const std::vector<std::size_t>& baselines = standings.lineup.baselines;
  return std::count(baselines.begin(), baselines.end(), way) > 0;
}

// Of ways that take the same time, the least goes first.
auto preference(const Standings& standings, std::size_t problem, std::size_t way) {
  const Lineup& lineup = standings.lineup;
  const Way& w = lineup.ways[way];
  const int beside = standings.times[problem][way]->beside_ns > 0.0 ? auxiliaries_of(w) : 0;
  const bool starting = is_starting(standings, way);
  const double ns = starting ? standings.times[problem][way]->total_ns() : 0.0;
  return std::tuple(!is_baseline(standings, way), beside, !starting, ns,
                    parse_point(lineup.finalists[w.product].point));
}

}  // namespace

Auxiliaries fastest_auxiliaries(const std::vector<PackOutcome>& packs) {
  Auxiliaries fastest;
  std::map<ParameterPoint, double> rates;  // ns per element
  for (const PackOutcome& pack : packs) {
    if (pack.reply.point.empty()) continue;
    const ParameterPoint demand = parse_point(pack.demand);
    const auto [place, is_new] = rates.emplace(demand, pack.reply.ns_per_element);
    if (!is_new && place->second <= pack.reply.ns_per_element) continue;
    place->second = pack.reply.ns_per_element;
    fastest[demand] = pack.reply.point;
  }
  return fastest;
}

double WayTime::total_ns() const {
  return kernel_ns.value + beside_ns + launches_ns;
}

double WayTime::uncertainty_ns() const {
  return kernel_ns.uncertainty + beside_uncertainty_ns;
}

Standings standings(const JournalContents& contents) {
  Standings result;
  const bool finals = contents.lineup && !contents.sweeps.empty();
  result.lineup = finals ? *contents.lineup : lineup_of_outcomes(contents);
  std::vector<FinalistTimes> times;
  for (const GemmShape& shape : contents.header.shapes) {
    times.emplace_back(contents, result.lineup, finals, shape);
  }
  for (const Op op : contents.header.ops) {
    result.starting.merge(starting_kernels(op, contents.header.device.limits,
                                           contents.rates.value_or(DeviceRates{})));
    for (std::size_t s = 0; s < times.size(); ++s) {
      result.problems.push_back({op, contents.header.shapes[s]});
      auto& row = result.times.emplace_back();
      for (const Way& way : result.lineup.ways) {
        row.push_back(way.op == op ? times[s].of(way) : std::nullopt);
      }
    }
  }
  return result;
}

bool can_choose(const JournalContents& contents) {
  const Standings all = standings(contents);
  for (std::size_t problem = 0; problem < all.problems.size(); ++problem) {
    if (winner(all, problem)) return true;
  }
  return false;
}

bool is_tie(const WayTime& a, const WayTime& b) {
  const double uncertainty = std::min(a.uncertainty_ns(), b.uncertainty_ns());
  return is_tie(Known{a.total_ns(), uncertainty}, Known{b.total_ns(), uncertainty});
}

bool is_as_good(const Standings& standings, std::size_t way, const WayTime& time,
                const WayTime& best) {
  // Of many that left early, some seem close by luck.
  const double known_less_ns = std::max(0.0, time.uncertainty_ns() - best.uncertainty_ns());
  const bool may_be_behind =
      time.total_ns() + known_less_ns > (1.0 + kMostBehind) * best.total_ns();
  if (time.raced && may_be_behind) return false;
  const bool is_known = is_baseline(standings, way) || is_starting(standings, way);
  return is_tie(time, best) ||
         (is_known && time.total_ns() <= (1.0 + kWidestTie) * best.total_ns());
}

std::optional<std::size_t> winner(const Standings& standings, std::size_t problem) {
  const auto& times = standings.times[problem];
  std::optional<std::size_t> best;
  for (std::size_t way = 0; way < times.size(); ++way) {
    if (times[way] && (!best || times[way]->total_ns() < times[*best]->total_ns())) best = way;
  }
  if (!best) return std::nullopt;
  std::size_t first = *best;
  for (std::size_t way = 0; way < times.size(); ++way) {
    if (times[way] && is_as_good(standings, way, *times[way], *times[*best]) &&
        preference(standings, problem, way) < preference(standings, problem, first)) {
      first = way;
    }
  }
  return first;
}

}  // namespace tilewright

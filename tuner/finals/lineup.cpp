#include "tuner/finals/lineup.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "codelets/space/emit.hpp"
#include "codelets/space/starting_points.hpp"
#include "runtime/plan/plan_times.hpp"
#include "tuner/records/forms.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {
namespace {

// A search takes three samples of a candidate, and machines are noisy: of ten searches on three
// shapes each, 29 of 30 had one of the best among so many, 16 among five (PoCL, 2 cores, recorded
// 2026-11-22; docs/measuring.md, "How stable is the choice?").
constexpr std::size_t kBest = 32;  // by cost, and on each shape
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A candidate with what it costs for the op, end to end.
struct Entry {
  std::string point;
  double cost = kInfinity;
  std::vector<double> ns;  // per screening shape
};

void add_best(std::vector<std::string>& chosen, std::vector<Entry> from, std::size_t count,
              const std::function<double(const Entry&)>& key) {
  std::stable_sort(from.begin(), from.end(),
                   [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < std::min(count, from.size()); ++i) {
    if (key(from[i]) == kInfinity) break;
    if (std::find(chosen.begin(), chosen.end(), from[i].point) == chosen.end()) {
      chosen.push_back(from[i].point);
    }
  }
}

std::vector<Entry> entries_of(const std::vector<Outcome>& outcomes, Op op, const CostModel& costs,
                              Codelet codelet) {
  std::vector<Entry> entries;
  for (const Outcome* outcome : most_promising(outcomes, kBest)) {
    if (codelet_of(parse_point(outcome->point)) != codelet) continue;
    const auto cost = costs.cost(*outcome);
    if (!cost) continue;
    Entry entry{outcome->point, *cost, {}};
    const KernelRecord record = emit(parse_point(outcome->point));
    for (const GemmShape& shape : costs.shapes()) {
      const ShapeSamples* samples = samples_on(*outcome, shape);
      const bool measured = samples != nullptr && !samples->ns.empty();
      entry.ns.push_back(measured && can_serve(record, op, shape)
                             ? median_ns(*samples) + costs.beside_ns(record, op, shape)
                             : kInfinity);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

bool is_general(const ParameterPoint& point) {
  const auto* gemm = std::get_if<GemmPoint>(&point);
  return gemm != nullptr && gemm->layout_a.is_plain() && gemm->layout_b.is_plain() &&
         gemm->access != Access::kAligned && gemm->edges == Edges::kGuarded && !gemm->image_a &&
         !gemm->image_b && gemm->split_k == 1;
}

std::vector<std::string> choose_finalists(const std::vector<Outcome>& outcomes, Op op,
                                          const CostModel& costs, Codelet codelet) {
  const std::vector<Entry> entries = entries_of(outcomes, op, costs, codelet);
  const auto by_cost = [](const Entry& entry) { return entry.cost; };
  std::vector<Entry> general;
  for (const Entry& entry : entries) {
    const ParameterPoint point = parse_point(entry.point);
    if (!is_general(point)) continue;
    const auto& gemm = std::get<GemmPoint>(point);
    if (op_of(gemm.layout_a, gemm.layout_b) == op) general.push_back(entry);
  }
  // Whoever has no time for all takes the first: so the best of each kind come before the second
  // best of any.
  std::vector<std::string> chosen;
  for (std::size_t rank = 1; rank <= kBest; ++rank) {
    add_best(chosen, entries, rank, by_cost);
    for (std::size_t s = 0; s < costs.shapes().size(); ++s) {
      add_best(chosen, entries, rank, [s](const Entry& entry) { return entry.ns[s]; });
    }
    add_best(chosen, general, 1, by_cost);
  }
  return chosen;
}

std::set<ParameterPoint> demands_of(const std::vector<std::string>& kernels, Op op,
                                    const std::vector<GemmShape>& shapes) {
  std::set<ParameterPoint> demands;
  for (const std::string& kernel : kernels) {
    const KernelRecord record = emit(parse_point(kernel));
    for (const GemmShape& shape : shapes) {
      if (!can_serve(record, op, shape)) continue;
      const auto pack = [&](const PackPoint& demand, const Storage& packed) {
        demands.insert(demand);
        if (is_large(packed)) demands.insert(large(demand));
      };
      if (!reads_a_in_place(record, op, shape)) {
        pack(pack_demand_a(record, op), storage_a(record, shape));
      }
      if (!reads_b_in_place(record, op, shape)) {
        pack(pack_demand_b(record, op), storage_b(record, shape));
      }
      if (record.split_k > 1) demands.insert(ReducePoint{});
    }
  }
  return demands;
}

std::vector<std::string> baselines_of(const std::vector<Profile>& profiles, Op op,
                                      const SpaceLimits& limits, const DeviceRates& rates) {
  std::vector<std::string> kernels;
  for (const Profile& profile : profiles) {
    for (const ParameterPoint& point : warm_points(profile, op, limits)) {
      kernels.push_back(to_text(spelled(unspelled(point), forms_of(rates))));
    }
  }
  return kernels;
}

std::set<std::string> starting_kernels(Op op, const SpaceLimits& limits, const DeviceRates& rates) {
  std::set<std::string> kernels;
  for (const ParameterPoint& point : starting_points(op, limits)) {
    kernels.insert(to_text(spelled(unspelled(point), forms_of(rates))));
  }
  return kernels;
}

std::size_t LineupBuilder::finalist(const Finalist& finalist) {
  const auto same = [&](const Finalist& other) { return work_of(other) == work_of(finalist); };
  const auto found = std::find_if(lineup_.finalists.begin(), lineup_.finalists.end(), same);
  if (found != lineup_.finalists.end()) {
    return static_cast<std::size_t>(found - lineup_.finalists.begin());
  }
  lineup_.finalists.push_back(finalist);
  return lineup_.finalists.size() - 1;
}

std::optional<std::size_t> LineupBuilder::add(const std::string& kernel, Op op,
                                              const std::vector<GemmShape>& shapes) {
  const KernelRecord record = emit(parse_point(kernel));
  const auto all = [&](auto reads) {
    return std::all_of(shapes.begin(), shapes.end(), [&](const GemmShape& shape) {
      return !can_serve(record, op, shape) || reads(record, op, shape);
    });
  };
  // What runs beside the product, and where the way names it.
  std::vector<std::pair<std::optional<std::size_t> Way::*, Finalist>> beside;
  const auto find = [&](auto place, Finalist::Job job, const ParameterPoint& demand) {
    const auto auxiliary = auxiliaries_.find(demand);
    if (auxiliary != auxiliaries_.end())
      beside.emplace_back(place, Finalist{auxiliary->second, job, kernel});
    return auxiliary != auxiliaries_.end();
  };
  if (!all(reads_a_in_place)) {
    const PackPoint demand = pack_demand_a(record, op);
    if (!find(&Way::pack_a, Finalist::Job::kPackA, demand)) return {};
    find(&Way::large_pack_a, Finalist::Job::kPackA, large(demand));
  }
  if (!all(reads_b_in_place)) {
    const PackPoint demand = pack_demand_b(record, op);
    if (!find(&Way::pack_b, Finalist::Job::kPackB, demand)) return {};
    find(&Way::large_pack_b, Finalist::Job::kPackB, large(demand));
  }
  if (record.split_k > 1 && !find(&Way::reduce, Finalist::Job::kReduce, ReducePoint{})) return {};
  Way way;
  way.op = op;
  way.keeps_b = keeps_b_;
  way.product = finalist({kernel, Finalist::Job::kProduct, ""});
  for (const auto& [place, auxiliary] : beside) way.*place = finalist(auxiliary);
  const auto found = std::find(lineup_.ways.begin(), lineup_.ways.end(), way);
  if (found != lineup_.ways.end()) return static_cast<std::size_t>(found - lineup_.ways.begin());
  lineup_.ways.push_back(way);
  return lineup_.ways.size() - 1;
}

Lineup make_lineup(const std::map<Op, Contenders>& contenders, std::size_t most_finalists,
                   std::size_t most_baselines, const std::vector<GemmShape>& shapes,
                   const Auxiliaries& auxiliaries, bool keeps_b) {
  LineupBuilder builder(auxiliaries, keeps_b);
  for (const auto& [op, of_op] : contenders) {
    const auto& [finalists, baselines] = of_op;
    for (std::size_t i = 0; i < std::min(most_finalists, finalists.size()); ++i) {
      builder.add(finalists[i], op, shapes);
    }
    for (std::size_t i = 0; i < std::min(most_baselines, baselines.size()); ++i) {
      if (const auto way = builder.add(baselines[i], op, shapes)) builder.add_baseline(*way);
    }
  }
  builder.set_reference(contenders.begin()->second.finalists.front());
  return builder.take();
}

std::vector<std::size_t> finalists_of(const Way& way, const Lineup& lineup,
                                      const GemmShape& shape) {
  const KernelRecord record = emit(parse_point(lineup.finalists[way.product].point));
  if (!can_serve(record, way.op, shape)) return {};
  std::vector<std::size_t> finalists = {way.product};
  const auto pack = [&](const auto& usual, const auto& of_large, const Storage& packed) {
    finalists.push_back(of_large && is_large(packed) ? *of_large : *usual);
  };
  if (way.pack_a && !reads_a_in_place(record, way.op, shape)) {
    pack(way.pack_a, way.large_pack_a, storage_a(record, shape));
  }
  if (way.pack_b && !way.keeps_b && !reads_b_in_place(record, way.op, shape)) {
    pack(way.pack_b, way.large_pack_b, storage_b(record, shape));
  }
  if (way.reduce) finalists.push_back(*way.reduce);
  return finalists;
}

double launches_ns(const Way& way, std::size_t finalists, const DeviceRates& rates) {
  if (finalists == 0) return 0.0;
  CommandCosts commands;
  commands.learn(rates);
  const std::size_t behind = way.reduce ? 1 : 0;
  return commands.of(finalists - 1 - behind, behind);
}

void LineupBuilder::set_reference(const std::string& kernel) {
  lineup_.reference = finalist({kernel, Finalist::Job::kProduct, ""});
}

void LineupBuilder::add_baseline(std::size_t way) {
  std::vector<std::size_t>& all = lineup_.baselines;
  if (std::find(all.begin(), all.end(), way) == all.end()) all.push_back(way);
}

}  // namespace tilewright

#include "tuner/finals/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr double kCalm = 0.03;       // a reference that moves by less stood still
constexpr double kDisorderly = 2.0;  // times as scattered as the usual sweep
// Finalists that tell a sweep's pace better than the reference, which is but one of them.
constexpr std::size_t kCrowd = 6;
// Of a crowd those tell its pace that are in nine tenths as many sweeps as the third of them is.
constexpr std::size_t kTellers = 3;
constexpr double kMostSweeps = 0.9;
constexpr int kPolishes = 3;
constexpr double kMost = 0.8;  // of finalists: fewer may disagree, spoilt by something short
constexpr double kLeastDeviation = 0.02;  // of a sample: finalists may agree by chance
constexpr double kForkDeviation = 0.008;  // of a fork, however many samples it has (forks.cpp)
constexpr double kPriorDeviation = 0.04;  // of what a finalist takes in a fork, from the usual
constexpr std::size_t kSomeSweeps = 10;   // that have a fastest tenth

bool has_reference(const Sweep& sweep) {
  return sweep.reference_before_ns > 0.0 && sweep.reference_after_ns > 0.0;
}

double reference_ns(const Sweep& sweep) {
  return (sweep.reference_before_ns + sweep.reference_after_ns) / 2.0;
}

// How far the reference moved during a sweep, as a share of the lesser of its times.
double move(const Sweep& sweep) {
  const auto [less, more] = std::minmax(sweep.reference_before_ns, sweep.reference_after_ns);
  return more / less - 1.0;
}

// The middle one of the values: one that occurred. Where a clock has two paces, a mean of both is
// the pace of none.
double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// A sweep, and how fast the machine was meanwhile.
struct Paced {
  const Sweep* sweep = nullptr;
  double pace = 1.0;      // times are proportional to it
  double disorder = 0.0;  // of a crowd: how far most finalists are from that pace, as a logarithm
  std::vector<std::size_t> tellers = {};  // of a crowd: the finalists that tell it
  bool is_crowd() const { return has_reference(*sweep) && sweep->ns.size() >= kCrowd; }
};

// How many of the sweeps each finalist is in.
std::map<std::size_t, std::size_t> presence_in(const std::vector<Paced>& sweeps) {
  std::map<std::size_t, std::size_t> counts;
  for (const Paced& paced : sweeps) {
    for (const auto& [finalist, ns] : paced.sweep->ns) ++counts[finalist];
  }
  return counts;
}

// The finalists of a sweep that tell its pace.
std::vector<std::size_t> tellers_of(const Sweep& sweep,
                                    const std::map<std::size_t, std::size_t>& presence) {
  std::vector<std::size_t> counts;
  for (const auto& [finalist, ns] : sweep.ns) counts.push_back(presence.at(finalist));
  std::sort(counts.rbegin(), counts.rend());
  const auto many = static_cast<double>(counts[std::min(kTellers, counts.size()) - 1]);
  std::vector<std::size_t> tellers;
  for (const auto& [finalist, ns] : sweep.ns) {
    if (static_cast<double>(presence.at(finalist)) >= kMostSweeps * many)
      tellers.push_back(finalist);
  }
  return tellers;
}

// What sweeps and finalists have in common, by Tukey's median polish ("Exploratory Data Analysis",
// 1977, chapter 11): log ns = a finalist's level + a sweep's pace + noise. The paces, which the
// reference has told before, are told anew by the finalists of a crowd: by those that are in most
// sweeps. The others' levels rest on the very paces of the few sweeps that they are in; where they
// are the majority they would keep them as the reference has told them, and a reference that has
// changed beside the others since would tell how those who left do beside those who stayed.
// Returns the levels.
std::map<std::size_t, double> polish(std::vector<Paced>& sweeps) {
  std::map<std::size_t, double> levels;
  const std::map<std::size_t, std::size_t> presence = presence_in(sweeps);
  for (Paced& paced : sweeps) {
    if (paced.is_crowd()) paced.tellers = tellers_of(*paced.sweep, presence);
  }
  for (int pass = 0; pass < kPolishes; ++pass) {
    std::map<std::size_t, std::vector<double>> of_finalists;
    for (const Paced& paced : sweeps) {
      for (const auto& [finalist, ns] : paced.sweep->ns) {
        of_finalists[finalist].push_back(std::log(ns / paced.pace));
      }
    }
    for (auto& [finalist, logs] : of_finalists) levels[finalist] = quantile(std::move(logs), 0.5);
    for (Paced& paced : sweeps) {
      if (!paced.is_crowd()) continue;
      std::vector<double> paces;
      for (const std::size_t finalist : paced.tellers) {
        paces.push_back(std::log(paced.sweep->ns.at(finalist)) - levels[finalist]);
      }
      paced.pace = std::exp(quantile(std::move(paces), 0.5));
    }
  }
  return levels;
}

// Those during which the machine kept its pace: of sweeps of crowds those whose finalists agree on
// it, of the others those whose reference does not move.
std::vector<Paced> accepted(const std::vector<Paced>& sweeps) {
  std::vector<double> moves;
  std::vector<double> disorders;
  for (const Paced& paced : sweeps) {
    if (paced.is_crowd()) {
      disorders.push_back(paced.disorder);
    } else if (has_reference(*paced.sweep)) {
      moves.push_back(move(*paced.sweep));
    }
  }
  const double most_move = moves.empty() ? 0.0 : std::max(kCalm, quantile(moves, 0.5));
  const double most_disorder =
      disorders.empty() ? 0.0 : std::max(kCalm, kDisorderly * quantile(disorders, 0.5));
  std::vector<Paced> calm;
  for (const Paced& paced : sweeps) {
    const bool is_calm = paced.is_crowd()
                             ? paced.disorder <= most_disorder
                             : !has_reference(*paced.sweep) || move(*paced.sweep) <= most_move;
    if (is_calm) calm.push_back(paced);
  }
  return calm.size() < 2 ? sweeps : calm;
}

// The sweeps of a shape, or those of them that may count, with the machine's pace meanwhile.
std::vector<Paced> polished_sweeps(const std::vector<Sweep>& sweeps, const GemmShape& shape) {
  std::vector<Paced> with_reference;
  std::vector<Paced> without;
  for (const Sweep& sweep : sweeps) {
    if (sweep.shape == shape) (has_reference(sweep) ? with_reference : without).push_back({&sweep});
  }
  // Where the reference failed early, the sweeps since then say more than those before.
  const bool failed = with_reference.empty() || with_reference.size() < without.size();
  std::vector<Paced> paced = failed ? std::move(without) : std::move(with_reference);
  if (!failed) {
    for (Paced& each : paced) each.pace = reference_ns(*each.sweep);
  }
  const std::map<std::size_t, double> levels = polish(paced);
  for (Paced& each : paced) {
    std::vector<double> distances;
    for (const auto& [finalist, ns] : each.sweep->ns) {
      distances.push_back(std::abs(std::log(ns / each.pace) - levels.at(finalist)));
    }
    if (!distances.empty()) each.disorder = quantile(std::move(distances), kMost);
  }
  return paced;
}

// Those that count, with their paces relative to the usual one.
std::vector<Paced> paced_sweeps(const std::vector<Sweep>& sweeps, const GemmShape& shape) {
  std::vector<Paced> paced = accepted(polished_sweeps(sweeps, shape));
  std::vector<double> paces;
  for (const Paced& each : paced) paces.push_back(each.pace);
  const double usual = paces.empty() ? 1.0 : middle(std::move(paces));
  for (Paced& each : paced) each.pace /= usual;
  return paced;
}

// How far a sample may be off in the usual sweep. Crowds tell: in a sweep of few finalists one that
// is another in this fork would pass for disorder.
double deviation_of(const std::vector<Paced>& sweeps) {
  std::vector<double> disorders;
  for (const Paced& paced : sweeps) {
    if (paced.is_crowd()) disorders.push_back(paced.disorder);
  }
  if (disorders.empty()) return kLeastDeviation;
  return std::max(kLeastDeviation, quantile(std::move(disorders), 0.5));
}

// The logarithm of a sample, and how far it may be off.
struct Reading {
  double log = 0.0;
  double deviation = 0.0;
  double weight() const { return 1.0 / (deviation * deviation); }
};

double middle_of(const std::vector<Reading>& readings) {
  std::vector<std::pair<double, double>> values;
  for (const Reading& reading : readings) values.emplace_back(reading.log, reading.weight());
  return weighted_median(std::move(values));
}

ForkTime fork_time(const std::vector<Reading>& readings, double usual) {
  std::vector<Reading> with_usual = readings;
  with_usual.push_back({usual, kPriorDeviation});
  const double middle = middle_of(with_usual);
  double sum = 0.0;
  double weights = 0.0;
  for (const Reading& reading : readings) {
    const double most = reading.deviation;
    sum += reading.weight() * std::clamp(reading.log, middle - most, middle + most);
    weights += reading.weight();
  }
  return {std::exp(sum / weights), 1.0 / (kForkDeviation * kForkDeviation + 1.0 / weights)};
}

}  // namespace

Known CorrectedSweeps::time_of(std::size_t finalist) const {
  const auto found = forks.find(finalist);
  return known_of(samples.at(finalist),
                  found == forks.end() ? std::vector<ForkTime>() : found->second);
}

CorrectedSweeps corrected(const std::vector<Sweep>& sweeps, const GemmShape& shape) {
  CorrectedSweeps all;
  std::map<std::size_t, std::map<int, std::vector<Reading>>> by_fork;
  const std::vector<Paced> counted = paced_sweeps(sweeps, shape);
  const double usual_deviation = deviation_of(counted);
  for (const Paced& paced : counted) {
    const double deviation =
        paced.is_crowd() ? std::max(paced.disorder, kLeastDeviation) : usual_deviation;
    for (const auto& [finalist, ns] : paced.sweep->ns) {
      all.samples[finalist].push_back(ns / paced.pace);
      by_fork[finalist][paced.sweep->fork].push_back({std::log(ns / paced.pace), deviation});
    }
  }
  for (const auto& [finalist, forks] : by_fork) {
    std::vector<Reading> readings;
    for (const auto& [fork, own] : forks) readings.insert(readings.end(), own.begin(), own.end());
    const double usual = middle_of(readings);
    for (const auto& [fork, own] : forks) all.forks[finalist].push_back(fork_time(own, usual));
  }
  return all;
}

double slowdown(const std::vector<Sweep>& sweeps, const GemmShape& shape) {
  std::vector<double> paces;
  for (const Paced& paced : polished_sweeps(sweeps, shape)) paces.push_back(paced.pace);
  if (paces.size() < kSomeSweeps) return 0.0;
  return quantile(paces, 0.5) / quantile(paces, 0.1) - 1.0;
}

std::map<std::size_t, std::vector<double>> corrected_samples(const std::vector<Sweep>& sweeps,
                                                             const GemmShape& shape) {
  return corrected(sweeps, shape).samples;
}

}  // namespace tilewright

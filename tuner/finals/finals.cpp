#include "tuner/finals/finals.hpp"

#include <algorithm>
#include <random>

#include "tuner/finals/forks.hpp"
#include "tuner/finals/race.hpp"
#include "tuner/finals/sweeps.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/statistics.hpp"
#include "tuner/terminal/stop_signal.hpp"

namespace tilewright {
namespace {

// Of a sample's own time: warming up, enqueueing, the reference.
constexpr double kOverhead = 1.3;
constexpr double kFirstLoad_s = 0.1;  // that loading a kernel again takes, binary cached or not

// What one launch of each finalist is expected to take on a shape: as it did there, else at the
// rate of its samples elsewhere.
class Expectations {
 public:
  Expectations(const Lineup& lineup, const std::vector<Outcome>& outcomes) : lineup_(lineup) {
    for (const Outcome& outcome : outcomes) {
      if (outcome.result == OutcomeClass::kOk) by_point_[outcome.point] = &outcome;
    }
  }

  // Nullopt: unknown, as for packs before they ran.
  std::optional<double> ns(std::size_t finalist, const GemmShape& shape,
                           const std::vector<Sweep>& sweeps) const {
    for (auto sweep = sweeps.rbegin(); sweep != sweeps.rend(); ++sweep) {
      const auto found = sweep->ns.find(finalist);
      if (sweep->shape == shape && found != sweep->ns.end()) return found->second;
    }
    const auto outcome = by_point_.find(lineup_.finalists[finalist].point);
    if (outcome == by_point_.end() || outcome->second->shapes.empty()) return std::nullopt;
    // The largest shape that was measured tells most of large ones, the least of small ones.
    const auto& known = outcome->second->shapes;
    const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
      return distance(a.shape, shape) < distance(b.shape, shape);
    });
    if (nearest->ns.empty()) return std::nullopt;
    return median_ns(*nearest) * flops(shape) / flops(nearest->shape);
  }

 private:
  static double distance(const GemmShape& a, const GemmShape& b) {
    return std::abs(std::log(flops(a) / flops(b)));
  }
  const Lineup& lineup_;
  std::map<std::string, const Outcome*> by_point_;
};

double sample_s(const std::optional<double>& ns, const MeasureOptions& options) {
  return kOverhead * std::max(ns.value_or(options.sample_ns), options.sample_ns) / 1e9;
}

double predicted_s(const std::vector<std::size_t>& runs, const std::map<std::size_t, double>& known,
                   std::size_t reference, bool first, const MeasureOptions& options) {
  const auto one = [&](std::size_t finalist) {
    const auto found = known.find(finalist);
    return sample_s(found == known.end() ? std::nullopt : std::optional(found->second), options);
  };
  double seconds = one(reference);  // a second time, at the end
  for (const std::size_t finalist : runs) seconds += first ? 2 * one(finalist) : one(finalist);
  return seconds;
}

// A process that goes on with a final has workers of its own.
int next_fork(const std::vector<Sweep>& sweeps) {
  int next = 0;
  for (const Sweep& sweep : sweeps) next = std::max(next, sweep.fork + 1);
  return next;
}

std::vector<GemmShape> shapes_of(const TuningRecord& record) {
  std::vector<GemmShape> shapes = record.contents().header.shapes;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

class Finals {
 public:
  Finals(Workers& workers, TuningRecord& record, const MeasureOptions& options, int rounds)
      : workers_(workers),
        record_(record),
        options_(options),
        most_rounds_(rounds),
        lineup_(*record.contents().lineup),
        shapes_(shapes_of(record)),
        expectations_(lineup_, record.contents().outcomes),
        random_(options.seed),
        forks_(next_fork(record.contents().sweeps),
               kFirstLoad_s * static_cast<double>(lineup_.finalists.size())) {
    const std::optional<DeviceRates>& rates = record.contents().rates;
    for (const GemmShape& shape : shapes_) races_.emplace_back(lineup_, shape, rates);
  }

  FinalsEnd run(double until_s, const std::function<void(const FinalsProgress&)>& progress);

 private:
  // Of the shape at this place.
  FinalsEnd sweep(int round, std::size_t place, const Race::Position& position, double until_s,
                  const std::function<void(const FinalsProgress&)>& progress);

  // The part of the finals' time that is over after so many rounds, 0 to 1: by the clock, or since
  // they end with the last round.
  double time(double rounds, double until_s) const;
  // Of all shapes, now.
  std::vector<Race::Position> positions(double time) const;

  Workers& workers_;
  TuningRecord& record_;
  MeasureOptions options_;
  int most_rounds_;
  Lineup lineup_;
  std::vector<GemmShape> shapes_;  // the shortest product first
  std::vector<Race> races_;        // likewise
  Expectations expectations_;
  std::mt19937_64 random_;
  Forks forks_;
};

FinalsEnd Finals::sweep(int round, std::size_t place, const Race::Position& position,
                        double until_s,
                        const std::function<void(const FinalsProgress&)>& progress) {
  const JournalContents& contents = record_.contents();
  const GemmShape& shape = shapes_[place];
  SweepRequest request;
  request.shape = shape;
  request.round = round;
  request.fork = forks_.number();
  request.options = options_;
  request.with_reference = contents.finalist_failures.count(lineup_.reference) == 0;
  request.first = std::none_of(contents.sweeps.begin(), contents.sweeps.end(),
                               [&](const Sweep& sweep) { return sweep.shape == shape; });
  request.runs = position.runs;
  std::shuffle(request.runs.begin(), request.runs.end(), random_);
  for (const std::size_t finalist : request.runs) {
    const auto ns = expectations_.ns(finalist, shape, contents.sweeps);
    if (ns) request.expected_ns[finalist] = *ns;
  }
  const double seconds =
      predicted_s(request.runs, request.expected_ns, lineup_.reference, request.first, options_);
  if (record_.now_s() + seconds > until_s) return FinalsEnd::kTime;
  request.lineup = lineup_;
  auto reply = workers_.measurer().sweep(request);
  if (std::holds_alternative<Stopped>(reply)) return FinalsEnd::kStopped;
  if (std::holds_alternative<OutOfTime>(reply)) return FinalsEnd::kTime;
  auto& [sweep, failures] = std::get<SweepReply>(reply);
  // What cannot serve this shape, or is too slow for it, may serve the others: it has no sample
  // here.
  std::erase_if(failures, [](const auto& failure) {
    return failure.second.starts_with(to_text(OutcomeClass::kLimits)) ||
           failure.second.starts_with(to_text(OutcomeClass::kSlow));
  });
  record_.sweep(sweep, failures);
  progress({round, shape, request.runs.size(), 0.0});
  return FinalsEnd::kDone;
}

double Finals::time(double rounds, double until_s) const {
  const double begin_s = record_.contents().lineup_at_s;
  const double over_s = record_.now_s() - begin_s;
  const double all_s = until_s - begin_s;
  return std::min(1.0, std::max(over_s < all_s ? over_s / all_s : 1.0, rounds / most_rounds_));
}

std::vector<Race::Position> Finals::positions(double time) const {
  const JournalContents& contents = record_.contents();
  std::vector<Race::Position> positions;
  for (const Race& race : races_) {
    positions.push_back(race.after(contents.sweeps, contents.finalist_failures, time));
  }
  return positions;
}

FinalsEnd Finals::run(double until_s, const std::function<void(const FinalsProgress&)>& progress) {
  int first_round = 0;
  for (const Sweep& sweep : record_.contents().sweeps) {
    first_round = std::max(first_round, sweep.round + 1);
  }
  for (int round = first_round; round < most_rounds_; ++round) {
    const std::vector<Race::Position> positions = this->positions(time(round, until_s));
    const bool all_settled = std::all_of(positions.begin(), positions.end(),
                                         [](const auto& position) { return position.settled; });
    if (all_settled) return FinalsEnd::kDone;
    if (forks_.is_over(until_s - record_.now_s())) {
      workers_.measurer().abandon();
      forks_.next();
    }
    const double begin_s = record_.now_s();
    bool any = false;  // a shape that is too long for the time left may leave time for smaller ones
    for (std::size_t place = 0; place < shapes_.size(); ++place) {
      if (positions[place].settled) continue;
      const auto tell = [&](FinalsProgress at) {
        const auto done = static_cast<double>(place + 1) / static_cast<double>(shapes_.size());
        at.share = time(round + done, until_s);
        progress(at);
      };
      // Whoever is first in another worker waits for it.
      const double beginning_s = any ? 0.0 : forks_.next_round_cost_s();
      const FinalsEnd end = sweep(round, place, positions[place], until_s - beginning_s, tell);
      if (end == FinalsEnd::kStopped || StopSignal::requested()) return FinalsEnd::kStopped;
      any = any || end == FinalsEnd::kDone;
    }
    if (!any) return FinalsEnd::kTime;
    forks_.round(record_.now_s() - begin_s);
  }
  return FinalsEnd::kDone;
}

}  // namespace

FinalsEnd run_finals(Workers& workers, TuningRecord& record, const MeasureOptions& options,
                     double until_s, int rounds,
                     const std::function<void(const FinalsProgress&)>& progress) {
  return Finals(workers, record, options, rounds).run(until_s, progress);
}

double predicted_finals_s(const Lineup& lineup, const std::vector<Outcome>& outcomes,
                          const std::vector<GemmShape>& shapes, const MeasureOptions& options,
                          int rounds) {
  const Expectations expectations(lineup, outcomes);
  double seconds = kFirstLoad_s * static_cast<double>(lineup.finalists.size());
  for (const GemmShape& shape : shapes) {
    std::vector<std::size_t> runs = Race(lineup, shape).after({}, {}).runs;
    std::map<std::size_t, double> known;
    for (const std::size_t finalist : runs) {
      if (const auto ns = expectations.ns(finalist, shape, {})) known[finalist] = *ns;
    }
    seconds += predicted_s(runs, known, lineup.reference, true, options) +
               (rounds - 1) * predicted_s(runs, known, lineup.reference, false, options);
  }
  return seconds;
}

}  // namespace tilewright

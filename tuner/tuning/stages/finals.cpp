#include "tuner/tuning/stages/finals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/journal/records/slow_down.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/blocks.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// Factor for the time of a sample: warm-up and enqueueing.
constexpr double kOverhead = 1.3;
// Estimated time to load one kernel in seconds. Used only to size the line-up.
constexpr double kLoad_s = 0.1;

// Expected time of one launch of each finalist on a shape: its latest time on this shape, or else a
// time computed from its rate on the nearest shape of the search.
class Expectations {
 public:
  Expectations(const Lineup& lineup, const std::vector<Outcome>& outcomes) : lineup_(lineup) {
    for (const Outcome& outcome : outcomes) {
      if (outcome.result == OutcomeClass::kOk) by_kernel_[outcome.kernel] = &outcome;
    }
  }

  // Returns nullopt if unknown.
  std::optional<double> ns(std::size_t finalist, const GemmShape& shape,
                           const std::vector<Round>& rounds) const {
    for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
      const auto found = round->ns.find(finalist);
      if (round->shape == shape && found != round->ns.end()) return found->second;
    }
    const auto outcome = by_kernel_.find(lineup_.finalists[finalist]);
    if (outcome == by_kernel_.end() || outcome->second->shapes.empty()) return std::nullopt;
    // The rate on a large shape is a better prediction for large shapes, and that on a small one
    // for small shapes.
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
  std::map<KernelId, const Outcome*> by_kernel_;
};

// Adds the outcome of a finalist to a round.
void add_outcome(const Outcome& outcome, std::size_t finalist, Round& round) {
  if (outcome.result == OutcomeClass::kOk) {
    const ShapeSamples& samples = outcome.shapes.at(0);
    round.ns[finalist] = samples.ns.at(0);
    if (!samples.clocks_hz.empty()) round.clocks_hz[finalist] = samples.clocks_hz[0];
    if (!samples.rejected_ns.empty()) round.rejected_ns[finalist] = samples.rejected_ns;
  } else if (auto failure = failure_of_finalist(outcome)) {
    round.failures[finalist] = *std::move(failure);
  }
}

// Returns the predicted duration of a round in seconds. In the first round of a block, kernels are
// loaded and warmed up.
double predicted_s(const std::vector<double>& expected_ns, bool first,
                   const MeasureOptions& options) {
  double ns = 0.0;
  for (const double one_ns : expected_ns) ns += std::max(one_ns, options.sample_ns);
  return (first ? 2.0 : 1.0) * kOverhead * ns / 1e9;
}

std::vector<GemmShape> final_shapes(const TuningJournal& record) {
  std::vector<GemmShape> shapes = record.contents().header.shapes;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

class Finals {
 public:
  Finals(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& options, int rounds,
         double until_s, const std::function<void(const FinalsProgress&)>& progress);

  FinalsEnd run();

 private:
  // These return kDone if something was measured. After a shape that would take too long, there may
  // still be time for smaller ones.
  FinalsEnd block(const std::vector<NextBlock>& of_shapes);
  FinalsEnd round(const std::vector<NextBlock>& of_shapes, bool first);
  FinalsEnd measure(std::size_t place, const std::vector<std::size_t>& runs, bool first);
  // Returns the part of the finals' time that is over, 0 to 1, by the clock or by the number of
  // rounds, whichever is larger.
  double share(double rounds) const;
  std::vector<NextBlock> next_blocks() const;

  DeviceWorker& worker_;
  TuningJournal& journal_;
  MeasureOptions options_;
  int max_rounds_;
  double until_s_;
  const std::function<void(const FinalsProgress&)>& progress_;
  Lineup lineup_;
  std::vector<GemmShape> shapes_;  // smallest product first
  AuxiliaryCost auxiliary_;
  Expectations expectations_;
  int block_ = 0;
  int round_ = 0;
  // Time to load one kernel, including its share of starting a process, as measured in the last
  // block.
  double load_s_ = 0.0;
  bool worker_lost_ = false;  // in the last round; this ends the block
  double to_load_s_ = 0.0;    // loading time that the first measurement of a block must include
};

Finals::Finals(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& options,
               int rounds, double until_s,
               const std::function<void(const FinalsProgress&)>& progress)
    : worker_(worker),
      journal_(record),
      options_(options),
      max_rounds_(rounds),
      until_s_(until_s),
      progress_(progress),
      lineup_(*record.contents().lineup),
      shapes_(final_shapes(record)),
      auxiliary_(make_auxiliary_cost(record.contents())),
      expectations_(lineup_, record.contents().outcomes) {
  for (const Round& round : record.contents().rounds) {
    block_ = std::max(block_, round.block + 1);
    round_ = std::max(round_, round.round + 1);
  }
}

FinalsEnd Finals::measure(std::size_t place, const std::vector<std::size_t>& runs, bool first) {
  const JournalContents& contents = journal_.contents();
  const GemmShape& shape = shapes_[place];
  MeasureRequest request;
  request.shapes = {shape};
  request.verify = false;
  request.one_process = true;
  request.options = options_;
  request.options.samples = 1;
  std::vector<std::size_t> running;
  std::vector<double> expected_ns;
  request.is_new = std::none_of(contents.rounds.begin(), contents.rounds.end(),
                                [&](const Round& round) { return round.shape == shape; });
  for (const std::size_t finalist : runs) {
    if (contents.finalist_failures.count(finalist) > 0) continue;
    expected_ns.push_back(expectations_.ns(finalist, shape, contents.rounds).value_or(0.0));
    request.kernels.push_back({lineup_.finalists[finalist], "", expected_ns.back()});
    running.push_back(finalist);
  }
  const double seconds = predicted_s(expected_ns, first, options_);
  if (journal_.now_s() + to_load_s_ + seconds > until_s_) return FinalsEnd::kTime;
  to_load_s_ = 0.0;
  const auto reply = worker_.measure(request);
  if (std::holds_alternative<Stopped>(reply)) return FinalsEnd::kStopped;
  if (std::holds_alternative<OutOfTime>(reply)) return FinalsEnd::kTime;
  Round round{block_, round_, shape, {}};
  for (const auto& [kernel, outcome] : std::get<Outcomes>(reply)) {
    add_outcome(outcome, running.at(kernel), round);
  }
  worker_lost_ = worker_.lost_process();
  // Samples of a second worker process do not belong to this block.
  if (worker_lost_) round.ns.clear();
  journal_.append(std::move(round));
  const double done = static_cast<double>(place + 1) / static_cast<double>(shapes_.size());
  progress_({round_, shape, running.size(), share(round_ + done)});
  return FinalsEnd::kDone;
}

double Finals::share(double rounds) const {
  const double start_s = journal_.contents().lineup_at_s;
  const double over_s = journal_.now_s() - start_s;
  const double all_s = until_s_ - start_s;
  return std::min(1.0, std::max(over_s < all_s ? over_s / all_s : 1.0, rounds / max_rounds_));
}

std::vector<NextBlock> Finals::next_blocks() const {
  const JournalContents& contents = journal_.contents();
  std::vector<NextBlock> next;
  for (const GemmShape& shape : shapes_) {
    next.push_back(
        next_block(lineup_, contents.rounds, shape, auxiliary_, contents.finalist_failures));
  }
  return next;
}

FinalsEnd Finals::round(const std::vector<NextBlock>& of_shapes, bool first) {
  FinalsEnd end = FinalsEnd::kTime;
  for (std::size_t place = 0; place < shapes_.size(); ++place) {
    if (of_shapes[place].settled) continue;
    const FinalsEnd of_shape = measure(place, of_shapes[place].runs, first);
    if (of_shape == FinalsEnd::kStopped || StopSignal::requested()) return FinalsEnd::kStopped;
    if (of_shape == FinalsEnd::kDone) end = FinalsEnd::kDone;
    if (worker_lost_) break;
  }
  return end;
}

FinalsEnd Finals::block(const std::vector<NextBlock>& of_shapes) {
  worker_.abandon();  // each block has its own process
  std::set<std::size_t> loaded;
  for (const NextBlock& next : of_shapes) loaded.insert(next.runs.begin(), next.runs.end());
  to_load_s_ = load_s_ * static_cast<double>(loaded.size());
  double first_s = 0.0;
  FinalsEnd end = FinalsEnd::kTime;
  for (int i = 0; i < kRoundsOfBlock && round_ < max_rounds_; ++i) {
    const double start_s = journal_.now_s();
    const FinalsEnd of_round = round(of_shapes, i == 0);
    if (of_round == FinalsEnd::kStopped) return of_round;
    if (of_round == FinalsEnd::kTime) break;
    end = FinalsEnd::kDone;
    ++round_;
    if (std::exchange(worker_lost_, false)) break;
    const double took_s = journal_.now_s() - start_s;
    if (i == 0) first_s = took_s;
    if (i == 1) load_s_ = std::max(0.0, first_s - took_s) / static_cast<double>(loaded.size());
  }
  ++block_;
  return end;
}

FinalsEnd Finals::run() {
  while (round_ < max_rounds_) {
    const std::vector<NextBlock> next = next_blocks();
    const bool all_settled =
        std::all_of(next.begin(), next.end(), [](const NextBlock& each) { return each.settled; });
    if (all_settled) return FinalsEnd::kDone;
    const FinalsEnd end = block(next);
    if (end != FinalsEnd::kDone) return end;
  }
  return FinalsEnd::kDone;
}

}  // namespace

FinalsEnd run_finals(DeviceWorker& worker, TuningJournal& record, const MeasureOptions& options,
                     double until_s, int rounds,
                     const std::function<void(const FinalsProgress&)>& progress) {
  return Finals(worker, record, options, rounds, until_s, progress).run();
}

double predicted_finals_s(const Lineup& lineup, const std::vector<Outcome>& outcomes,
                          const std::vector<GemmShape>& shapes, const AuxiliaryCost& auxiliary,
                          const MeasureOptions& options, int rounds) {
  const Expectations expectations(lineup, outcomes);
  double seconds = kLoad_s * static_cast<double>(lineup.finalists.size());
  for (const GemmShape& shape : shapes) {
    const std::vector<std::size_t> runs = next_block(lineup, {}, shape, auxiliary).runs;
    std::vector<double> expected_ns;
    for (const std::size_t finalist : runs) {
      expected_ns.push_back(expectations.ns(finalist, shape, {}).value_or(0.0));
    }
    seconds += predicted_s(expected_ns, true, options) +
               (rounds - 1) * predicted_s(expected_ns, false, options);
  }
  return seconds;
}

}  // namespace tilewright

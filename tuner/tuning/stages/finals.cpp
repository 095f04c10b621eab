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
// Estimated time to load one kernel in seconds. Used only to limit the number of finalists.
constexpr double kLoad_s = 0.1;

// Expected times of launches: the latest time of a finalist on the shape, or else a time computed
// from its rate on the nearest shape of the search.
class Expectations {
 public:
  explicit Expectations(const JournalContents& contents) {
    for (const Outcome& outcome : contents.outcomes) {
      if (outcome.result == OutcomeClass::kOk) by_kernel_[outcome.kernel] = outcome.shapes;
    }
    learn(contents.finals);
  }

  // Learns from outcomes of the finals.
  void learn(const Outcomes& finals) {
    for (const Outcome& outcome : finals) {
      for (const ShapeSamples& samples : outcome.shapes) {
        latest_ns_[{outcome.kernel, to_text(samples.shape)}] = samples.ns.front();
      }
    }
  }

  // Returns 0 if unknown.
  double ns(const KernelId& kernel, const GemmShape& shape) const {
    const auto latest = latest_ns_.find({kernel, to_text(shape)});
    if (latest != latest_ns_.end()) return latest->second;
    const auto searched = by_kernel_.find(kernel);
    if (searched == by_kernel_.end() || searched->second.empty()) return 0.0;
    // The rate on a large shape is a better prediction for large shapes, and that on a small one
    // for small shapes.
    const auto& known = searched->second;
    const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
      return distance(a.shape, shape) < distance(b.shape, shape);
    });
    if (nearest->ns.empty()) return 0.0;
    return median_ns(*nearest) * flops(shape) / flops(nearest->shape);
  }
  std::vector<double> ns(const std::vector<KernelId>& kernels, const GemmShape& shape) const {
    std::vector<double> all;
    for (const KernelId& kernel : kernels) all.push_back(ns(kernel, shape));
    return all;
  }

 private:
  static double distance(const GemmShape& a, const GemmShape& b) {
    return std::abs(std::log(flops(a) / flops(b)));
  }
  std::map<KernelId, std::vector<ShapeSamples>> by_kernel_;
  std::map<std::pair<KernelId, std::string>, double> latest_ns_;
};

// Returns the predicted duration of a round in seconds. In the first round of a block, kernels are
// loaded and warmed up.
double predicted_s(const std::vector<double>& expected_ns, bool first,
                   const MeasureOptions& options) {
  double ns = 0.0;
  for (const double one_ns : expected_ns) ns += std::max(one_ns, options.sample_ns);
  return (first ? 2.0 : 1.0) * kOverhead * ns / 1e9;
}

std::vector<GemmShape> final_shapes(const TuningJournal& journal) {
  std::vector<GemmShape> shapes = journal.contents().header.shapes;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

class Finals {
 public:
  Finals(TuneContext& context, int rounds, double until_s);

  FinalsEnd run();

 private:
  // These return kDone if something was measured. After a shape that would take too long, there may
  // still be time for smaller ones.
  FinalsEnd block(const std::vector<NextBlock>& of_shapes);
  FinalsEnd round(const std::vector<NextBlock>& of_shapes, bool first);
  FinalsEnd measure(std::size_t place, std::vector<KernelId> runs, bool first);
  // Returns the part of the finals' time that is over, 0 to 1, by the clock or by the number of
  // rounds, whichever is larger.
  double share(double rounds) const;
  std::vector<NextBlock> next_blocks() const;

  TuneContext& context_;
  int max_rounds_;
  double until_s_;
  std::vector<GemmShape> shapes_;  // smallest product first
  AuxiliaryCost auxiliary_;
  Expectations expectations_;
  int process_ = 0;  // each block has its own
  int round_ = 0;
  // Time to load one kernel, including its share of starting a process, as measured in the last
  // block.
  double load_s_ = 0.0;
  bool worker_lost_ = false;  // in the last round; this ends the block
  double to_load_s_ = 0.0;    // loading time that the first measurement of a block must include
};

Finals::Finals(TuneContext& context, int rounds, double until_s)
    : context_(context),
      max_rounds_(rounds),
      until_s_(until_s),
      shapes_(final_shapes(context.journal)),
      auxiliary_(make_auxiliary_cost(context.journal.contents())),
      expectations_(context.journal.contents()) {
  for (const Outcome& outcome : context.journal.contents().finals) {
    process_ = std::max(process_, outcome.process + 1);
    round_ = std::max(round_, outcome.round + 1);
  }
}

FinalsEnd Finals::measure(std::size_t place, std::vector<KernelId> runs, bool first) {
  const JournalContents& contents = context_.journal.contents();
  const FinalFailures failures = failed_finalists(contents);
  std::erase_if(runs, [&](const KernelId& kernel) { return failures.contains(kernel); });
  MeasureRequest request;
  request.task = kFinals;
  request.process = process_;
  request.round = round_;
  request.kernels = std::move(runs);
  request.shapes = {shapes_[place]};
  request.verify = false;
  request.one_process = true;
  request.options = context_.measure;
  request.options.samples = 1;
  request.is_new = std::ranges::none_of(contents.finals, [&](const Outcome& outcome) {
    return samples_on(outcome, shapes_[place]) != nullptr;
  });
  request.expected_ns = expectations_.ns(request.kernels, shapes_[place]);
  const double seconds = predicted_s(request.expected_ns, first, context_.measure);
  if (context_.journal.now_s() + to_load_s_ + seconds > until_s_) return FinalsEnd::kTime;
  to_load_s_ = 0.0;
  const auto measured = tilewright::measure(context_, request);
  if (std::holds_alternative<Stopped>(measured)) return FinalsEnd::kStopped;
  if (std::holds_alternative<OutOfTime>(measured)) return FinalsEnd::kTime;
  // Samples of a second worker process do not belong to this block.
  worker_lost_ = context_.worker.lost_process();
  if (!worker_lost_) expectations_.learn(std::get<Outcomes>(measured));
  const double done = static_cast<double>(place + 1) / static_cast<double>(shapes_.size());
  context_.progress.finals({round_, shapes_[place], request.kernels.size(), share(round_ + done)},
                           until_s_ - context_.journal.now_s());
  return FinalsEnd::kDone;
}

double Finals::share(double rounds) const {
  const double start_s = context_.journal.contents().finals_at_s;
  const double over_s = context_.journal.now_s() - start_s;
  const double all_s = until_s_ - start_s;
  return std::min(1.0, std::max(over_s < all_s ? over_s / all_s : 1.0, rounds / max_rounds_));
}

std::vector<NextBlock> Finals::next_blocks() const {
  const JournalContents& contents = context_.journal.contents();
  const FinalFailures failures = failed_finalists(contents);
  std::vector<NextBlock> next;
  for (const GemmShape& shape : shapes_) {
    next.push_back(next_block(*contents.finalists, contents.finals, contents.header.ops, shape,
                              auxiliary_, failures));
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
  context_.worker.abandon();  // each block has its own process
  std::set<KernelId> loaded;
  for (const NextBlock& next : of_shapes) loaded.insert(next.runs.begin(), next.runs.end());
  to_load_s_ = load_s_ * static_cast<double>(loaded.size());
  double first_s = 0.0;
  FinalsEnd end = FinalsEnd::kTime;
  for (int i = 0; i < kRoundsOfBlock && round_ < max_rounds_; ++i) {
    const double start_s = context_.journal.now_s();
    const FinalsEnd of_round = round(of_shapes, i == 0);
    if (of_round == FinalsEnd::kStopped) return of_round;
    if (of_round == FinalsEnd::kTime) break;
    end = FinalsEnd::kDone;
    ++round_;
    if (std::exchange(worker_lost_, false)) break;
    const double took_s = context_.journal.now_s() - start_s;
    if (i == 0) first_s = took_s;
    if (i == 1) load_s_ = std::max(0.0, first_s - took_s) / static_cast<double>(loaded.size());
  }
  ++process_;
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

FinalsEnd run_finals(TuneContext& context, double until_s, int rounds) {
  return Finals(context, rounds, until_s).run();
}

double predicted_finals_s(const Finalists& finalists, const JournalContents& contents,
                          const AuxiliaryCost& auxiliary, const MeasureOptions& options,
                          int rounds) {
  const Expectations expectations(contents);
  double seconds = kLoad_s * static_cast<double>(finalists.kernels.size());
  for (const GemmShape& shape : contents.header.shapes) {
    const NextBlock all = next_block(finalists, {}, contents.header.ops, shape, auxiliary);
    const std::vector<double> expected_ns = expectations.ns(all.runs, shape);
    seconds += predicted_s(expected_ns, true, options) +
               (rounds - 1) * predicted_s(expected_ns, false, options);
  }
  return seconds;
}

}  // namespace tilewright

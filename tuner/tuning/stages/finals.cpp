#include "tuner/tuning/stages/finals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/journal/records/shapes.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/select/blocks.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/decide.hpp"
#include "tuner/tuning/stages/auxiliary_stage.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

std::vector<GemmShape> final_shapes(const TuningJournal& journal) {
  std::vector<GemmShape> shapes = journal.contents().header.shapes;
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  return shapes;
}

// How a block, a round, or the finalists on one shape ended: something was measured, there was no
// time for it, or a stop was requested.
enum class RoundEnd { kMeasured, kNoTime, kStopped };

class Finals {
 public:
  Finals(TuneContext& context, int rounds, double until_s);

  bool run();

 private:
  RoundEnd block(const std::vector<NextBlock>& of_shapes);
  RoundEnd round(const std::vector<NextBlock>& of_shapes, bool first);
  RoundEnd on_shape(std::size_t place, std::vector<KernelId> runs, bool first);
  // Returns the part of the finals' time that is over, 0 to 1, by the clock or by the number of
  // rounds, whichever is larger.
  double share(double rounds) const;
  std::vector<NextBlock> next_blocks() const;

  TuneContext& context_;
  int max_rounds_;
  double until_s_;
  std::vector<GemmShape> shapes_;  // smallest product first
  AuxiliaryCost auxiliary_;
  ExpectedTimes times_;
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
      times_(context.journal.contents()) {
  for (const Outcome& outcome : context.journal.contents().finals.outcomes) {
    process_ = std::max(process_, outcome.process + 1);
    round_ = std::max(round_, outcome.round + 1);
  }
}

RoundEnd Finals::on_shape(std::size_t place, std::vector<KernelId> runs, bool first) {
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
  request.options = context_.options.measure;
  request.options.samples = 1;
  request.is_new = std::ranges::none_of(contents.finals.outcomes, [&](const Outcome& outcome) {
    return samples_on(outcome, shapes_[place]) != nullptr;
  });
  request.expected_ns = times_.predict_ns(request.kernels, shapes_[place]);
  const double seconds = predicted_round_s(request.expected_ns, first, context_.options.measure);
  if (context_.journal.now_s() + to_load_s_ + seconds > until_s_) return RoundEnd::kNoTime;
  to_load_s_ = 0.0;
  const auto measured = measure(context_, request);
  if (std::holds_alternative<Stopped>(measured)) return RoundEnd::kStopped;
  if (std::holds_alternative<OutOfTime>(measured)) return RoundEnd::kNoTime;
  // Samples of a second worker process do not belong to this block.
  worker_lost_ = context_.worker.lost_process();
  if (!worker_lost_) times_.learn(std::get<Outcomes>(measured));
  const double done = static_cast<double>(place + 1) / static_cast<double>(shapes_.size());
  context_.progress.finals({round_, shapes_[place], request.kernels.size(), share(round_ + done)},
                           until_s_ - context_.journal.now_s());
  return RoundEnd::kMeasured;
}

double Finals::share(double rounds) const {
  const double start_s = context_.journal.contents().finals.at_s;
  const double over_s = context_.journal.now_s() - start_s;
  const double all_s = until_s_ - start_s;
  return std::min(1.0, std::max(over_s < all_s ? over_s / all_s : 1.0, rounds / max_rounds_));
}

std::vector<NextBlock> Finals::next_blocks() const {
  const JournalContents& contents = context_.journal.contents();
  const FinalFailures failures = failed_finalists(contents);
  std::vector<NextBlock> next;
  for (const GemmShape& shape : shapes_) {
    next.push_back(next_block(contents.finals, contents.header.ops, shape, auxiliary_, failures));
  }
  return next;
}

// After a shape that would take too long, there may still be time for smaller ones.
RoundEnd Finals::round(const std::vector<NextBlock>& of_shapes, bool first) {
  RoundEnd end = RoundEnd::kNoTime;
  for (std::size_t place = 0; place < shapes_.size(); ++place) {
    if (of_shapes[place].settled) continue;
    const RoundEnd of_shape = on_shape(place, of_shapes[place].runs, first);
    if (of_shape == RoundEnd::kStopped || StopSignal::requested()) return RoundEnd::kStopped;
    if (of_shape == RoundEnd::kMeasured) end = of_shape;
    if (worker_lost_) break;
  }
  return end;
}

RoundEnd Finals::block(const std::vector<NextBlock>& of_shapes) {
  context_.worker.abandon();  // each block has its own process
  std::set<KernelId> loaded;
  for (const NextBlock& next : of_shapes) loaded.insert(next.runs.begin(), next.runs.end());
  to_load_s_ = load_s_ * static_cast<double>(loaded.size());
  double first_s = 0.0;
  RoundEnd end = RoundEnd::kNoTime;
  for (int i = 0; i < kRoundsOfBlock && round_ < max_rounds_; ++i) {
    const double start_s = context_.journal.now_s();
    const RoundEnd of_round = round(of_shapes, i == 0);
    if (of_round == RoundEnd::kStopped) return of_round;
    if (of_round == RoundEnd::kNoTime) break;
    end = of_round;
    ++round_;
    if (std::exchange(worker_lost_, false)) break;
    const double took_s = context_.journal.now_s() - start_s;
    if (i == 0) first_s = took_s;
    if (i == 1) load_s_ = std::max(0.0, first_s - took_s) / static_cast<double>(loaded.size());
  }
  ++process_;
  return end;
}

// Returns false if a stop was requested.
bool Finals::run() {
  while (round_ < max_rounds_) {
    const std::vector<NextBlock> next = next_blocks();
    const bool all_settled =
        std::all_of(next.begin(), next.end(), [](const NextBlock& each) { return each.settled; });
    if (all_settled) break;
    const RoundEnd end = block(next);
    if (end != RoundEnd::kMeasured) return end != RoundEnd::kStopped;
  }
  return true;
}

}  // namespace

bool run_finals(TuneContext& context, double until_s, int rounds) {
  return Finals(context, rounds, until_s).run();
}

bool hold_finals(TuneContext& context, double until_s, double end_s) {
  const JournalContents& contents = context.journal.contents();
  const TuneOptions& options = context.options;
  context.progress.stage("choosing finalists and their pack kernels");
  bool continues = true;
  if (needs_finalists(contents)) {
    const FinalCandidates candidates = final_candidates(contents, options);
    Auxiliaries found;  // they are also recorded in the journal
    continues = tune_auxiliaries(context, required_auxiliaries(candidates, contents, options),
                                 auxiliaries_s(options.budget_s), until_s, found);
    if (continues) {
      const double now_s = context.journal.now_s();
      until_s = std::max(until_s, finals_end_s(options, end_s, now_s));
      auto finalists = decide_finalists(candidates, contents, options, until_s - now_s);
      // Deciding takes long itself. Finalists without time for a round would replace earlier
      // finals.
      if (finalists && (contents.finals.outcomes.empty() || context.journal.now_s() < until_s)) {
        context.journal.append(*std::move(finalists));
      }
    }
  }
  continues =
      continues && run_finals(context, until_s, options.rounds > 0 ? options.rounds : kMaxRounds);
  context.journal.append_time_spent(kOnFinals);
  return continues;
}

}  // namespace tilewright

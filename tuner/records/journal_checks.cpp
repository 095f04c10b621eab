#include "tuner/records/journal_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "codelets/point/parameter_point.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr int kMostRoundsOrForks = 1'000'000;  // of a final: far more than any has

// The codelet of a point; errors say what the point is.
Codelet codelet_of(const std::string& point, const char* what) {
  if (point.empty()) throw JsonError(fmt::format("{} has no point", what));
  try {
    return tilewright::codelet_of(parse_point(point));
  } catch (const std::exception& error) {
    throw JsonError(fmt::format("{} '{}' is no point: {}", what, point, error.what()));
  }
}

void check_index(std::size_t index, std::size_t count, const char* what) {
  if (index < count) return;
  throw JsonError(fmt::format("{} is {}, counted from 0, of {}", what, index, count));
}

void check_times(const std::vector<double>& times_ns, const char* what) {
  for (const double ns : times_ns) {
    if (!(ns > 0.0 && std::isfinite(ns))) {
      throw JsonError(fmt::format("{} takes {} ns", what, ns));
    }
  }
}

void check(const ShapeSamples& samples) {
  check_times(samples.ns, "a sample");
  check_times(samples.reference_ns, "a sample of the reference");
  check_times(samples.rejected_ns, "a rejected sample");
  if (samples.ns.empty()) {
    throw JsonError(fmt::format("no samples (ns) on shape {}", to_text(samples.shape)));
  }
  if (!samples.reference_ns.empty() && samples.reference_ns.size() != samples.ns.size()) {
    throw JsonError(fmt::format("{} times of the reference beside {} samples",
                                samples.reference_ns.size(), samples.ns.size()));
  }
}

bool is_auxiliary(Codelet codelet) {
  return codelet != Codelet::kGemm && codelet != Codelet::kGemv;
}

Codelet codelet_for(Finalist::Job job, Codelet finalist) {
  if (job == Finalist::Job::kProduct) return is_auxiliary(finalist) ? Codelet::kGemm : finalist;
  return job == Finalist::Job::kReduce ? Codelet::kReduce : Codelet::kPack;
}

void check(const Finalist& finalist) {
  const Codelet codelet = codelet_of(finalist.point, "the finalist");
  if (codelet != codelet_for(finalist.job, codelet)) {
    throw JsonError(fmt::format("the finalist '{}' is not for its job", finalist.point));
  }
  if (finalist.job == Finalist::Job::kProduct) return;
  if (is_auxiliary(codelet_of(finalist.packs_for, "what a finalist packs for,"))) {
    throw JsonError(fmt::format("'{}' reads nothing that is packed", finalist.packs_for));
  }
}

// When a line was written.
void check_at(double at_s) {
  if (!(at_s >= 0.0)) throw JsonError(fmt::format("at_s is {}: before the tuning began", at_s));
}

// What it says to be starting or idle.
void check_at_work(const std::string& point) {
  if (point != kMicroBenchmarks) codelet_of(point, "the candidate");
}

void check(const Outcome& outcome) {
  codelet_of(outcome.point, "the candidate");
  if (!outcome.reference.empty()) codelet_of(outcome.reference, "the reference");
  check_at(outcome.at_s);
  for (const ShapeSamples& samples : outcome.shapes) check(samples);
}

void check(const PackOutcome& pack) {
  const Codelet wanted = codelet_of(pack.demand, "the demand");
  if (!is_auxiliary(wanted)) {
    throw JsonError(
        fmt::format("'{}' is no point of pack, reduce, activation or softmax", pack.demand));
  }
  if (pack.reply.point.empty()) return;
  if (codelet_of(pack.reply.point, "the pack kernel") != wanted) {
    throw JsonError(fmt::format("'{}' is no answer to '{}'", pack.reply.point, pack.demand));
  }
}

void check(const Lineup& lineup) {
  const std::size_t finalists = lineup.finalists.size();
  for (const Finalist& finalist : lineup.finalists) check(finalist);
  for (const Way& way : lineup.ways) {
    check_index(way.product, finalists, "the product of a way");
    if (way.pack_a) check_index(*way.pack_a, finalists, "the pack of A of a way");
    if (way.pack_b) check_index(*way.pack_b, finalists, "the pack of B of a way");
    if (way.large_pack_a)
      check_index(*way.large_pack_a, finalists, "the pack of a large A of a way");
    if (way.large_pack_b)
      check_index(*way.large_pack_b, finalists, "the pack of a large B of a way");
    if (way.reduce) check_index(*way.reduce, finalists, "the reduction of a way");
  }
  if (finalists > 0) check_index(lineup.reference, finalists, "the reference of a line-up");
  for (const std::size_t baseline : lineup.baselines) {
    check_index(baseline, lineup.ways.size(), "a baseline of a line-up");
  }
}

// Finalists of the sweep and of its failures are those of the line-up.
void check(const SweepReply& reply, const Lineup& lineup) {
  const Sweep& sweep = reply.sweep;
  const std::size_t finalists = lineup.finalists.size();
  for (const auto& [finalist, ns] : sweep.ns) {
    check_index(finalist, finalists, "a finalist of a sweep");
    check_times({ns}, "a sample of a sweep");
  }
  const auto is_count = [](int number) { return number >= 0 && number < kMostRoundsOrForks; };
  if (!is_count(sweep.round) || !is_count(sweep.fork)) {
    throw JsonError(fmt::format("a sweep of round {} and fork {}", sweep.round, sweep.fork));
  }
  for (const double ns : {sweep.reference_before_ns, sweep.reference_after_ns}) {
    if (!(ns >= 0.0 && std::isfinite(ns))) {
      throw JsonError(fmt::format("the reference of a sweep takes {} ns", ns));
    }
  }
  for (const auto& [finalist, reason] : reply.failures)
    check_index(finalist, finalists, "a finalist that failed");
}

}  // namespace

void check(const JournalLine& line, const JournalContents& before) {
  check_at(line.at_s);
  const auto* const what = &line.what;
  if (const auto* starting = std::get_if<Starting>(what)) check_at_work(starting->point);
  if (const auto* idle = std::get_if<Idle>(what)) check_at_work(idle->point);
  if (const auto* outcome = std::get_if<Outcome>(what)) check(*outcome);
  if (const auto* pack = std::get_if<PackOutcome>(what)) check(*pack);
  if (const auto* lineup = std::get_if<Lineup>(what)) check(*lineup);
  if (const auto* reply = std::get_if<SweepReply>(what)) {
    if (!before.lineup) throw JsonError("a sweep without a line-up before it");
    check(*reply, *before.lineup);
  }
}

}  // namespace tilewright

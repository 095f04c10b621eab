#include "tuner/records/journal_checks.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "codelets/point/parameter_point.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr int kMostRoundsOrHeats = 1'000'000;  // of a final: far more than any has

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

bool is_mover(Codelet codelet) {
  return codelet != Codelet::kGemm && codelet != Codelet::kGemv;
}

Codelet codelet_for(Racer::Job job, Codelet racer) {
  if (job == Racer::Job::kProduct) return is_mover(racer) ? Codelet::kGemm : racer;
  return job == Racer::Job::kReduce ? Codelet::kReduce : Codelet::kPack;
}

void check(const Racer& racer) {
  const Codelet codelet = codelet_of(racer.point, "the racer");
  if (codelet != codelet_for(racer.job, codelet)) {
    throw JsonError(fmt::format("the racer '{}' is not for its job", racer.point));
  }
  if (racer.job == Racer::Job::kProduct) return;
  if (is_mover(codelet_of(racer.packs_for, "what a racer packs for,"))) {
    throw JsonError(fmt::format("'{}' reads nothing that is packed", racer.packs_for));
  }
}

}  // namespace

void check_at(double at_s) {
  if (!(at_s >= 0.0)) throw JsonError(fmt::format("at_s is {}: before the tuning began", at_s));
}

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
  if (!is_mover(wanted)) {
    throw JsonError(
        fmt::format("'{}' is no point of pack, reduce, activation or softmax", pack.demand));
  }
  if (pack.reply.point.empty()) return;
  if (codelet_of(pack.reply.point, "the pack kernel") != wanted) {
    throw JsonError(fmt::format("'{}' is no answer to '{}'", pack.reply.point, pack.demand));
  }
}

void check(const Lineup& lineup) {
  const std::size_t racers = lineup.racers.size();
  for (const Racer& racer : lineup.racers) check(racer);
  for (const Way& way : lineup.ways) {
    check_index(way.product, racers, "the product of a way");
    if (way.pack_a) check_index(*way.pack_a, racers, "the pack of A of a way");
    if (way.pack_b) check_index(*way.pack_b, racers, "the pack of B of a way");
    if (way.large_pack_a) check_index(*way.large_pack_a, racers, "the pack of a large A of a way");
    if (way.large_pack_b) check_index(*way.large_pack_b, racers, "the pack of a large B of a way");
    if (way.reduce) check_index(*way.reduce, racers, "the reduction of a way");
  }
  if (racers > 0) check_index(lineup.reference, racers, "the reference of a line-up");
  for (const std::size_t incumbent : lineup.incumbents) {
    check_index(incumbent, lineup.ways.size(), "an incumbent of a line-up");
  }
}

void check(const Sweep& sweep, const std::map<std::size_t, std::string>& failures,
           const Lineup& lineup) {
  const std::size_t racers = lineup.racers.size();
  for (const auto& [racer, ns] : sweep.ns) {
    check_index(racer, racers, "a racer of a sweep");
    check_times({ns}, "a sample of a sweep");
  }
  const auto is_count = [](int number) { return number >= 0 && number < kMostRoundsOrHeats; };
  if (!is_count(sweep.round) || !is_count(sweep.heat)) {
    throw JsonError(fmt::format("a sweep of round {} and heat {}", sweep.round, sweep.heat));
  }
  for (const double ns : {sweep.reference_before_ns, sweep.reference_after_ns}) {
    if (!(ns >= 0.0 && std::isfinite(ns))) {
      throw JsonError(fmt::format("the reference of a sweep takes {} ns", ns));
    }
  }
  for (const auto& [racer, reason] : failures) check_index(racer, racers, "a racer that failed");
}

}  // namespace tilewright

#include "tuner/journal_checks.hpp"

#include <fmt/format.h>

#include <variant>

#include "codelets/parameter_point.hpp"
#include "tuner/shapes.hpp"
#include "tuner/tuning_json.hpp"

namespace tilewright {
namespace {

// A point of a codelet; errors say what it is.
bool is_pack_point(const std::string& point, const char* what) {
  try {
    return std::holds_alternative<PackPoint>(parse_point(point));
  } catch (const std::exception& error) {
    throw JsonError(fmt::format("{} '{}' is no point: {}", what, point, error.what()));
  }
}

void check_index(std::size_t index, std::size_t count, const char* what) {
  if (index < count) return;
  throw JsonError(fmt::format("{} is {}, counted from 0, of {}", what, index, count));
}

void check(const ShapeSamples& samples) {
  if (samples.ns.empty()) {
    throw JsonError(fmt::format("no samples (ns) on shape {}", to_text(samples.shape)));
  }
  if (!samples.reference_ns.empty() && samples.reference_ns.size() != samples.ns.size()) {
    throw JsonError(fmt::format("{} times of the reference beside {} samples",
                                samples.reference_ns.size(), samples.ns.size()));
  }
}

void check_pack(const std::string& point) {
  if (is_pack_point(point, "the pack kernel")) return;
  throw JsonError(fmt::format("'{}' is no point of pack", point));
}

void check(const Racer& racer) {
  const bool packs = racer.job != Racer::Job::kProduct;
  if (is_pack_point(racer.point, "the racer") != packs) {
    throw JsonError(fmt::format("the racer '{}' is not for its job", racer.point));
  }
  if (packs && is_pack_point(racer.packs_for, "what a racer packs for,")) {
    throw JsonError(fmt::format("'{}' reads nothing that is packed", racer.packs_for));
  }
}

}  // namespace

void check(const Outcome& outcome) {
  is_pack_point(outcome.point, "the candidate");
  if (!outcome.reference.empty()) is_pack_point(outcome.reference, "the reference");
  for (const ShapeSamples& samples : outcome.shapes) check(samples);
}

void check(const PackOutcome& pack) {
  check_pack(pack.demand);
  if (!pack.reply.point.empty()) check_pack(pack.reply.point);
}

void check(const Lineup& lineup) {
  const std::size_t racers = lineup.racers.size();
  for (const Racer& racer : lineup.racers) check(racer);
  for (const Way& way : lineup.ways) {
    check_index(way.product, racers, "the product of a way");
    if (way.pack_a) check_index(*way.pack_a, racers, "the pack of A of a way");
    if (way.pack_b) check_index(*way.pack_b, racers, "the pack of B of a way");
  }
  if (racers > 0) check_index(lineup.reference, racers, "the reference of a line-up");
  for (const std::size_t incumbent : lineup.incumbents) {
    check_index(incumbent, lineup.ways.size(), "an incumbent of a line-up");
  }
}

void check(const Sweep& sweep, const std::map<std::size_t, std::string>& failures,
           const Lineup& lineup) {
  const std::size_t racers = lineup.racers.size();
  for (const auto& [racer, ns] : sweep.ns) check_index(racer, racers, "a racer of a sweep");
  for (const auto& [racer, reason] : failures) check_index(racer, racers, "a racer that failed");
}

}  // namespace tilewright

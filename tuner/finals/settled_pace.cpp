#include "tuner/finals/settled_pace.hpp"

#include <map>
#include <string>
#include <tuple>

#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kEnough = 5;
constexpr double kLeftAlone = 0.1;  // quantile

auto key_of(const Outcome& outcome, const GemmShape& shape) {
  return std::tuple(outcome.reference, shape.m, shape.n, shape.k);
}

}  // namespace

std::vector<Outcome> with_settled_pace(std::vector<Outcome> outcomes) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>, std::vector<double>>
      seen;
  for (const Outcome& outcome : outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      if (samples.reference_ns.empty()) continue;
      seen[key_of(outcome, samples.shape)].push_back(quantile(samples.reference_ns, 0.5));
    }
  }
  for (Outcome& outcome : outcomes) {
    for (ShapeSamples& samples : outcome.shapes) {
      const auto found = seen.find(key_of(outcome, samples.shape));
      if (found == seen.end() || found->second.size() < kEnough) continue;
      samples.reference_known_ns = quantile(found->second, kLeftAlone);
    }
  }
  return outcomes;
}

}  // namespace tilewright

#include "tuner/select/energy_contenders.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/objective.hpp"
#include "tuner/journal/energy_rounds.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// A slower plan would have to draw this much less power to need less energy.
constexpr double kMaxSlowdown = 1.25;
constexpr std::size_t kMaxPlans = 4;  // per op and shape, without the one of the baseline

bool has_finals(const JournalContents& contents) {
  return contents.lineup && !contents.rounds.empty();
}

std::size_t index_of(const std::vector<GemmShape>& shapes, const GemmShape& shape) {
  return static_cast<std::size_t>(std::ranges::find(shapes, shape) - shapes.begin());
}

// Adds the finalists that may be best on a problem, the present winner, and `built_in`, which runs
// without the profile.
void add_contenders(const Standings& standings, std::size_t problem,
                    const std::optional<KernelId>& built_in, Contenders& contenders) {
  const TimesOfPlans& times = standings.times[problem];
  const auto add = [&](std::size_t plan) {
    contenders.emplace(standings.lineup.plans[plan].finalist, times[plan]->kernel_ns.value);
  };
  std::vector<std::size_t> plans;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (!times[plan]) continue;
    plans.push_back(plan);
    if (standings.kernel(plan) == built_in) add(plan);
  }
  std::ranges::stable_sort(plans, {}, [&](std::size_t plan) { return times[plan]->total_ns(); });
  for (std::size_t i = 0; i < std::min(kMaxPlans, plans.size()); ++i) {
    if (times[plans[i]]->total_ns() > kMaxSlowdown * times[plans[0]]->total_ns()) break;
    add(plans[i]);
  }
  if (const auto best = winner(standings, problem)) add(*best);
}

}  // namespace

EnergyContenders::EnergyContenders(const JournalContents& contents)
    : contents_(contents), by_shape_(contents.header.shapes.size()) {
  const Standings standings = tilewright::standings(contents);
  const Baseline baseline(contents.header);
  for (std::size_t i = 0; i < standings.problems.size(); ++i) {
    const auto& [op, shape, weight, predicted] = standings.problems[i];
    add_contenders(standings, i, baseline.first_that_works(contents.outcomes, op, shape),
                   by_shape_[index_of(contents.header.shapes, shape)]);
  }
}

const Contenders& EnergyContenders::on(const GemmShape& shape) const {
  return by_shape_[index_of(contents_.header.shapes, shape)];
}

Contenders EnergyContenders::missing(const GemmShape& shape, int round) const {
  const auto known = joules_on(contents_, shape);
  Contenders missing = on(shape);
  std::erase_if(missing, [&](const Contenders::value_type& contender) {
    const auto samples = known.find(contender.first);
    const bool has_sample =
        samples != known.end() && std::cmp_greater(samples->second.size(), round);
    return has_sample || contents_.finalist_failures.contains(contender.first);
  });
  return missing;
}

bool EnergyContenders::lack_samples(int round) const {
  return std::ranges::any_of(contents_.header.shapes, [&](const GemmShape& shape) {
    return !missing(shape, round).empty();
  });
}

bool lacks_energy(const JournalContents& contents) {
  if (contents.header.objective == Objective::kTime) return false;
  return !has_finals(contents) || EnergyContenders(contents).lack_samples(0);
}

std::size_t num_contenders(const JournalContents& contents) {
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  if (!has_finals(contents)) return kMaxPlans * contents.header.ops.size() * shapes.size();
  const EnergyContenders contenders(contents);
  std::size_t count = 0;
  for (const GemmShape& shape : shapes) count += contenders.on(shape).size();
  return count;
}

}  // namespace tilewright

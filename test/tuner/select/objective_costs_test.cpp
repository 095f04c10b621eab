// Tests of tunings whose finals are decided by energy.
#include "tuner/select/objective_costs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

// Three rounds of energy on a shape, with joules by finalist.
void add_energy(JournalContents& contents, const GemmShape& shape,
                const std::map<std::size_t, double>& joules) {
  for (int i = 0; i < 3; ++i) {
    contents.energy_rounds.push_back({.round = i, .shape = shape, .joules = joules});
  }
}

std::string winning_kernel(const JournalContents& contents, std::size_t problem) {
  const Standings all = standings(contents);
  return plan_kernel(all, winner(all, problem));
}

// On the small shape the wide kernel is 5 % slower than the tile, and needs 20 % less energy.
JournalContents metered_final(Objective objective) {
  JournalContents contents = make_final({{kTile, 800, 5000}, {kWide, 840, 6000}});
  contents.header.objective = objective;
  add_energy(contents, kSmall, {{0, 1.0}, {1, 0.8}});
  return contents;
}

TEST_CASE("the objective decides who wins") {
  CHECK(winning_kernel(metered_final(Objective::kTime), 0) == kTile);
  CHECK(winning_kernel(metered_final(Objective::kEnergy), 0) == kWide);
  // 1.05 x 0.8 = 0.84 times the energy-delay product.
  CHECK(winning_kernel(metered_final(Objective::kEnergyDelay), 0) == kWide);
  JournalContents slower = make_final({{kTile, 800, 5000}, {kWide, 1040, 6000}});
  slower.header.objective = Objective::kEnergyDelay;
  add_energy(slower, kSmall, {{0, 1.0}, {1, 0.8}});
  CHECK(winning_kernel(slower, 0) == kTile);
  slower.header.objective = Objective::kEnergy;
  CHECK(winning_kernel(slower, 0) == kWide);
}

TEST_CASE("costs are relative to the power of the fastest plan") {
  const Standings all = standings(metered_final(Objective::kEnergy));
  CHECK(all.times[0][0]->cost_ns() == Approx(800.0).epsilon(0.01));
  CHECK(all.times[0][1]->cost_ns() == Approx(640.0).epsilon(0.01));
  CHECK(all.times[0][1]->total_ns() == Approx(840.0).epsilon(0.01));
  CHECK(all.times[0][1]->samples_j == std::vector<double>{0.8, 0.8, 0.8});
}

TEST_CASE("where energy was not measured, kernels are weighed by their power elsewhere") {
  // On the large shape, the wide kernel is 20 % slower, and draws 0.8 / 1.05 = 0.76 of the power.
  JournalContents contents = metered_final(Objective::kEnergy);
  CHECK(winning_kernel(contents, 1) == kWide);
  CHECK(standings(contents).times[1][1]->cost_ns() == Approx(6000.0 * 0.762).epsilon(0.01));
  contents.energy_rounds.clear();
  CHECK(winning_kernel(contents, 0) == kTile);
  CHECK(winning_kernel(contents, 1) == kTile);
}

TEST_CASE("a plan that dropped out of the finals wins if it needs the least energy") {
  JournalContents contents = make_final({{kTile, 800, 5000}, {kWide, 840, 6000}});
  contents.header.objective = Objective::kEnergy;
  const int last = contents.rounds.back().block + 1;
  for (int i = 0; i < 3; ++i) {
    contents.rounds.push_back({.block = last, .round = i, .shape = kSmall, .ns = {{0, 800.0}}});
  }
  CHECK_FALSE(standings(contents).times[0][1]->survives);
  CHECK(winning_kernel(contents, 0) == kTile);
  add_energy(contents, kSmall, {{0, 1.0}, {1, 0.8}});
  CHECK(winning_kernel(contents, 0) == kWide);
}

TEST_CASE("the profile stores the energy, and the library ranks by it") {
  const JournalContents contents = metered_final(Objective::kEnergy);
  const std::vector<std::string> kernels = portfolio_kernels(contents, 0);
  CHECK(kernels == std::vector<std::string>{kWide});
  JournalContents both = metered_final(Objective::kEnergyDelay);
  both.header.energy_covers = {"CPU package-0", "memory"};
  both.header.energy_sample_s = 2.0;
  both.energy_rounds[1].joules[1] = 0.81;
  both.energy_rounds[2].joules[1] = 0.7;
  const Profile profile = make_profile(both, 0, "");
  CHECK(profile.provenance.objective == Objective::kEnergyDelay);
  CHECK(profile.provenance.energy_covers == "CPU package-0, memory");
  CHECK(profile.provenance.energy_statistic ==
        "smallest, median and largest of up to 3 samples, each at least 2 s of back-to-back "
        "launches, caches warm");
  const std::string wide = kernel_name(parse_point(kWide));
  const auto on_small =
      std::find_if(profile.results.begin(), profile.results.end(),
                   [&](const ShapeResult& r) { return r.kernel == wide && r.m == kSmall.m; });
  REQUIRE(on_small != profile.results.end());
  CHECK(on_small->low_joules == 0.7);
  CHECK(on_small->joules == 0.8);
  CHECK(on_small->high_joules == 0.81);
  CHECK(on_small->median_ns == Approx(840.0).epsilon(0.01));
  CHECK(parse_profile(write_profile(profile), "profile") == profile);
  const Profile by_time = make_profile(metered_final(Objective::kTime), 0, "");
  CHECK(by_time.provenance.objective == Objective::kTime);
}

TEST_CASE("a tuning that could not measure energy makes a profile by time") {
  JournalContents contents = metered_final(Objective::kEnergy);
  contents.energy_rounds.clear();
  const Profile profile = make_profile(contents, 0, "");
  CHECK(profile.provenance.objective == Objective::kTime);
  CHECK(profile.provenance.energy_statistic.empty());
}

}  // namespace
}  // namespace tilewright

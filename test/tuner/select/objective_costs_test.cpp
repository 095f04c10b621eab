// Tests of tunings whose finals are decided by energy.
#include "tuner/select/objective_costs.hpp"

#include <map>
#include <set>
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
  CHECK(all.times[0][1]->joules == 0.8);
}

TEST_CASE("where energy was not measured, time decides") {
  JournalContents contents = metered_final(Objective::kEnergy);
  CHECK(winning_kernel(contents, 1) == kTile);
  contents.energy_rounds.clear();
  CHECK(winning_kernel(contents, 0) == kTile);
}

TEST_CASE("the portfolio and the profile follow the objective, and results have joules") {
  const JournalContents contents = metered_final(Objective::kEnergy);
  const std::vector<std::string> kernels = portfolio_kernels(contents, 0);
  CHECK(std::set<std::string>(kernels.begin(), kernels.end()) ==
        std::set<std::string>{kTile, kWide});
  const Profile profile = make_profile(contents, 0, "");
  CHECK(profile.provenance.objective == "energy");
  const std::string wide = kernel_name(parse_point(kWide));
  const std::string tile = kernel_name(parse_point(kTile));
  bool has_tile_on_small = false;
  for (const ShapeResult& result : profile.results) {
    const bool is_small = result.m == kSmall.m;
    if (result.kernel == wide) CHECK(result.joules == (is_small ? 0.8 : 0.0));
    if (result.kernel == wide && is_small) CHECK(result.median_ns == Approx(840.0).epsilon(0.01));
    has_tile_on_small = has_tile_on_small || (is_small && result.kernel == tile);
  }
  // The library would run it there, because it is faster.
  CHECK_FALSE(has_tile_on_small);
  const Profile by_time = make_profile(metered_final(Objective::kTime), 0, "");
  CHECK(by_time.provenance.objective.empty());
  CHECK(parse_profile(write_profile(profile), "profile") == profile);
}

}  // namespace
}  // namespace tilewright

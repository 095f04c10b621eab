// Who leaves a race, and when is it over?
#include "tuner/finals/race.hpp"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "catch.hpp"
#include "tuner/finals/lineup.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kSmall{64, 64, 64};
constexpr GemmShape kLarge{512, 512, 512};

constexpr const char* kPacked = "op=TN tile_m=4";

// The simplest that pack for it.
Auxiliaries packs_of(const char* point) {
  Auxiliaries packs;
  for (const ParameterPoint& demand :
       demands_of({to_text(parse_point(point))}, Op::kNN, {kLarge})) {
    packs[demand] = to_text(demand);
  }
  return packs;
}

TEST_CASE("who is clearly behind leaves, with packs that nobody needs any more") {
  const Auxiliaries packs = packs_of(kPacked);
  LineupBuilder builder(packs);
  builder.add(to_text(parse_point("tile_m=4")), Op::kNN, {kLarge});  // finalist 0
  builder.add(to_text(parse_point(kPacked)), Op::kNN, {kLarge});     // finalists 1 and 2
  builder.add(to_text(parse_point("tile_m=8")), Op::kNN, {kLarge});  // finalist 3
  builder.set_reference(to_text(parse_point("tile_m=8")));
  const Lineup lineup = builder.take();
  REQUIRE(lineup.finalists.size() == 4);
  CHECK(Race(lineup, kLarge).after({}, {}).runs == std::vector<std::size_t>{0, 1, 2, 3});
  Sweep sweep;
  sweep.shape = kLarge;
  sweep.reference_before_ns = sweep.reference_after_ns = 150.0;
  sweep.ns = {{0, 100.0}, {1, 90.0}, {2, 50.0}, {3, 150.0}};
  // 90 + 50 is behind; the reference stays, though it is behind.
  CHECK(Race(lineup, kLarge).after({sweep, sweep, sweep}, {}).runs ==
        std::vector<std::size_t>{0, 3});
  sweep.ns[2] = 20.0;
  CHECK(Race(lineup, kLarge).after({sweep, sweep, sweep}, {}).runs ==
        std::vector<std::size_t>{0, 1, 2, 3});
  // What nobody needs since another one failed leaves with it.
  CHECK(Race(lineup, kLarge).after({sweep}, {{1, "hang"}}).runs == std::vector<std::size_t>{0, 3});
}

// Of products that need no packs; the first is the reference.
Lineup three_finalists() {
  const Auxiliaries auxiliaries;
  LineupBuilder builder(auxiliaries);
  for (const char* point : {"tile_m=4", "tile_m=8", "tile_m=2"}) {
    builder.add(to_text(parse_point(point)), Op::kNN, {kLarge});
  }
  builder.set_reference(to_text(parse_point("tile_m=4")));
  return builder.take();
}

TEST_CASE("a shape is settled when all who may win there are known finely enough") {
  const Lineup lineup = three_finalists();
  // Each finalist's forks lie `noise` about its time, up and down in turns.
  const auto held = [](int rounds, std::vector<std::pair<double, double>> times_and_noise) {
    std::vector<Sweep> sweeps;
    for (int round = 0; round < rounds; ++round) {
      Sweep sweep;
      sweep.round = round;
      sweep.fork = round / 4;
      sweep.shape = kLarge;
      sweep.reference_before_ns = sweep.reference_after_ns = 100.0;
      for (std::size_t finalist = 0; finalist < times_and_noise.size(); ++finalist) {
        const auto [ns, noise] = times_and_noise[finalist];
        sweep.ns[finalist] = ns * (sweep.fork % 2 == 0 ? 1.0 + noise : 1.0 - noise);
      }
      sweeps.push_back(std::move(sweep));
    }
    return sweeps;
  };
  CHECK(
      Race(lineup, kLarge).after(held(26, {{100, 0.0005}, {101, 0.0005}, {200, 0.1}}), {}).settled);
  CHECK_FALSE(
      Race(lineup, kLarge).after(held(26, {{100, 0.0005}, {101, 0.05}, {200, 0.1}}), {}).settled);
  CHECK_FALSE(
      Race(lineup, kLarge).after(held(26, {{100, 0.05}, {120, 0.0005}, {200, 0.1}}), {}).settled);
  CHECK_FALSE(
      Race(lineup, kLarge).after(held(24, {{100, 0.0}, {101, 0.0}, {200, 0.0}}), {}).settled);
  CHECK_FALSE(Race(lineup, kLarge).after({}, {}).settled);
  // Who has failed does not keep others waiting.
  CHECK(Race(lineup, kLarge)
            .after(held(26, {{100, 0.0005}, {101, 0.05}, {200, 0.1}}), {{1, "hang"}})
            .settled);
  // More rounds tell more of the same noise.
  CHECK_FALSE(
      Race(lineup, kLarge).after(held(26, {{100, 0.01}, {101, 0.01}, {200, 0.1}}), {}).settled);
  CHECK(
      Race(lineup, kLarge).after(held(200, {{100, 0.005}, {101, 0.005}, {200, 0.1}}), {}).settled);
}

TEST_CASE("nobody leaves because of one slow moment") {
  const Auxiliaries auxiliaries;
  LineupBuilder builder(auxiliaries);
  builder.add(to_text(parse_point("tile_m=4")), Op::kNN, {kLarge});
  builder.add(to_text(parse_point("tile_m=8")), Op::kNN, {kLarge});
  builder.add(to_text(parse_point("tile_m=2")), Op::kNN, {kLarge});
  builder.set_reference(to_text(parse_point("tile_m=4")));
  const Lineup lineup = builder.take();
  Sweep sweep;
  sweep.shape = kLarge;
  sweep.reference_before_ns = sweep.reference_after_ns = 100.0;
  sweep.ns = {{0, 100.0}, {1, 200.0}, {2, 310.0}};
  CHECK(Race(lineup, kLarge).after({sweep}, {}).runs == std::vector<std::size_t>{0, 1});
  CHECK(Race(lineup, kLarge).after({sweep, sweep}, {}).runs == std::vector<std::size_t>{0, 1});
  CHECK(Race(lineup, kLarge).after({sweep, sweep, sweep}, {}).runs == std::vector<std::size_t>{0});
  // Sweeps on other shapes say nothing of this one.
  Sweep other = sweep;
  other.shape = kSmall;
  CHECK(Race(lineup, kLarge).after({sweep, other, other}, {}).runs ==
        std::vector<std::size_t>{0, 1});
}

// Of three finalists that always take as long.
std::vector<std::size_t> racing_after(int rounds, double first_ns, double second_ns,
                                      double third_ns) {
  const Lineup lineup = three_finalists();
  Sweep sweep;
  sweep.shape = kLarge;
  sweep.reference_before_ns = sweep.reference_after_ns = 100.0;
  sweep.ns = {{0, first_ns}, {1, second_ns}, {2, third_ns}};
  return Race(lineup, kLarge)
      .after(std::vector<Sweep>(static_cast<std::size_t>(rounds), sweep), {})
      .runs;
}

TEST_CASE("the longer a final lasts, the fewer race on") {
  using Finalists = std::vector<std::size_t>;
  CHECK(racing_after(9, 100.0, 120.0, 112.0) == Finalists{0, 1, 2});
  CHECK(racing_after(10, 100.0, 120.0, 112.0) == Finalists{0, 2});
  CHECK(racing_after(24, 100.0, 120.0, 112.0) == Finalists{0, 2});
  CHECK(racing_after(25, 100.0, 120.0, 112.0) == Finalists{0});
  CHECK(racing_after(24, 100.0, 102.5, 101.5) == Finalists{0, 1, 2});
}

// Sweeps of three finalists, in forks of four that lie so much above and below their times in
// turns.
std::vector<Sweep> noisy(int rounds, double first_ns, double second_ns, double third_ns,
                         double noise) {
  std::vector<Sweep> sweeps;
  for (int round = 0; round < rounds; ++round) {
    Sweep sweep{round, kLarge, 100.0, 100.0, {{0, first_ns}, {1, second_ns}, {2, third_ns}}};
    sweep.fork = round / 4;
    for (auto& [finalist, ns] : sweep.ns) ns *= sweep.fork % 2 == 0 ? 1.0 + noise : 1.0 - noise;
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

TEST_CASE("who surely loses leaves; who may have been unlucky, and who ties, goes on") {
  using Finalists = std::vector<std::size_t>;
  const Lineup lineup = three_finalists();
  const auto racing = [&](int rounds, double noise) {
    return Race(lineup, kLarge).after(noisy(rounds, 100.0, 102.5, 101.5, noise), {}).runs;
  };
  CHECK(racing(30, 0.001) == Finalists{0, 2});
  CHECK(racing(30, 0.05) == Finalists{0, 1, 2});
  CHECK(racing(60, 0.001) == Finalists{0});
  CHECK(racing(60, 0.05) == Finalists{0, 1, 2});
  CHECK(Race(lineup, kLarge).after(noisy(400, 100.0, 100.9, 103.1, 0.05), {}).runs ==
        Finalists{0, 1});
}

TEST_CASE("samples of the same fork are not independent") {
  const Lineup lineup = three_finalists();
  // Within forks nothing moves, but the second finalist is ahead in some and behind in others.
  std::vector<Sweep> sweeps = noisy(60, 100.0, 102.5, 110.0, 0.0001);
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    sweeps[i].fork = static_cast<int>(i / 10);
    sweeps[i].ns[1] *= sweeps[i].fork % 2 == 0 ? 1.04 : 0.96;
  }
  const Race race(lineup, kLarge);
  CHECK(race.after(sweeps, {}).runs == std::vector<std::size_t>{0, 1});
  CHECK_FALSE(race.after(sweeps, {}).settled);
  // The same samples, were they of forks that are alike.
  for (std::size_t i = 0; i < sweeps.size(); ++i) sweeps[i].fork = static_cast<int>(i % 6);
  CHECK(race.after(sweeps, {}).runs == std::vector<std::size_t>{0});
  CHECK(race.after(sweeps, {}).settled);
  // One fork says nothing of others, however many samples it has.
  for (Sweep& sweep : sweeps) sweep.fork = 0;
  CHECK(race.after(sweeps, {}).runs == std::vector<std::size_t>{0, 1});
  CHECK_FALSE(race.after(sweeps, {}).settled);
}

// NN's ways, with these times and no packs, and as many sweeps in forks of four. The slowest is the
// reference.
struct Field {
  Lineup lineup;
  std::vector<Sweep> sweeps;

  Field(std::size_t ways, int rounds, double step) {
    const Auxiliaries auxiliaries;
    LineupBuilder builder(auxiliaries);
    std::map<std::size_t, double> ns;
    for (const int m : {1, 2, 4, 8, 16}) {
      for (const int n : {1, 2, 4, 8, 16}) {
        if (ns.size() == ways) continue;
        const std::string point = to_text(parse_point(fmt::format("tile_m={} tile_n={}", m, n)));
        builder.add(point, Op::kNN, {kLarge});
        builder.set_reference(point);
        ns[ns.size()] = 100.0 + step * static_cast<double>(ns.size());
      }
    }
    REQUIRE(ns.size() == ways);
    lineup = builder.take();
    for (int round = 0; round < rounds; ++round) {
      sweeps.push_back({round, kLarge, 100.0, 100.0, ns});
      sweeps.back().fork = round / 4;
    }
  }
  // Of those that race on the fastest, and the reference where it is none of them.
  std::vector<std::size_t> fastest(std::size_t count) const {
    std::vector<std::size_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    if (lineup.reference >= count) all.push_back(lineup.reference);
    return all;
  }
};

TEST_CASE("as time goes, it goes to ever fewer") {
  const Field field(25, 40, 0.04);  // all within 1 %: no interval tells them apart for good
  const Race race(field.lineup, kLarge);
  CHECK(race.after(field.sweeps, {}).runs == field.fastest(25));
  CHECK(race.after(field.sweeps, {}, 0.25).runs == field.fastest(12));  // 25^0.75 = 11.2
  CHECK(race.after(field.sweeps, {}, 0.35).runs == field.fastest(9));   // 8.1
  CHECK(race.after(field.sweeps, {}, 0.5).runs == field.fastest(8));
  CHECK(race.after(field.sweeps, {}, 1.0).runs == field.fastest(8));
  // Who leaves does not keep the others from being settled.
  Field noisy = field;
  for (Sweep& sweep : noisy.sweeps) {
    for (auto& [finalist, ns] : sweep.ns) {
      if (finalist >= 8)
        ns *= (static_cast<std::size_t>(sweep.fork) + finalist) % 2 == 0 ? 1.01 : 0.995;
    }
  }
  CHECK_FALSE(race.after(noisy.sweeps, {}).settled);
  CHECK(race.after(noisy.sweeps, {}, 1.0).settled);
  // Too early to say who is among the best: few sweeps, few forks.
  const Field early(25, 24, 0.04);
  CHECK(Race(early.lineup, kLarge).after(early.sweeps, {}, 1.0).runs == early.fastest(25));
  Field two_forks = field;
  for (Sweep& sweep : two_forks.sweeps) sweep.fork = sweep.round % 2;
  CHECK(race.after(two_forks.sweeps, {}, 1.0).runs == field.fastest(25));
  // Of few all stay.
  const Field few(7, 40, 0.04);
  CHECK(Race(few.lineup, kLarge).after(few.sweeps, {}, 1.0).runs == few.fastest(7));
}

TEST_CASE("who left comes back when others turn out to be slower") {
  Field field(25, 40, 0.04);
  const Race race(field.lineup, kLarge);
  REQUIRE(race.after(field.sweeps, {}, 1.0).runs == field.fastest(8));
  for (int round = 40; round < 120; ++round) {
    Sweep sweep = field.sweeps.front();
    sweep.round = round;
    sweep.fork = round / 4;
    std::erase_if(sweep.ns, [](const auto& finalist) { return finalist.first >= 8; });
    sweep.ns[0] *= 1.005;  // all in all behind the ninth
    field.sweeps.push_back(sweep);
  }
  CHECK(race.after(field.sweeps, {}, 1.0).runs ==
        std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, field.lineup.reference});
}

TEST_CASE("one bad fork of a few does not cost a place") {
  Field field(25, 28, 0.04);
  for (Sweep& sweep : field.sweeps) {
    sweep.fork = sweep.round / 7;
    if (sweep.fork == 2) sweep.ns[1] *= 1.06;
  }
  // 1.5 % in the mean of four forks, where the whole field is within 1 %.
  CHECK(Race(field.lineup, kLarge).after(field.sweeps, {}, 1.0).runs == field.fastest(8));
}

TEST_CASE("one bad fork that is longer than the others does not throw out") {
  Field field(25, 40, 0.04);
  for (Sweep& sweep : field.sweeps) {
    sweep.fork = std::max(0, (sweep.round - 20) / 4);
    if (sweep.fork == 0) sweep.ns[1] *= 1.1;
  }
  CHECK(Race(field.lineup, kLarge).after(field.sweeps, {}).runs == field.fastest(25));
}

TEST_CASE("ways of each op race for places of their own") {
  const Auxiliaries auxiliaries;
  LineupBuilder builder(auxiliaries);
  std::map<std::size_t, double> ns;
  for (const int tile : {1, 2, 4, 8, 16}) {
    for (const int more : {1, 2}) {
      const std::string point = fmt::format("tile_m={} tile_n={}", tile, more);
      ns[*builder.add(to_text(parse_point(point)), Op::kNN, {kLarge})] = 100.0;
      ns[*builder.add(to_text(parse_point("op=NT " + point)), Op::kNT, {kLarge})] = 120.0;
    }
  }
  REQUIRE(ns.size() == 20);
  for (auto& [finalist, time] : ns) time += 0.01 * static_cast<double>(finalist);
  builder.set_reference(to_text(parse_point("tile_m=1 tile_n=1")));
  const Lineup lineup = builder.take();
  std::vector<Sweep> sweeps;
  for (int round = 0; round < 40; ++round) {
    sweeps.push_back({round, kLarge, 100.0, 100.0, ns});
    sweeps.back().fork = round / 4;
  }
  CHECK(Race(lineup, kLarge).after(sweeps, {}, 1.0).runs.size() == 16);
}

TEST_CASE("what is launched beside a product counts in the race") {
  const Auxiliaries packs = packs_of(kPacked);
  LineupBuilder builder(packs);
  builder.add(to_text(parse_point("tile_m=4")), Op::kNN, {kLarge});  // finalist 0
  builder.add(to_text(parse_point(kPacked)), Op::kNN, {kLarge});     // finalists 1 and 2
  builder.set_reference(to_text(parse_point("tile_m=4")));
  const Lineup lineup = builder.take();
  Sweep sweep{0, kLarge, 100.0, 100.0, {{0, 100.0}, {1, 50.0}, {2, 10.0}}};
  const std::vector<Sweep> sweeps(3, sweep);
  DeviceRates rates;
  rates.round_trip_ns = 30.0;
  using Finalists = std::vector<std::size_t>;
  CHECK(Race(lineup, kLarge, rates).after(sweeps, {}).runs == Finalists{0, 1, 2});
  rates.round_trip_ns = 90.0;  // 50 + 10 + 90 is 1.5 times 100
  CHECK(Race(lineup, kLarge, rates).after(sweeps, {}).runs == Finalists{0});
  rates.round_trip_ns = 0.0;  // 100 is 1.67 times 60, but the reference stays
  rates.launch_ns = 0.0;
  CHECK(Race(lineup, kLarge, rates).after(sweeps, {}).runs == Finalists{0, 1, 2});
}

TEST_CASE("a fork that begins with a slow moment throws nobody out") {
  const Lineup lineup = three_finalists();
  std::vector<Sweep> sweeps = noisy(25, 100.0, 100.0, 100.0, 0.001);
  REQUIRE(sweeps.back().fork == 6);
  sweeps.back().ns[1] *= 1.5;
  CHECK(Race(lineup, kLarge).after(sweeps, {}).runs == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("ways of an op that cannot serve the shape do not race for want of a better one") {
  const Auxiliaries auxiliaries;
  LineupBuilder builder(auxiliaries);
  builder.add(to_text(parse_point("tile_m=4")), Op::kNN, {kLarge});
  builder.add(to_text(parse_point("op=NT tile_m=4")), Op::kNT, {kLarge});
  builder.set_reference(to_text(parse_point("tile_m=4")));
  const Lineup lineup = builder.take();
  Sweep sweep{0, kLarge, 100.0, 100.0, {{0, 100.0}}};  // the other is too slow for it
  CHECK(Race(lineup, kLarge).after({sweep}, {}).runs == std::vector<std::size_t>{0});
  sweep.ns.clear();
  CHECK(Race(lineup, kLarge).after({sweep}, {}).runs == std::vector<std::size_t>{0, 1});
}

// As seen: in the first sweep one of two cores was busy with something else for half of the
// finalists, and the second was rejected, since the reference moved. Who had the bad luck must not
// lose for it.
TEST_CASE("a slow moment does not throw finalists out") {
  const Lineup lineup = three_finalists();
  const auto of = [](double before, double after, double unlucky, double slow) {
    Sweep made;
    made.shape = kLarge;
    made.reference_before_ns = before;
    made.reference_after_ns = after;
    made.ns = {{0, 69.0}, {1, unlucky}, {2, slow}};
    return made;
  };
  const std::vector<Sweep> sweeps = {of(67.0, 68.0, 126.0, 126.0), of(75.0, 68.0, 71.0, 95.0),
                                     of(70.0, 70.0, 71.0, 95.0)};
  CHECK(Race(lineup, kLarge).after(sweeps, {}).runs == std::vector<std::size_t>{0, 1});
}

}  // namespace
}  // namespace tilewright

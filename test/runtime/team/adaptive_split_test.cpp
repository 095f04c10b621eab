// Tests how a team learns from measured times.
#include "runtime/team/adaptive_split.hpp"

#include <algorithm>

#include "catch.hpp"

namespace tilewright {
namespace {

ShapeCurves predicted_equal(std::int64_t extent, std::size_t members) {
  ShapeCurves shape;
  shape.extent = extent;
  shape.granule = 1;
  const TimeCurve curve({{extent / 2, 0.5}, {extent, 1.0}});
  shape.curves.assign(members, curve);
  return shape;
}

// Members with these true rates, in lines per second.
struct World {
  std::vector<double> rates;
  double join = 0.0;      // extra time of a product that several members compute
  double together = 1.0;  // factor for the rates while several members compute

  // Runs one product. Returns its division.
  Division run(AdaptiveSplit& split) const {
    const Division division = split.next();
    const auto active = std::count_if(division.parts.begin(), division.parts.end(),
                                      [](std::int64_t part) { return part > 0; });
    std::vector<double> seconds;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double rate = active > 1 ? together * rates[i] : rates[i];
      seconds.push_back(static_cast<double>(division.parts[i]) / rate + (active > 1 ? join : 0.0));
    }
    split.record(division, seconds, *std::max_element(seconds.begin(), seconds.end()));
    return division;
  }
  Division after(AdaptiveSplit& split, int runs) const {
    for (int i = 0; i < runs; ++i) run(split);
    return split.current();
  }
};

TEST_CASE("team: parts follow the measured times of unequal members") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  CHECK(split.best_predicted().parts == std::vector<std::int64_t>{500, 500});
  const Division settled = World{{3000, 1000}}.after(split, 30);
  CHECK(settled.choice.way == 0);
  CHECK(std::abs(settled.parts[0] - 750) < 25);
  // Another shape starts with what was learned.
  const AdaptiveSplit next(predicted_equal(400, 2), split.scales());
  CHECK(std::abs(next.best_predicted().parts[0] - 300) < 10);
}

TEST_CASE("team: one member alone is used if it is measured to be faster") {
  // The members slow each other down.
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  const Division settled = World{{3000, 1000}, 0.0, 0.6}.after(split, 30);
  CHECK(settled.choice.way == 1);
  CHECK(settled.parts == std::vector<std::int64_t>{1000, 0});
}

TEST_CASE("team: equal members that slow each other down are tried alone") {
  // Together 1.5 s, alone 1.0 s. The scales are learned together, so they do not show this.
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  CHECK(World{{1000, 1000}, 0.0, 1.0 / 3.0}.after(split, 30).choice.way != 0);
  AdaptiveSplit four(predicted_equal(1000, 4), {1, 1, 1, 1});
  CHECK(World{{1000, 1000, 1000, 1000}, 0.0, 0.2}.after(four, 60).choice.way != 0);
}

TEST_CASE("team: one member is used if all together are measured to be hardly faster") {
  // Together 0.97 s and 0.90 s, alone 1.0 s.
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  CHECK(World{{1000, 1000}, 0.0, 0.5 / 0.97}.after(split, 30).choice.way != 0);
  AdaptiveSplit faster(predicted_equal(1000, 2), {1, 1});
  CHECK(World{{1000, 1000}, 0.0, 0.5 / 0.90}.after(faster, 30).choice.way == 0);
}

TEST_CASE("team: a member that always lacks memory is not used any more") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  for (int i = 0; i < 12; ++i) {
    const Division division = split.next();
    if (division.parts[0] > 0) {
      CHECK_FALSE(split.record(division, {}, 1.1));  // the other one computes everything
    } else {
      split.record(division, {0.0, 1.0}, 1.0);
    }
  }
  CHECK(split.current().choice.way == 2);
}

TEST_CASE("team: one failure does not exclude a way") {
  for (const int failing : {0, 1, 2, 7, 20}) {
    INFO("call " << failing);
    AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
    const World world{{1000, 1000}};
    world.after(split, failing);
    const Division division = split.next();
    CHECK_FALSE(split.record(division, {}, 100.0));
    CHECK(split.current().choice.way == division.choice.way);
    CHECK(world.after(split, 30).choice.way == 0);
  }
}

TEST_CASE("team: only a product of all members changes the scales") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  const Division first = split.next();
  REQUIRE(first.choice.way == 0);
  CHECK_FALSE(split.record(first, {0.5, 1.5}, 1.5));  // it may have compiled kernels
  CHECK(split.record(split.next(), {0.5, 1.5}, 1.5));
  Division alone = first;
  alone.choice = {1, 3};
  alone.parts = {1000, 0};
  CHECK_FALSE(split.record(alone, {1.0, 0.0}, 1.0));
}

TEST_CASE("team: the best member of a small product is found by trials") {
  AdaptiveSplit split(predicted_equal(10, 3), {1e-6, 1e-6, 1e-6});
  // Predicted: 1 us alone, and 50 us to start another member.
  CHECK(split.best_predicted().choice.way == 1);
  const Division settled = World{{1e6, 3e6, 2e6}, 50e-6}.after(split, 30);
  CHECK(settled.choice.way == 2);
}

TEST_CASE("team: a member that a team profile shows to be faster alone is used alone") {
  // Both rates fall to 40 % while both multiply.
  const AdaptiveSplit split(predicted_equal(1000, 2), {1, 1}, {0.4, 0.4});
  CHECK(split.best_predicted().choice.way == 1);
  const AdaptiveSplit together(predicted_equal(1000, 2), {1, 1}, {0.9, 0.9});
  CHECK(together.best_predicted().choice.way == 0);
}

TEST_CASE("team: times that vary a little do not change the split") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  World{{2000, 1000}}.after(split, 20);
  const Division settled = split.current();
  for (const double noise : {0.97, 1.03, 1.02, 0.98, 1.0}) {
    World{{2000 * noise, 1000}}.run(split);
    CHECK(split.current().parts == settled.parts);
  }
}

TEST_CASE("team: one outlier changes the split by a bounded amount") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  World{{1000, 1000}}.after(split, 20);
  const std::vector<double> before = split.scales();
  World{{1, 1000}}.run(split);  // 1000 times slower for once
  CHECK(split.scales()[0] < 1.2 * before[0]);
  CHECK(World{{1000, 1000}}.after(split, 60).choice.way == 0);
}

TEST_CASE("team: what other programs have slowed down at first is used later") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  // While another program uses the cores, together 1.25 s; alone 1.0 s.
  REQUIRE(World{{1000, 1000}, 0.0, 0.4}.after(split, 30).choice.way != 0);
  CHECK(World{{1000, 1000}}.after(split, 400).choice.way == 0);  // 0.5 s
  // Members that become slow.
  CHECK(World{{1000, 1000}, 0.0, 0.4}.after(split, 400).choice.way != 0);
}

TEST_CASE("team: ways that are not used take less than 2 % of the calls and of the time") {
  for (const std::size_t members : {2U, 3U, 5U}) {
    INFO(members << " members");
    AdaptiveSplit split(predicted_equal(1000, members), std::vector<double>(members, 1.0));
    World world;
    for (std::size_t i = 0; i < members; ++i) world.rates.push_back(1000.0 + 50.0 * i);
    const Division settled = world.after(split, 60);
    REQUIRE(settled.choice.way == 0);
    const double best_s = 1.0 / static_cast<double>(members);  // at most
    int num_others = 0;
    double extra_s = 0.0;
    for (int call = 1; call <= 20000; ++call) {
      const Division division = world.run(split);
      if (division.choice.way == 0) continue;
      ++num_others;
      extra_s += 1000.0 / world.rates[division.choice.way - 1];
      CHECK(num_others <= 2 + call / 50);
      CHECK(extra_s <= 2.0 * static_cast<double>(members) * best_s + 0.02 * call * best_s);
    }
    CHECK(num_others >= 2 * static_cast<int>(members));  // each is tried again
    CHECK(num_others < 20 * static_cast<int>(members));
    CHECK(split.current().choice.way == 0);
  }
}

TEST_CASE("team: retries of a member that always lacks memory take less than 2 % of the time") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  double extra_s = 0.0;
  int num_failures = 0;
  for (int call = 1; call <= 100000; ++call) {
    const Division division = split.next();
    if (division.parts[0] == 0) {
      split.record(division, {0.0, 1.0}, 1.0);
      continue;
    }
    split.record(division, {}, 5.0);  // the other one computes everything
    if (call <= 20) continue;         // the trials
    REQUIRE(division.choice.is_retry);
    ++num_failures;
    extra_s += 5.0;
    CHECK(extra_s <= 0.02 * call);
  }
  CHECK(num_failures >= 4);  // both ways with this member are tried again and again
}

TEST_CASE("team: other shapes do not use scales that a retry has learned") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  const World slow{{1000, 1000}, 0.0, 0.4};
  REQUIRE(slow.after(split, 30).choice.way != 0);
  Division division = split.next();
  for (int i = 0; i < 1000 && division.choice.way != 0; ++i) {
    split.record(division, {1.0, 1.0}, 1.0);
    CHECK(split.current().choice.way != 0);  // retries are not shown
    division = split.next();
  }
  REQUIRE(division.choice.is_retry);
  const std::vector<double> before = split.scales();
  CHECK_FALSE(split.record(division, {0.5, 0.5}, 0.5));  // a warm-up
  CHECK(split.scales() == before);
  division = split.next();
  REQUIRE(division.choice.is_retry);
  REQUIRE(division.choice.way == 0);
  CHECK_FALSE(split.record(division, {0.5, 0.5}, 0.5));
  CHECK(split.scales() != before);
  // It is used now, so its scales are new.
  CHECK(split.current().choice.way == 0);
  CHECK(split.record(split.next(), {0.5, 0.5}, 0.5));
}

TEST_CASE("team: the first call of a new split does not count, however often the split changes") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  std::vector<std::int64_t> parts;
  int num_splits = 0;
  for (int i = 0; i < 400; ++i) {
    const World world = (i / 40) % 2 == 0 ? World{{1200, 1000}} : World{{1000, 1200}};
    const Division division = split.current();
    if (division.choice.way != 0 || division.parts == parts) {
      world.run(split);
      continue;
    }
    ++num_splits;
    parts = division.parts;
    CHECK_FALSE(split.record(split.next(), {100.0, 100.0}, 100.0));  // compiles kernels
    CHECK(split.current().choice.way == 0);
  }
  CHECK(num_splits > 6);
}

TEST_CASE("team: a call with an old split is not the warm-up of the new one") {
  AdaptiveSplit split(predicted_equal(1000, 2), {1, 1});
  const World world{{3000, 1000}};
  world.run(split);
  const Division old = split.next();
  world.run(split);  // another call, which changes the split
  REQUIRE(split.current().choice.way == 0);
  REQUIRE(split.current().parts != old.parts);
  CHECK_FALSE(split.record(old, {0.5, 0.5}, 0.5));
  CHECK_FALSE(split.record(split.next(), {100.0, 100.0}, 100.0));  // compiles kernels
  CHECK(split.record(split.next(), {0.25, 0.25}, 0.25));
}

}  // namespace
}  // namespace tilewright

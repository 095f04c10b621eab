// Tests how a team divides an extent among its members.
#include "runtime/team/split.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "catch.hpp"

namespace tilewright {
namespace {

using Parts = std::vector<std::int64_t>;

// A member that needs `start` seconds and then `per_line` seconds for each line, and `slowdown`
// times as long if other members compute, too.
struct Model {
  double start = 0.0;
  double per_line = 1.0;
  double slowdown = 1.0;
};

PartSeconds seconds_of(const std::vector<Model>& models) {
  return [models](std::size_t member, std::int64_t part, bool is_shared) {
    const Model& model = models[member];
    const double seconds = model.start + model.per_line * static_cast<double>(part);
    return is_shared ? model.slowdown * seconds : seconds;
  };
}

Split split(const std::vector<Model>& models, std::int64_t extent, std::int64_t granule,
            double join_seconds = 0.0) {
  return choose_split(models.size(), seconds_of(models), join_seconds, extent, granule);
}

TEST_CASE("team split: models of members, and the parts that follow") {
  struct Case {
    const char* what;
    std::vector<Model> models;
    std::int64_t extent;
    std::int64_t granule;
    double join_seconds;
    Parts parts;
  };
  for (const Case& c : {
           Case{"one member", {{}}, 100, 7, 0, {100}},
           Case{"equal members", {{}, {}}, 1024, 32, 0, {512, 512}},
           Case{"33 granules, the last one not whole", {{}, {}}, 1030, 32, 0, {544, 486}},
           Case{"rates 3 to 1", {{0, 1}, {0, 3}}, 1000, 10, 0, {750, 250}},
           Case{"the faster member last", {{0, 3}, {0, 1}}, 1000, 10, 0, {250, 750}},
           Case{"a start of 500 lines", {{0, 1}, {500, 1}}, 1000, 10, 0, {750, 250}},
           Case{"a start that takes longer than everything",
                {{0, 1}, {1000, 1}},
                100,
                1,
                0,
                {100, 0}},
           Case{"the slowest of three members starts late",
                {{0, 1}, {90, 1}, {0, 1}},
                100,
                1,
                0,
                {50, 0, 50}},
           Case{"all of three members", {{0, 1}, {0, 2}, {0, 2}}, 800, 1, 0, {400, 200, 200}},
           Case{
               "members that halve each other's rate", {{0, 1, 2}, {0, 1, 2}}, 100, 1, 0, {100, 0}},
           Case{"rates that fall by a third", {{0, 1, 1.5}, {0, 1, 1.5}}, 100, 1, 0, {50, 50}},
           Case{"waiting takes longer than the gain", {{0, 1}, {0, 1}}, 100, 1, 50, {100, 0}},
           Case{"a gain of 8 % may be an error", {{0, 1}, {0, 11}}, 100, 1, 0, {100, 0}},
           Case{"a gain of 12 % counts", {{0, 1}, {0, 7}}, 100, 1, 0, {88, 12}},
           Case{"nothing to divide", {{0, 1}, {0, 1}}, 0, 32, 0, {0, 0}},
           Case{"one granule", {{0, 2}, {0, 1}}, 20, 32, 0, {0, 20}},
       }) {
    INFO(c.what);
    CHECK(split(c.models, c.extent, c.granule, c.join_seconds).parts == c.parts);
  }
}

TEST_CASE("team split: the predicted time is that of the last member, and of waiting") {
  CHECK(split({{0, 1}, {500, 1}}, 1000, 10, 20).seconds == 770.0);
  CHECK(split({{0, 2}}, 1000, 10, 20).seconds == 2000.0);
}

// Rates of small parts are lower, as those of kernels are.
TEST_CASE("team split: no other division finishes much earlier") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t extent = 64 + static_cast<std::int64_t>(number(random) * 1000);
    const std::vector<Model> models{{60 * number(random), 0.1 + number(random)},
                                    {60 * number(random), 0.1 + number(random)}};
    const double curve = 40 * number(random);
    const auto seconds = [&](std::size_t member, std::int64_t part, bool is_shared) {
      const double linear = seconds_of(models)(member, part, is_shared);
      return linear * (1.0 + curve / static_cast<double>(part + 100));
    };
    const Split chosen = choose_split(2, seconds, 0.0, extent, 1);
    REQUIRE(std::accumulate(chosen.parts.begin(), chosen.parts.end(), std::int64_t{0}) == extent);
    double best = std::min(seconds(0, extent, false), seconds(1, extent, false));
    for (std::int64_t first = 1; first < extent; ++first) {
      best = std::min(best, std::max(seconds(0, first, true), seconds(1, extent - first, true)));
    }
    INFO(extent << ": " << chosen.parts[0] << " " << chosen.parts[1]);
    CHECK(chosen.seconds <= best / 0.9 + 1e-9);
  }
}

TEST_CASE("team split: parts by shares cover the extent exactly") {
  CHECK(split_by_shares({1, 1}, 5) == Parts{3, 2});
  CHECK(split_by_shares({0, 2, 1, 0}, 9) == Parts{0, 6, 3, 0});
  CHECK(split_by_shares({1, 1e-9}, 100) == Parts{100, 0});
  CHECK(split_by_shares({1, 1, 1}, 1) == Parts{0, 1, 0});
}

}  // namespace
}  // namespace tilewright

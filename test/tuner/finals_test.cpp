#include "tuner/finals.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

Screened screened(int tile_m, double cost, std::vector<std::optional<double>> ns) {
  Screened result;
  GemmPoint point;
  point.tile_m = tile_m;
  result.point = point;
  result.cost = cost;
  result.ns = std::move(ns);
  return result;
}

Finalist finalist(int tile_m, std::vector<double> samples) {
  Finalist result;
  result.screened = screened(tile_m, 0.0, {});
  result.samples = {std::move(samples)};
  return result;
}

std::size_t winner_of(std::vector<double> one, std::vector<double> two, std::vector<double> four) {
  std::vector<Finalist> finalists;
  finalists.push_back(finalist(4, std::move(four)));  // the simplest point comes last
  finalists.push_back(finalist(2, std::move(two)));
  finalists.push_back(finalist(1, std::move(one)));
  return winner(finalists, 0);
}

TEST_CASE("the least median wins") {
  CHECK(winner_of({9, 9, 9}, {5, 5, 5}, {7, 7, 7}) == 1);
  CHECK(winner_of({9, 9, 9}, {5, 5, 50}, {7, 7, 7}) == 1);  // one bad sample does not matter
}

TEST_CASE("a tie goes to the simpler point") {
  CHECK(winner_of({100.3, 100.3, 100.3}, {100, 100, 100}, {100, 100, 100}) == 2);
  CHECK(winner_of({103, 103, 103}, {100.2, 100.2, 100.2}, {100, 100, 100}) == 1);
}

TEST_CASE("who left the race early cannot win, nor can nobody") {
  CHECK(winner_of({1}, {5, 5, 5}, {7, 7, 7}) == 1);
  CHECK_THROWS_AS(winner_of({1}, {}, {2}), std::runtime_error);
}

TEST_CASE("the finals hold the best by cost and the best on each shape, once each") {
  std::vector<Screened> all;
  const int tiles[] = {1, 2, 3, 4, 6, 8, 12, 16};
  for (int i = 0; i < 8; ++i) {
    // Cost grows with i; on the second shape the order is the reverse, and the last was not
    // measured there.
    all.push_back(
        screened(tiles[i], i, {10.0 + i, i == 7 ? std::nullopt : std::optional(100.0 - i)}));
  }
  std::vector<int> chosen;
  for (const Screened& s : choose_finalists(all))
    chosen.push_back(std::get<GemmPoint>(s.point).tile_m);
  CHECK(chosen == std::vector<int>{1, 2, 3, 4, 6, 8, 12});
  CHECK(choose_finalists({}).empty());
}

TEST_CASE("screening shapes are the least, a middle one and the largest that is not too large") {
  using Shapes = std::vector<GemmShape>;
  const auto cubes = [](std::initializer_list<std::int64_t> sizes) {
    Shapes shapes;
    for (const auto size : sizes) shapes.push_back({size, size, size});
    return shapes;
  };
  CHECK(Screening::screening_shapes(cubes({2880, 96, 1440, 192, 768, 384}), 6e9) ==
        cubes({96, 384, 1440}));
  CHECK(Screening::screening_shapes(cubes({64, 32}), 6e9) == cubes({32, 64}));
  CHECK(Screening::screening_shapes(cubes({4096}), 6e9) == cubes({4096}));
}

}  // namespace
}  // namespace tilewright

// Tests of which finalists continue, with known times.
#include "tuner/select/blocks.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "catch.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kShape{96, 96, 96};
// Returns finalists for NN, none of which needs packing.
Lineup make_test_lineup(std::size_t count) {
  Lineup lineup;
  for (const int n : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const int m : {1, 2, 3, 4, 6, 8, 12, 16}) {
      if (lineup.finalists.size() == count) return lineup;
      lineup.plans.push_back({Op::kNN, lineup.finalists.size()});
      lineup.finalists.push_back(parse_kernel(fmt::format("gemm tile_m={} tile_n={}", m, n)));
    }
  }
  return lineup;
}

// Adds a block in which the n-th finalist takes n % longer than the first.
void add_block(std::vector<Round>& rounds, const std::vector<std::size_t>& runs, int block) {
  for (int i = 0; i < kRoundsOfBlock; ++i) {
    Round& round = rounds.emplace_back();
    round.block = block;
    round.round = block * kRoundsOfBlock + i;
    round.shape = kShape;
    for (const std::size_t f : runs) round.ns[f] = 1000.0 * (1.0 + 0.01 * static_cast<double>(f));
  }
}

TEST_CASE("before measurements, double-precision products use double-precision auxiliary kernels") {
  const AuxiliaryCost auxiliary(DeviceRates{}, false);
  const KernelId packed(
      parse_point("gemm precision=d layout_b=C1x8R tile_m=4 tile_n=8 vector_width=8"));
  REQUIRE(auxiliary.find(packed, Op::kNN, {64, 64, 64}));
  CHECK(auxiliary.find(packed, Op::kNN, {64, 64, 64})->packs == 1);
  const KernelId split(parse_point("gemm precision=d split_k=4"));
  REQUIRE(auxiliary.find(split, Op::kNN, {64, 64, 64}));
  CHECK(auxiliary.find(split, Op::kNN, {64, 64, 64})->reduces);
}

TEST_CASE(
    "after each block the better half continues, at least eight finalists, and the baselines") {
  Lineup lineup = make_test_lineup(40);
  lineup.baselines = {39};
  const AuxiliaryCost auxiliary(DeviceRates{}, false);
  std::vector<Round> rounds;
  NextBlock next = next_block(lineup, rounds, kShape, auxiliary);
  CHECK(next.runs.size() == 40);
  CHECK_FALSE(next.settled);
  for (const std::size_t left : {21, 12, 9, 9}) {
    add_block(rounds, next.runs, rounds.empty() ? 0 : rounds.back().block + 1);
    next = next_block(lineup, rounds, kShape, auxiliary);
    CHECK(next.runs.size() == left);
    CHECK(next.runs.front() == 0);
    CHECK(next.runs.back() == 39);
  }
  CHECK(next.settled);  // all times are exact
  // Blocks on other shapes have no effect on this one.
  CHECK(next_block(lineup, rounds, {8, 8, 8}, auxiliary).runs.size() == 40);
  // A finalist that failed is out, and does not delay the end.
  const NextBlock without = next_block(lineup, rounds, kShape, auxiliary, {{0, "hang"}});
  CHECK(without.runs.front() == 1);
  // If all finalists of the last blocks have failed, those of the block before continue.
  std::map<std::size_t, std::string> failures;
  for (const std::size_t finalist : next.runs) failures[finalist] = "hang";
  const NextBlock rest = next_block(lineup, rounds, kShape, auxiliary, failures);
  CHECK(rest.runs == std::vector<std::size_t>{8, 9, 10});
}

TEST_CASE("a shape is settled when possible winners are known to within the tolerance of ties") {
  const Lineup lineup = make_test_lineup(3);
  const AuxiliaryCost auxiliary(DeviceRates{}, false);
  // The blocks of each finalist alternate above and below its time by the given amount.
  const auto settled = [&](int blocks, std::vector<std::pair<double, double>> times_and_noise) {
    std::vector<Round> rounds;
    for (int i = 0; i < blocks * kRoundsOfBlock; ++i) {
      Round& round = rounds.emplace_back();
      round.round = i;
      round.block = i / kRoundsOfBlock;
      round.shape = kShape;
      for (std::size_t f = 0; f < times_and_noise.size(); ++f) {
        const auto [ns, noise] = times_and_noise[f];
        round.ns[f] = ns * (round.block % 2 == 0 ? 1.0 + noise : 1.0 - noise);
      }
    }
    return next_block(lineup, rounds, kShape, auxiliary).settled;
  };
  CHECK(settled(4, {{100, 0.0}, {101, 0.001}, {200, 0.1}}));
  CHECK_FALSE(settled(4, {{100, 0.0}, {101, 0.02}, {200, 0.1}}));
  CHECK_FALSE(settled(2, {{100, 0.0}, {101, 0.0}, {200, 0.0}}));  // processes may differ
  CHECK(settled(60, {{100, 0.0}, {101, 0.01}, {200, 0.1}}));      // more blocks with the same noise
}

TEST_CASE("each op has its own ranking of plans, which includes auxiliary costs") {
  // For NT all finalists must pack B, so the slow ones that read it in place win.
  Lineup lineup = make_test_lineup(20);
  for (std::size_t f = 0; f < 20; ++f) lineup.plans.push_back({Op::kNT, f});
  const KernelId in_place = parse_kernel("gemm op=NT");
  lineup.plans.push_back({Op::kNT, lineup.finalists.size()});
  lineup.finalists.push_back(in_place);
  DeviceRates rates;
  rates.copy_gbytes_per_s = 1e-3;  // a pack takes 73 ms
  const AuxiliaryCost auxiliary(rates, false);
  std::vector<Round> rounds;
  add_block(rounds, next_block(lineup, rounds, kShape, auxiliary).runs, 0);
  const NextBlock next = next_block(lineup, rounds, kShape, auxiliary);
  CHECK(next.runs.size() == 11);  // 10 for NN; for NT the same, and the one that needs no packing
  CHECK(next.runs.back() == 20);
  // Kernels without their pack kernels are used for NN only.
  const AuxiliaryCost none(std::vector<PackOutcome>{}, rates, false);
  CHECK_FALSE(none.find(lineup.finalists[0], Op::kNT, kShape));
  CHECK(none.find(in_place, Op::kNT, kShape)->ns == 0.0);
}

}  // namespace
}  // namespace tilewright

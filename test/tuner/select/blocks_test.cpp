// Tests of which finalists continue, with known times.
#include "tuner/select/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "journal_examples.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kBlockShape{96, 96, 96};
// Returns finalists for NN, none of which needs packing.
Finalists make_test_finalists(std::size_t count) {
  Finalists finalists;
  for (const int n : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const int m : {1, 2, 3, 4, 6, 8, 12, 16}) {
      if (finalists.kernels.size() == count) return finalists;
      finalists.kernels.push_back(parse_kernel(fmt::format("gemm tile_m={} tile_n={}", m, n)));
    }
  }
  return finalists;
}

std::size_t place(const Finalists& finalists, const KernelId& kernel) {
  const auto found = std::ranges::find(finalists.kernels, kernel);
  return static_cast<std::size_t>(found - finalists.kernels.begin());
}

// Returns the places of the kernels that run in the next block, in order.
std::vector<std::size_t> places(const Finalists& finalists, const NextBlock& next) {
  std::vector<std::size_t> result;
  for (const KernelId& kernel : next.runs) result.push_back(place(finalists, kernel));
  std::ranges::sort(result);
  return result;
}

// Adds a block in which the n-th finalist takes n % longer than the first.
void add_block(Finalists& finalists, const std::vector<KernelId>& runs, int block) {
  for (int i = 0; i < kRoundsOfBlock; ++i) {
    for (const KernelId& kernel : runs) {
      const double ns = 1000.0 + 10.0 * static_cast<double>(place(finalists, kernel));
      finalists.outcomes.push_back(
          example_round(kernel.text(), kBlockShape, block, block * kRoundsOfBlock + i, ns));
    }
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
  Finalists finalists = make_test_finalists(40);
  finalists.baselines = {finalists.kernels[39]};
  const AuxiliaryCost auxiliary(DeviceRates{}, false);
  const auto next_on = [&](const GemmShape& shape, const FinalFailures& failures = {}) {
    return next_block(finalists, {Op::kNN}, shape, auxiliary, failures);
  };
  NextBlock next = next_on(kBlockShape);
  CHECK(next.runs.size() == 40);
  CHECK_FALSE(next.settled);
  int block = 0;
  for (const std::size_t left : {21, 12, 9, 9}) {
    add_block(finalists, next.runs, block++);
    next = next_on(kBlockShape);
    CHECK(next.runs.size() == left);
    CHECK(places(finalists, next).front() == 0);
    CHECK(places(finalists, next).back() == 39);
  }
  CHECK(next.settled);  // all times are exact
  // Blocks on other shapes have no effect on this one.
  CHECK(next_on({8, 8, 8}).runs.size() == 40);
  // A finalist that failed is out, and does not delay the end.
  const NextBlock without = next_on(kBlockShape, {{finalists.kernels[0], "hang"}});
  CHECK(places(finalists, without).front() == 1);
  // If all finalists of the last blocks have failed, those of the block before continue.
  FinalFailures failures;
  for (const KernelId& kernel : next.runs) failures[kernel] = "hang";
  CHECK(places(finalists, next_on(kBlockShape, failures)) == std::vector<std::size_t>{8, 9, 10});
}

TEST_CASE("a shape is settled when possible winners are known to within the tolerance of ties") {
  Finalists finalists = make_test_finalists(3);
  const AuxiliaryCost auxiliary(DeviceRates{}, false);
  // The blocks of each finalist alternate above and below its time by the given amount.
  const auto settled = [&](int blocks, std::vector<std::pair<double, double>> times_and_noise) {
    finalists.outcomes.clear();
    for (int i = 0; i < blocks * kRoundsOfBlock; ++i) {
      const int block = i / kRoundsOfBlock;
      for (std::size_t f = 0; f < times_and_noise.size(); ++f) {
        const auto [ns, noise] = times_and_noise[f];
        finalists.outcomes.push_back(
            example_round(finalists.kernels[f].text(), kBlockShape, block, i,
                          ns * (block % 2 == 0 ? 1.0 + noise : 1.0 - noise)));
      }
    }
    return next_block(finalists, {Op::kNN}, kBlockShape, auxiliary).settled;
  };
  CHECK(settled(4, {{100, 0.0}, {101, 0.001}, {200, 0.1}}));
  CHECK_FALSE(settled(4, {{100, 0.0}, {101, 0.02}, {200, 0.1}}));
  CHECK_FALSE(settled(2, {{100, 0.0}, {101, 0.0}, {200, 0.0}}));  // processes may differ
  CHECK(settled(60, {{100, 0.0}, {101, 0.01}, {200, 0.1}}));      // more blocks with the same noise
}

TEST_CASE("each op has its own ranking of plans, which includes auxiliary costs") {
  // For NT all finalists must pack B, so the slow one that reads it in place wins.
  Finalists finalists = make_test_finalists(20);
  const KernelId in_place = parse_kernel("gemm op=NT");
  finalists.kernels.push_back(in_place);
  DeviceRates rates;
  rates.copy_gbytes_per_s = 1e-3;  // a pack takes 73 ms
  const AuxiliaryCost auxiliary(rates, false);
  const auto next_of_all = [&] {
    return next_block(finalists, {Op::kNN, Op::kNT}, kBlockShape, auxiliary);
  };
  add_block(finalists, next_of_all().runs, 0);
  // 11 for NN, where it must pack B; for NT the same number, it and ten others.
  const NextBlock next = next_of_all();
  CHECK(next.runs.size() == 12);
  CHECK(places(finalists, next).back() == 20);
  // Kernels without their pack kernels are used for NN only.
  const AuxiliaryCost none(std::vector<Outcome>{}, rates, false);
  CHECK_FALSE(none.find(finalists.kernels[0], Op::kNT, kBlockShape));
  CHECK(none.find(in_place, Op::kNT, kBlockShape)->ns == 0.0);
}

}  // namespace
}  // namespace tilewright

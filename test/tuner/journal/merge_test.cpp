// Tests of merging journals of boards with different speeds.
#include "tuner/journal/merge.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

constexpr const char* kBuiltIn = "gemm tile_m=4 tile_n=4 vector_width=4";
constexpr const char* kOfA = "gemm tile_m=8 tile_n=4 vector_width=4";
constexpr const char* kOfB = "gemm tile_m=4 tile_n=8 vector_width=4";

struct Times {
  double built_in_ns;
  double own_ns;
};

// Returns a final of the built-in kernel and another one, on a board that is slower by a factor.
JournalContents shard(const std::string& own, const Times& small, const Times& large, double slower,
                      bool own_first = false) {
  JournalContents journal;
  journal.header = example_header({kSmall, kLarge});
  journal.header.shards = 2;
  const KernelId kernels[] = {parse_kernel(kBuiltIn), parse_kernel(own)};
  journal.finals = Finalists{{kernels[own_first], kernels[!own_first]}, {kernels[0]}};
  for (const auto& [shape, times] : {std::pair(kSmall, small), std::pair(kLarge, large)}) {
    const auto finals = example_finals(
        shape, {{kBuiltIn, slower * times.built_in_ns}, {own, slower * times.own_ns}});
    journal.finals.outcomes.insert(journal.finals.outcomes.end(), finals.begin(), finals.end());
  }
  journal.outcomes = {
      example_outcome(own, "NN", {{kSmall, {slower * small.own_ns}}}, 1.0),
      example_outcome(kBuiltIn, "NN", {{kSmall, {slower * small.built_in_ns}}}, 2.0)};
  journal.spent.all_s = 10.0;
  journal.complete = true;
  return journal;
}

std::string winning_kernel(const JournalContents& contents, std::size_t problem) {
  return winner(standings(contents), problem).text();
}

double total_ns(const JournalContents& contents, std::size_t problem, const std::string& kernel) {
  const Standings all = standings(contents);
  const PlanTime* time = all.time(problem, parse_kernel(kernel));
  REQUIRE(time != nullptr);
  return time->total_ns();
}

// Changes the time of each sample of the finals.
template <class Change>
void for_each_sample(JournalContents& journal, const Change& change) {
  for (Outcome& outcome : journal.finals.outcomes) change(outcome, outcome.shapes[0].ns[0]);
}

TEST_CASE("the better kernel wins, even if its board is slower") {
  // B's kernel takes 5 % less than A's, on a board that is 10 % slower.
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  const JournalContents b = shard(kOfB, {1000, 760}, {9000, 7500}, 1.1, true);
  for (const auto& order : {std::vector{a, b}, std::vector{b, a}}) {
    const JournalContents merged = merge(order);
    CHECK(merged.finals.kernels.size() == 3);
    CHECK(merged.finals.baselines.size() == 1);
    CHECK(winning_kernel(merged, 0) == kOfB);
    CHECK(winning_kernel(merged, 1) == kOfA);
  }
  // Times are those of the first board.
  const JournalContents both = merge({a, b});
  CHECK(total_ns(both, 0, kBuiltIn) == Approx(1000.0).epsilon(0.003));
  CHECK(standings(both).times[0].at(parse_kernel(kBuiltIn)).samples_ns.size() == 16);
  CHECK(total_ns(both, 0, kOfA) == Approx(800.0).epsilon(0.003));
  CHECK(total_ns(both, 0, kOfB) == Approx(760.0).epsilon(0.003));
}

TEST_CASE("the speed ratio of two boards may differ between shapes") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.0);
  for_each_sample(b, [](const Outcome& outcome, double& ns) {
    ns *= outcome.shapes[0].shape == kLarge ? 2.0 : 1.1;
  });
  const JournalContents merged = merge({a, b});
  CHECK(winning_kernel(merged, 0) == kOfB);
  CHECK(winning_kernel(merged, 1) == kOfB);
  CHECK(total_ns(merged, 1, kOfB) == Approx(6000.0).epsilon(0.003));
}

TEST_CASE("slow-downs of a board are computed from its own finalists") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.0);
  for_each_sample(b, [](const Outcome& outcome, double& ns) {
    if (outcome.round % 2 != 0) ns *= 3.0;
  });
  CHECK(total_ns(merge({a, b}), 0, kOfB) == Approx(760.0).epsilon(0.005));
}

TEST_CASE("survivors of each of several finals survive the merge, whatever their lengths") {
  JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  const JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.0);
  for (const Outcome& outcome : std::vector<Outcome>(a.finals.outcomes)) {
    a.finals.outcomes.push_back(outcome);
    a.finals.outcomes.back().process += 5;
    a.finals.outcomes.back().round += 25;
  }
  const Standings all = standings(merge({a, b}));
  for (const auto& of_problem : all.times) {
    for (const auto& [kernel, time] : of_problem) CHECK(time.survives);
  }
  CHECK(winning_kernel(merge({a, b}), 0) == kOfB);
}

TEST_CASE("each process of each board is a separate block") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  const JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.1);
  const auto num_blocks = [](const JournalContents& journal, const char* kernel) {
    return estimates(journal.finals.outcomes, kSmall).at(parse_kernel(kernel)).medians.size();
  };
  const std::size_t blocks = num_blocks(a, kBuiltIn);
  CHECK(blocks > 1);
  const JournalContents both = merge({a, b});
  CHECK(num_blocks(both, kBuiltIn) == 2 * blocks);
  CHECK(num_blocks(both, kOfA) == blocks);
}

TEST_CASE("tunings for other shapes are merged with their shapes") {
  const GemmShape tall{2048, 8, 512};
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 7500}, 1.1);
  const auto rename = [&](GemmShape& shape) {
    if (shape == kLarge) shape = tall;
  };
  for (GemmShape& shape : b.header.shapes) rename(shape);
  for_each_sample(b, [&](Outcome& outcome, double&) { rename(outcome.shapes[0].shape); });
  b.outcomes[1].shapes.push_back(b.outcomes[1].shapes.front());
  b.outcomes[1].shapes.back().shape = tall;
  b.outcomes[1].shapes.back().ns = {1.1 * 9000};
  b.header.designed = 2;
  const JournalContents merged = merge({a, b});
  // Shapes that a user asked for come first, and no longer count as part of a design.
  CHECK(merged.header.shapes == std::vector{kSmall, kLarge, tall});
  CHECK(merged.header.designed == 1);
  CHECK(merged.outcomes.size() == 3);
  const ShapeSamples* built_in = samples_on(merged.outcomes[1], tall);
  REQUIRE(built_in != nullptr);
  CHECK(built_in->ns.front() == Approx(9000.0));
  CHECK(winning_kernel(merged, 0) == kOfB);
  CHECK(winning_kernel(merged, 1) == kOfA);
  CHECK(winning_kernel(merged, 2) == kOfB);
}

TEST_CASE("half a tuning does not become complete by half of one for other shapes") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 7500}, 1.1);
  b.header.shard = 2;
  CHECK(missing_shards({a, b}).empty());
  b.header.shapes = {kSmall};
  CHECK(missing_shards({a, b}) == std::vector{2});
  CHECK_FALSE(merge({a, b}).complete);
}

TEST_CASE("everything in the journals is merged") {
  JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 2.0, true);
  a.packs = {example_pack("pack tile_m=2", 0.5)};
  b.packs = {example_pack("pack tile_m=2", 0.7), example_pack("pack tile_m=4", 0.8)};
  ShapeSamples& medium = b.packs[1].shapes.emplace_back();
  medium.shape = {2000, 2000, 1};
  medium.ns = {1.0 * 2000 * 2000};
  b.rates.emplace();
  b.rates->peak_gflops = 7.0;
  Outcome died = example_outcome(kOfB, kFinals, {}, 0.0);
  died.result = OutcomeClass::kHang;
  died.reason = "it died";
  b.finals.outcomes.push_back(died);
  b.complete = false;
  const JournalContents merged = merge({a, b});
  CHECK(merged.outcomes.size() == 3);
  CHECK(merged.outcomes[2].kernel.text() == kOfB);
  CHECK(merged.outcomes[2].shapes[0].ns[0] == Approx(760.0));
  CHECK(merged.packs.size() == 2);
  CHECK(ns_per_element(merged.packs[1], 1000) == Approx(0.4));
  CHECK(ns_per_element(merged.packs[1], 2000) == Approx(0.5));
  CHECK(merged.rates == b.rates);
  CHECK(failed_finalists(merged) == FinalFailures{{parse_kernel(kOfB), "hang: it died"}});
  CHECK(winning_kernel(merged, 0) == kOfA);
  CHECK_FALSE(merged.complete);
  CHECK(merged.spent.all_s == 20.0);
  CHECK(merged.header.shards == 1);
  CHECK(merge({a}).outcomes == a.outcomes);
}

TEST_CASE("a profile is complete if all shards are present and complete") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.1, true);
  CHECK_FALSE(merge({a, b}).complete);  // both are the first of two
  CHECK(missing_shards({a, b}) == std::vector<int>{2});
  b.header.shard = 2;
  CHECK(missing_shards({a, b}).empty());
  CHECK(merge({a, b}).complete);
  CHECK_FALSE(merge({a}).complete);
  CHECK(missing_shards({b}) == std::vector<int>{1});
  b.complete = false;
  CHECK_FALSE(merge({a, b}).complete);
  // A whole tuning and half of one: nothing is missing, in either order.
  b.complete = true;
  b.header.shard = b.header.shards = 1;
  CHECK(missing_shards({a, b}).empty());
  CHECK(missing_shards({b, a}).empty());
}

TEST_CASE("products that were held out are kept of a single journal") {
  JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  a.products.resize(5);
  for (std::size_t i = 0; i < 3; ++i) {
    a.products[i].held_out = true;
    a.products[i].plans = {example_plan("gemm", kSmall, 1.0)};
  }
  CHECK(merge({a}).products == a.products);
  const JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.1, true);
  CHECK(merge({a, b}).products.empty());
}

TEST_CASE("a copy of a journal is rejected, since its samples would count twice") {
  JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  const JournalContents whole = a;
  a.header.shard = 2;
  CHECK_THROWS_AS(merge({whole, a}), JournalError);
  a.outcomes.pop_back();  // an earlier state of it
  CHECK_THROWS_AS(merge({whole, a}), JournalError);
  // Another tuning of the same board has different times.
  a.outcomes.front().shapes.front().ns.front() += 0.1;
  CHECK_NOTHROW(merge({whole, a}));
}

TEST_CASE("before the finals, journals are scaled by candidates that both have tried") {
  JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.1);
  for (JournalContents* journal : {&a, &b}) {
    journal->finals = {};
  }
  CHECK(winning_kernel(merge({a, b}), 0) == kOfB);
  b.outcomes.pop_back();  // that of the built-in kernel
  CHECK_THROWS_WITH(merge({a, b}, {"a.jsonl", "b.jsonl"}),
                    Catch::Matchers::ContainsSubstring("a.jsonl and b.jsonl"));
}

TEST_CASE("a journal without finals is not merged with one that has finals") {
  const JournalContents a = shard(kOfA, {1000, 800}, {9000, 7000}, 1.0);
  JournalContents b = shard(kOfB, {1000, 760}, {9000, 6000}, 1.1);
  b.finals = {};
  const auto refusal = Catch::Matchers::ContainsSubstring("b.jsonl");
  CHECK_THROWS_WITH(merge({a, b}, {"a.jsonl", "b.jsonl"}), refusal);
  CHECK_THROWS_WITH(merge({b, a}, {"b.jsonl", "a.jsonl"}), refusal);
}

}  // namespace
}  // namespace tilewright

// Replays of a journal that was never measured: all its times are made up, so the best is known.
#include "tuner/replay/replay.hpp"

#include <cmath>
#include <filesystem>
#include <limits>
#include <tuple>

#include "catch.hpp"
#include "codelets/space/space.hpp"
#include "profiles/digest.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/search/search_tasks.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kSmall{64, 64, 64};
constexpr GemmShape kLarge{256, 256, 256};
constexpr double kTookS = 0.5;

const std::vector<std::string> kRestrictions = {
    "tile_m=1,2,4,8",   "tile_n=4,8",          "tile_k=1",
    "unroll_k=1,2",     "vector_width=4",      "inner=outer",
    "id_order=nm",      "work_group_m=1,4,16", "work_group_n=1,4,16",
    "lanes_m=1",        "lanes_n=1",           "cache_block_k=0",
    "group_order=rows", "access=vload",        "assignment=consecutive"};

DeviceFacts made_up_device() {
  DeviceFacts device;
  device.identity.name = "made up";
  device.limits = {256, {256, 256}, 16,   128, std::numeric_limits<std::int64_t>::max(),
                   0,   false,      false};
  device.hints = {4, 1};
  return device;
}

// Times with one valley, and a part that no neighbour tells.
double made_up_ns(const GemmPoint& p, const GemmShape& shape) {
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  const double slower = 1.0 + 0.2 * apart(p.tile_m, 4) + 0.2 * apart(p.tile_n, 8) +
                        0.1 * apart(p.work_group_m, 4) + 0.1 * apart(p.work_group_n, 4) +
                        0.05 * apart(p.unroll_k, 2) +
                        (p.addressing == Addressing::kIndices ? 0.0 : 0.02);
  return slower * flops(shape) / 10.0;
}

// Every point of the space, as an exhaustive search on such a device would have left it.
JournalContents made_up_journal() {
  JournalContents contents;
  contents.header.device = made_up_device();
  contents.header.ops = {Op::kNN};
  contents.header.shapes = {kSmall, kLarge};
  contents.header.restrictions = kRestrictions;
  contents.header.packed = false;
  const Space space(gemm_point(Op::kNN), contents.header.device.limits,
                    {false,
                     {"split_k", "work_group_k", "multiply_add"},
                     parse_restrictions(contents.header.restrictions)});
  contents.header.space_digest = digest_of_bytes(space.digest());
  space.for_each([&](const ParameterPoint& point) {
    auto gemm = std::get<GemmPoint>(point);
    gemm.multiply_add = MultiplyAdd::kMad;  // as it is tried, not as it is searched
    Outcome outcome;
    outcome.kernel = KernelId(gemm);
    outcome.phase = "NN";
    outcome.took_s = kTookS;
    if (gemm.work_group_m * gemm.work_group_n == 256) {
      outcome.result = OutcomeClass::kLaunch;
    } else {
      for (const GemmShape& shape : contents.header.shapes) {
        ShapeSamples samples;
        samples.shape = shape;
        samples.ns = {made_up_ns(gemm, shape)};
        outcome.shapes.push_back(samples);
      }
    }
    contents.outcomes.push_back(outcome);
    return true;
  });
  return contents;
}

const ReplayResult& result_of(const ReplayPhase& phase, StrategyKind kind, double budget_s) {
  for (const ReplayResult& result : phase.results) {
    if (result.strategy == kind && result.budget_s == budget_s) return result;
  }
  throw std::logic_error("no such result");
}

TEST_CASE("a replay finds the best where time allows, and the less the less time there is",
          "[long]") {
  const JournalContents contents = made_up_journal();
  const auto all = static_cast<double>(contents.outcomes.size());
  REQUIRE(all > 100);
  const double whole_s = all * kTookS;
  const double part_s = 10 * kTookS;
  const ReplayOptions options{{kStrategyKinds, kStrategyKinds + 5}, {whole_s, part_s}, 10};
  const Replay replayed = replay(contents, options);
  CHECK(replayed.same_space);
  REQUIRE(replayed.phases.size() == 1);
  const ReplayPhase& phase = replayed.phases.front();
  CHECK(phase.name == "NN");
  CHECK(phase.recorded == static_cast<int>(contents.outcomes.size()));
  CHECK(phase.valid == all);
  CHECK(phase.measured < phase.recorded);
  CHECK(phase.recorded_s == Approx(whole_s));
  REQUIRE(phase.results.size() == 10);
  for (const StrategyKind kind : kStrategyKinds) {
    INFO(to_text(kind));
    const ReplayResult& whole = result_of(phase, kind, whole_s);
    CHECK(whole.percent.low == Approx(100.0));
    CHECK(whole.candidates == all);
    CHECK(whole.unrecorded == 0.0);
    const ReplayResult& part = result_of(phase, kind, part_s);
    CHECK(part.candidates == 10);
    CHECK(part.percent.median > 0.0);
    CHECK(part.percent.low < 99.9);
    CHECK(part.percent.samples == 10);
  }
}

TEST_CASE("a journal of halfs is replayed in a space of halfs") {
  JournalContents contents;
  contents.header.device = made_up_device();
  contents.header.ops = {Op::kNN};
  contents.header.shapes = {kSmall};
  contents.header.packed = false;
  for (const Precision precision : kPrecisions) {
    contents.header.precision = precision;
    const auto tasks = search_tasks(tuning_of(contents), contents.header.device);
    const auto contains = [&](const char* type) {
      return tasks.front().space->contains(parse_point("gemm" + std::string(type)));
    };
    CHECK(contains("") == (precision == Precision::kSingle));
    CHECK(contains(" precision=d") == (precision == Precision::kDouble));
    CHECK(contains(" precision=h") == (precision == Precision::kHalf));
  }
}

TEST_CASE("a replay tells a search from luck", "[long]") {
  const ReplayOptions options{
      {StrategyKind::kRandom, StrategyKind::kGreedy, StrategyKind::kIterated}, {60 * kTookS}, 10};
  const Replay replayed = replay(made_up_journal(), options);
  const std::vector<ReplayResult>& results = replayed.phases.front().results;
  CHECK(results[1].percent.median > results[0].percent.median);
  CHECK(results[2].percent.median > results[0].percent.median);
}

TEST_CASE("a replay passes over points that the journal does not know, for nothing", "[long]") {
  JournalContents contents = made_up_journal();
  std::vector<Outcome> half;
  for (std::size_t i = 0; i < contents.outcomes.size(); i += 2) {
    half.push_back(contents.outcomes[i]);
  }
  contents.outcomes = half;
  const double whole_s = static_cast<double>(half.size()) * kTookS;
  const Replay replayed = replay(contents, {{StrategyKind::kExhaustive}, {2 * whole_s}, 3});
  const ReplayResult& result = replayed.phases.front().results.front();
  CHECK(result.candidates == static_cast<double>(half.size()));
  CHECK(result.unrecorded == Approx(0.5).margin(0.01));
  CHECK(result.percent.median == Approx(100.0));
}

TEST_CASE("a replay of nothing ends, and other spaces are told", "[long]") {
  JournalContents contents = made_up_journal();
  contents.outcomes.clear();
  contents.header.space_digest = "another";
  const Replay replayed = replay(contents, {{StrategyKind::kGreedy}, {10.0}, 2});
  CHECK_FALSE(replayed.same_space);
  CHECK(replayed.phases.front().results.empty());
}

TEST_CASE("a replay works on a journal as it was written") {
  const JournalContents contents = made_up_journal();
  const std::string path =
      (std::filesystem::temp_directory_path() / "tilewright_replay_test.jsonl").string();
  std::filesystem::remove(path);
  {
    Journal journal = Journal::create(path, contents.header);
    for (std::size_t i = 0; i < 40; ++i) journal.append({contents.outcomes[i]});
  }
  const Replay replayed = replay(read_journal(path), {{StrategyKind::kExhaustive}, {1e6}, 1});
  std::filesystem::remove(path);
  CHECK(replayed.same_space);
  CHECK(replayed.phases.front().recorded == 40);
  CHECK(replayed.phases.front().results.front().percent.median == Approx(100.0));
}

// 2,496 points that PoCL compiled and ran (docs/search.md): what the default strategy is worth.
TEST_CASE("ten minutes of greedy search find 97 % of the best that an exhaustive journal holds",
          "[long]") {
  const JournalContents recorded = read_journal(TILEWRIGHT_TEST_DATA "/pocl.journal.jsonl");
  REQUIRE(recorded.outcomes.size() == 2496);
  ReplayOptions options;
  options.strategies = {StrategyKind::kGreedy, StrategyKind::kRandom};
  options.budgets_s = {120.0, 600.0};
  options.seeds = 6;
  const Replay result = replay(recorded, options);
  REQUIRE(result.phases.size() == 1);
  const std::vector<ReplayResult>& results = result.phases.front().results;
  REQUIRE(results.size() == 4);
  const auto& [greedy, greedy_to_the_end, random, random_to_the_end] =
      std::tie(results[0], results[1], results[2], results[3]);
  CHECK(greedy_to_the_end.percent.median >= 97.0);
  CHECK(greedy_to_the_end.percent.low >= 97.0);
  CHECK(greedy_to_the_end.unrecorded == 0.0);
  CHECK(greedy_to_the_end.percent.median > random_to_the_end.percent.median);
  // The model and the neighbours are worth something.
  CHECK(greedy.percent.median > random.percent.median + 5.0);
}

}  // namespace
}  // namespace tilewright

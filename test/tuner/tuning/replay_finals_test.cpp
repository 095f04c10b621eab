// Finals that are held again, on made-up samples: what is best is known.
#include "tuner/tuning/replay_finals.hpp"

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/search/ways.hpp"

namespace tilewright {
namespace {

constexpr GemmShape kShape{96, 96, 96};
constexpr const char* kFast = "gemm tile_m=4 tile_n=8 vector_width=8";
constexpr const char* kSlower = "gemm tile_m=2 tile_n=4 vector_width=4";

// Samples around a time, taken by a machine that moves by `pace` meanwhile.
Outcome outcome_of(const std::string& point, double ns, const std::vector<double>& paces) {
  constexpr double kReference_ns = 5e5;
  constexpr double kNoise[] = {0.97, 1.0, 1.03, 1.0, 1.6};
  Outcome outcome;
  outcome.point = to_text(parse_point(point));
  outcome.phase = "NN";
  ShapeSamples samples;
  samples.shape = kShape;
  samples.reference_known_ns = kReference_ns;
  for (std::size_t i = 0; i < std::size(kNoise); ++i) {
    const double pace = paces[i % paces.size()];
    samples.ns.push_back(kNoise[i] * ns * pace);
    samples.reference_ns.push_back(kReference_ns * pace);
  }
  outcome.shapes = {samples};
  return outcome;
}

JournalContents journal_of(std::vector<Outcome> outcomes) {
  JournalContents journal;
  journal.header.ops = {Op::kNN};
  journal.header.shapes = {kShape};
  journal.outcomes = std::move(outcomes);
  return journal;
}

std::vector<const Outcome*> all_of(const JournalContents& journal) {
  std::vector<const Outcome*> all;
  for (const Outcome& outcome : journal.outcomes) all.push_back(&outcome);
  return all;
}

std::string chosen(const JournalContents& journal, std::uint64_t seed) {
  const RecordedSamples samples(journal);
  const ReplayedChoice choice =
      replay_finals(journal, samples, {{Op::kNN}, {kShape}, all_of(journal)}, seed);
  return choice.problems.empty() ? "" : choice.problems.front().kernel;
}

TEST_CASE("replayed finals choose the faster kernel, however the machine moves", "[long]") {
  // The slower one was tried while the machine was at its fastest; in both trials its pace moved
  // once.
  const JournalContents journal =
      journal_of({outcome_of(kFast, 1.0e6, {2.0, 2.01, 1.3, 2.0, 2.0}),
                  outcome_of(kSlower, 1.1e6, {0.5, 0.5, 0.9, 0.5, 0.5})});
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CHECK(chosen(journal, seed) == to_text(parse_point(kFast)));
  }
}

TEST_CASE("replayed finals leave out what failed, and choose nothing of nothing") {
  JournalContents journal =
      journal_of({outcome_of(kFast, 1.0e6, {1.0}), outcome_of(kSlower, 1.1e6, {1.0})});
  journal.outcomes.front().result = OutcomeClass::kWrong;
  CHECK(chosen(journal, 1) == to_text(parse_point(kSlower)));
  CHECK(chosen(journal_of({}), 1).empty());
  journal.outcomes.back().result = OutcomeClass::kHang;
  CHECK(chosen(journal, 1).empty());
}

TEST_CASE("what only the search's end would have told is not known to a shorter search") {
  const JournalContents journal =
      journal_of({outcome_of(kSlower, 1.1e6, {1.0}), outcome_of(kFast, 1.0e6, {1.0})});
  const RecordedSamples samples(journal);
  const ReplayedChoice choice =
      replay_finals(journal, samples, {{Op::kNN}, {kShape}, {&journal.outcomes.front()}}, 1);
  REQUIRE(choice.problems.size() == 1);
  CHECK(choice.problems.front().kernel == to_text(parse_point(kSlower)));
  CHECK(choice.kernels == 1);
}

TEST_CASE("samples are those of the recorded finals, where a finalist was in them") {
  JournalContents journal = journal_of({outcome_of(kFast, 1.0e6, {1.0})});
  const Finalist finalist{to_text(parse_point(kFast)), Finalist::Job::kProduct, ""};
  const Finalist stranger{to_text(parse_point(kSlower)), Finalist::Job::kProduct, ""};
  std::mt19937_64 random(1);
  CHECK(*RecordedSamples(journal).draw(finalist, kShape, random) > 0.9e6);
  journal.lineup = Lineup{{finalist}, {{Op::kNN, 0, {}, {}, {}}}, 0, {}};
  journal.sweeps = {{0, kShape, 1e5, 1e5, {{0, 7e5}}}, {1, kShape, 2e5, 2e5, {{0, 14e5}}}};
  const RecordedSamples samples(journal);
  for (int i = 0; i < 10; ++i) CHECK(*samples.draw(finalist, kShape, random) == Approx(7e5));
  CHECK_FALSE(samples.draw(stranger, kShape, random).has_value());
  CHECK_FALSE(samples.draw(finalist, {1, 1, 1}, random).has_value());
}

TEST_CASE("packs that never raced take what their trial took") {
  const KernelRecord record =
      emit(parse_point("gemm layout_b=C1x8R tile_m=4 tile_n=8 vector_width=8"));
  const PackPoint demand = pack_demand_b(record, Op::kNN);
  JournalContents journal =
      journal_of({outcome_of(record.point, 1.0e6, {1.0}), outcome_of(kFast, 1.5e6, {1.0})});
  const auto with_pack = [&](double ns_per_element) {
    journal.packs = {{to_text(demand), {to_text(demand), ns_per_element}}};
    return chosen(journal, 1);
  };
  // 96 x 96 elements: 9.2 us, or 0.92 ms, beside a product of 1.0 ms.
  CHECK(with_pack(1.0) == record.point);
  CHECK(with_pack(100.0) == to_text(parse_point(kFast)));
}

}  // namespace
}  // namespace tilewright

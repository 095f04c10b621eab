// Tests of the message for a tuning whose energy is incomplete although there was time for it.
#include "tuner/tuning/report/missing_energy.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"

namespace tilewright {
namespace {

// A tuning with a final of two kernels.
JournalContents with_finals() {
  const GemmShape shape{64, 64, 64};
  JournalContents contents;
  contents.header = example_header({shape});
  contents.header.ops = {Op::kNN};
  contents.header.objective = Objective::kEnergy;
  Lineup lineup;
  for (const char* text : {"gemm tile_m=2", "gemm tile_m=4"}) {
    lineup.plans.push_back({Op::kNN, lineup.finalists.size()});
    lineup.finalists.push_back(parse_kernel(text));
  }
  contents.lineup = lineup;
  contents.rounds = example_rounds(shape, {{0, 100.0}, {1, 110.0}});
  return contents;
}

Outcome failure_of(const std::string& kernel, OutcomeClass result, const std::string& reason) {
  Outcome outcome;
  outcome.kernel = parse_kernel(kernel);
  outcome.result = result;
  outcome.reason = reason;
  return outcome;
}

TEST_CASE("kernels that failed on random products are named if energy is missing") {
  JournalContents contents = with_finals();
  contents.outcomes = {failure_of("gemm tile_m=1", OutcomeClass::kBuild, "in the search")};
  CHECK(failures_on_random_products(contents).empty());
  const auto fail = [&](OutcomeClass result, const std::string& reason) {
    contents.outcomes.push_back(failure_of("gemm tile_m=8", result, reason));
    contents.outcomes.back().task = kValidating;
  };
  fail(OutcomeClass::kHang, "no reply");
  const std::string name = contents.outcomes.back().kernel.facts().name;
  CHECK(failures_on_random_products(contents) == name + ": hang: no reply");
  fail(OutcomeClass::kWrong, "off by 2");
  CHECK(failures_on_random_products(contents) ==
        name + ": hang: no reply; " + name + ": wrong: off by 2");
  contents.energy_rounds = {{.shape = contents.header.shapes[0], .joules = {{0, 0.5}, {1, 0.5}}}};
  CHECK(failures_on_random_products(contents).empty());
}

TEST_CASE("the message about missing energy names the sensor or the kernels that failed") {
  CHECK_FALSE(EnergyFailure{}.is_known());
  const EnergyFailure of_kernels{.kernels = "sgemm_nn_8x8: hang: no reply"};
  CHECK(of_kernels.is_known());
  CHECK(missing_energy_text(of_kernels, "the same command") ==
        "the energy of the finalists is missing, because the best plans use other kernels since "
        "these failed on random products: sgemm_nn_8x8: hang: no reply; run the same command "
        "again, with a longer --budget if the present one is used up");
  const EnergyFailure of_sensor{.sensor = "it is gone"};
  CHECK(of_sensor.is_known());
  CHECK(missing_energy_text(of_sensor, "the same command") ==
        "the energy of the finalists is missing, because a sensor failed: it is gone; run the same "
        "command again when the sensor works, with a longer --budget if the present one is used "
        "up");
}

}  // namespace
}  // namespace tilewright

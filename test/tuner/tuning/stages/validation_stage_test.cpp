// Tests how the benchmark of one product validates the plans of a profile.
#include "tuner/tuning/stages/validation_stage.hpp"

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "tuner/select/validation.hpp"
#include "tuner/tuning/stages/product_trials.hpp"

namespace tilewright {
namespace {

constexpr const char* kChosen = "gemm tile_m=4 tile_n=4 vector_width=4";
constexpr const char* kOther = "gemm layout_a=R4x1C tile_m=4 tile_n=8 vector_width=4";

std::string kernel_name(const char* point) {
  return emit(parse_point(point)).name;
}

BenchFigure make_figure(FigureKind kind, const std::string& name, std::vector<std::string> kernels,
                        std::vector<double> samples_ns, double predicted_ns = 0.0) {
  BenchFigure figure{kind, name, std::move(kernels)};
  figure.samples_ns = std::move(samples_ns);
  figure.predicted_ns = predicted_ns;
  return figure;
}

BenchResult benched() {
  BenchResult result;
  result.op = Op::kNT;
  result.shape = {30, 20, 10};
  result.figures = {
      make_figure(FigureKind::kOwn, "tilewright", {kernel_name(kChosen)}, {110.0, 110.0, 500.0}),
      make_figure(FigureKind::kCompetitor, "builtin", {}, {300.0}),
      make_figure(FigureKind::kPlan, "a", {kernel_name(kChosen)}, {100.0}, 90.0),
      make_figure(FigureKind::kPlan, "b", {"pack", kernel_name(kOther)}, {200.0}, 180.0),
      make_figure(FigureKind::kPlan, "c", {"unknown"}, {50.0}, 50.0),
      make_figure(FigureKind::kLaunchFloor, "launch floor", {}, {10.0})};
  return result;
}

TEST_CASE("a benchmark's result is a validated product, the plan that runs first") {
  Profile profile;
  profile.kernels = {emit(parse_point(kChosen)), emit(PackPoint{})};
  profile.kernels.back().name = "pack";
  Profile other;
  other.kernels = {emit(parse_point(kOther))};
  const auto product = validated_product(benched(), {&profile, &other});
  REQUIRE(product);
  CHECK(product->op == Op::kNT);
  CHECK(product->shape == GemmShape{30, 20, 10});
  // Plans are measured alike; the library's call takes longer than its plan.
  REQUIRE(product->plans.size() == 2);
  CHECK(product->plans[0] == example_plan(kChosen, product->shape, 100.0, 90.0));
  // The predicted time is a guess.
  CHECK(product->plans[1] == example_plan(kOther, product->shape, 200.0));
  CHECK(product->call_ns == 110.0);
  CHECK(product->built_in_ns == 300.0);
  CHECK(product->launch_ns == 10.0);
  CHECK_FALSE(validated_product(benched(), {&other}));  // what runs is not known
}

TEST_CASE("a validated product says how certain the order of the plans is") {
  Profile profile;
  profile.kernels = {emit(parse_point(kChosen)), emit(parse_point(kOther))};
  BenchResult result = benched();
  result.figures[0].samples_ns = {100.0, 200.0, 100.0};
  result.figures[1].samples_ns = {110.0, 220.0, 110.0};
  result.figures[2].samples_ns = {100.0, 200.0, 100.0};
  result.figures[3].samples_ns = {90.0, 180.0, 90.0};
  const auto product = validated_product(result, {&profile});
  REQUIRE(product);
  REQUIRE(product->plans.size() == 2);
  CHECK(product->max_times_call == Approx(1.1));
  CHECK(product->plans[1].shapes.at(0).ns == result.figures[3].samples_ns);
}

TEST_CASE("a plan that runs and was measured only as a call counts with the time of the call") {
  Profile profile;
  profile.kernels = {emit(parse_point(kChosen))};
  BenchResult result = benched();
  result.figures.erase(result.figures.begin() + 2);
  const auto product = validated_product(result, {&profile});
  REQUIRE(product);
  CHECK(product->plans.size() == 1);
  CHECK(product->plans[0].shapes.at(0).ns == result.figures[0].samples_ns);
  CHECK(product->plans[0].predicted_ns == 0.0);
  result.figures[0].samples_ns.clear();
  CHECK_FALSE(validated_product(result, {&profile}));
}

TEST_CASE("the time of a random product is the mean of all that were tried") {
  JournalContents contents;
  CHECK(product_s(contents) == 0.0);
  contents.products.resize(10);
  contents.spent.by_activity_s = {{kOnValidation, 5.0}};
  CHECK(product_s(contents) == Approx(0.5));
}

TEST_CASE("tunings for all shapes are validated, unless candidates or rounds are counted") {
  TuneOptions options;
  CHECK_FALSE(is_validated(options));
  options.designed = 24;
  CHECK(is_validated(options));
  options.b_prepacked = true;
  CHECK_FALSE(is_validated(options));
  options.b_prepacked = false;
  options.rounds = 1;
  CHECK_FALSE(is_validated(options));
  options.rounds = 0;
  options.candidates = 1;
  CHECK_FALSE(is_validated(options));
  options.validate = 3;
  CHECK(is_validated(options));
}

}  // namespace
}  // namespace tilewright

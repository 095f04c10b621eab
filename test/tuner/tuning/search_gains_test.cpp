// Tests which searches get the time that is left after finals, without a device.
#include "tuner/tuning/decide.hpp"

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {
namespace {

const GemmShape kSquare{1000, 1000, 1000};
const std::string kNN = "gemm tile_m=4 tile_n=4 vector_width=4";
const std::string kNT = "gemm layout_b=C tile_m=4 tile_n=4 vector_width=4";

DeviceRates example_rates() {
  DeviceRates rates;
  rates.peak_gflops = 1000.0;
  rates.copy_gbytes_per_s = 100.0;
  rates.launch_ns = 10e3;
  return rates;
}

TEST_CASE("the distance to the limits is that of the time beyond the launch") {
  const DeviceRates rates = example_rates();
  const auto distance = [&](const GemmShape& shape, double ns, double max_gflops) {
    return distance_to_limits(shape, ns, max_gflops, rates, Precision::kSingle);
  };
  // 2 GFLOP take 2 ms at the peak, and 4 ms at the largest rate seen.
  CHECK(distance(kSquare, 2.01e6, 1000.0) == Approx(0.0).margin(1e-9));
  CHECK(distance(kSquare, 4.02e6, 1000.0) == Approx(std::log(2.0)));
  CHECK(distance(kSquare, 4.01e6, 500.0) == Approx(0.5 * std::log(4.01 / 2.01)));
  // Nothing is faster than the limits, whatever a kernel does.
  CHECK(distance(kSquare, 1e6, 1000.0) == 0.0);
  // A matrix of 4 MB takes 40 us to read.
  CHECK(distance({1, 1000, 1000}, 50.1e3, 1000.0) < 0.01);
  // An empty launch cannot become faster.
  CHECK(distance({1, 1, 1}, 10e3, 1000.0) < 0.01);
}

// Finals in which NN takes `nn_ns` and NT `nt_ns`.
JournalContents finals(double nn_ns, double nt_ns) {
  JournalContents contents;
  contents.header = example_header({kSquare});
  contents.header.ops = {Op::kNN, Op::kNT};
  contents.rates = MeasuredRates{example_rates()};
  contents.finals = Finalists{{parse_kernel(kNN), parse_kernel(kNT)}, {}};
  contents.finals.outcomes = example_finals(kSquare, {{kNN, nn_ns}, {kNT, nt_ns}});
  return contents;
}

std::vector<SearchTask> tasks() {
  std::vector<SearchTask> tasks(3);
  tasks[0].ops = {Op::kNN};
  tasks[1].ops = {Op::kNT};
  tasks[2].ops = {Op::kNN, Op::kNT};
  tasks[2].weight = 0.5;
  for (SearchTask& task : tasks) task.shapes = {kSquare};
  return tasks;
}

TEST_CASE("searches for products that are far from the limits get more time") {
  const auto weights = weights_by_gain(tasks(), finals(2.1e6, 8e6));
  REQUIRE(weights.size() == 3);
  CHECK(weights[0] > 0.0);
  CHECK(weights[1] > 5.0 * weights[0]);
  CHECK(weights[2] == Approx(0.25 * (weights[0] + weights[1])));
  const auto equal = weights_by_gain(tasks(), finals(4e6, 4e6));
  CHECK(equal[0] == Approx(equal[1]));
}

TEST_CASE("before the first finals, searches have the weights of their tasks") {
  JournalContents contents = finals(2.1e6, 8e6);
  contents.finals.outcomes.clear();
  CHECK(weights_by_gain(tasks(), contents) == std::vector<double>{1.0, 1.0, 0.5});
}

}  // namespace
}  // namespace tilewright

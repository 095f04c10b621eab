// Tests how times of whole calls on random products are used for models and for the validation.
// Uses invented times.
#include "tuner/select/validation.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/select/baseline.hpp"

namespace tilewright {
namespace {

const GemmShape kValidatedShape{300, 200, 100};
const std::string kFirst = "gemm tile_m=4 tile_n=4 vector_width=4";
const std::string kSecond = "gemm tile_m=4 tile_n=8 vector_width=4";

ValidatedProduct batch_product(double first_ns, double second_ns, double built_in_ns) {
  ValidatedProduct product;
  product.op = Op::kNN;
  product.shape = kValidatedShape;
  product.plans = {example_plan(kFirst, kValidatedShape, first_ns, 1000.0),
                   example_plan(kSecond, kValidatedShape, second_ns, 2000.0)};
  product.call_ns = first_ns;
  product.built_in_ns = built_in_ns;
  return product;
}

ValidatedProduct held_out(ValidatedProduct product) {
  product.held_out = true;
  return product;
}

JournalContents validated_contents() {
  JournalContents contents;
  contents.header = example_header({kValidatedShape});
  contents.header.ops = {Op::kNN, Op::kNT};
  return contents;
}

TEST_CASE("every draw of random products has others, as many for each op") {
  const JournalHeader header = validated_contents().header;
  std::set<std::string> seen;
  for (std::size_t draw = 0; draw < 3; ++draw) {
    const auto products = random_products(header, 8, draw);
    REQUIRE(products.size() == 8);
    CHECK(std::count_if(products.begin(), products.end(),
                        [](const auto& product) { return product.op == Op::kNT; }) == 4);
    for (const auto& [op, shape] : products) {
      if (op == Op::kNN) CHECK(seen.insert(to_text(shape)).second);
    }
    CHECK(random_products(header, 8, draw)[0].shape == products[0].shape);
  }
}

TEST_CASE("a large square for each op takes a quarter of what a dispatch may take") {
  JournalContents contents = validated_contents();
  CHECK(large_products(contents).empty());  // nothing was measured
  contents.header.measure.max_dispatch_ns = 100e6;
  Outcome& outcome = contents.outcomes.emplace_back();
  ShapeSamples& samples = outcome.shapes.emplace_back();
  samples.shape = kValidatedShape;
  samples.ns = {1e-2 * flops(kValidatedShape)};  // 100 GFLOPS
  const auto products = large_products(contents);
  REQUIRE(products.size() == 2);
  CHECK(products[0].op == Op::kNN);
  CHECK(products[1].op == Op::kNT);
  CHECK(products[0].shape == products[1].shape);
  const double ns = 1e-2 * flops(products[0].shape);
  CHECK(ns <= 25e6);
  CHECK(ns > 20e6);
  // The first draw ends with them. They are at most half of it.
  const auto num_large = [&](std::size_t count, std::size_t tried) {
    const auto draw = products_of_draw(contents, count, tried);
    CHECK(draw.size() == count);
    return std::count_if(draw.begin(), draw.end(), [&](const RandomProduct& product) {
      return product.shape == products[0].shape;
    });
  };
  CHECK(num_large(24, 0) == 2);
  CHECK(num_large(3, 0) == 1);
  CHECK(num_large(1, 0) == 0);
  CHECK(num_large(24, 24) == 0);
  CHECK(products_of_draw(contents, 24, 0).back().shape == products[0].shape);
  // A tuning on such shapes needs no more.
  contents.header.shapes.push_back(products[0].shape);
  CHECK(large_products(contents).empty());
}

TEST_CASE("regret is by how much longer the chosen plans take than the best known ones") {
  CHECK(regret({}) == 0.0);
  const std::vector<ValidatedProduct> products = {batch_product(1000.0, 2000.0, 3000.0),
                                                  batch_product(1210.0, 1000.0, 3000.0)};
  CHECK(regret(products) == Approx(0.1));
  // The best known time may be that of the built-in kernel.
  CHECK(regret(std::vector{batch_product(1500.0, 2000.0, 1000.0)}) == Approx(0.5));
}

TEST_CASE("plans are compared with plans, and calls with calls") {
  // A call takes longer than its plan.
  ValidatedProduct product = batch_product(1000.0, 1050.0, 1150.0);
  product.call_ns = 1100.0;
  CHECK(regret(std::vector{product}) == 0.0);
  product.built_in_ns = 1000.0;
  CHECK(regret(std::vector{product}) == Approx(0.1));
  JournalContents contents = validated_contents();
  contents.products.assign(kMinHeldOut, held_out(product));
  REQUIRE(summarize_validation(contents));
  CHECK(summarize_validation(contents)->times_built_in == Approx(1000.0 / 1100.0));
  CHECK(summarize_validation(contents)->of_best == Approx(1000.0 / 1100.0));
}

TEST_CASE("times of calls count for models without the launch, in the scale of predictions") {
  JournalContents contents = validated_contents();
  CHECK(validated_results(contents).empty());
  // Every plan takes 1.5 times the predicted time, except for one kernel on one product.
  for (int i = 0; i < 3; ++i) {
    contents.products.push_back(batch_product(1500.0 + 400.0, 3000.0 + 400.0, 0.0));
    contents.products.back().launch_ns = 400.0;
  }
  contents.products.back().plans[1].shapes[0].ns = {6000.0 + 400.0};
  const auto results = validated_results(contents);
  REQUIRE(results.size() == 6);
  CHECK(results[0].kernel == parse_kernel(kFirst).facts().name);
  CHECK(results[0].median_ns == Approx(1000.0));
  CHECK(results[1].median_ns == Approx(2000.0));
  CHECK(results[5].median_ns == Approx(4000.0));
  // Calls that consist mostly of the launch are not used.
  for (ValidatedProduct& product : contents.products) product.launch_ns = 1000.0;
  CHECK(validated_results(contents).size() == 3);
  // Products that are held out are not used.
  for (ValidatedProduct& product : contents.products) product.held_out = true;
  CHECK(validated_results(contents).empty());
}

TEST_CASE("times of calls lack what an empty launch takes on the device") {
  JournalContents contents = validated_contents();
  // Without its launch, a call takes 1.2 times as long as the kernels alone, less 3 us.
  const auto call_ns = [](double predicted_ns) { return 1.2 * predicted_ns - 3000.0 + 400.0; };
  for (const double predicted_ns : {5e3, 8e3, 2e4, 1e5, 4e5}) {
    ValidatedProduct& product = contents.products.emplace_back(
        batch_product(call_ns(predicted_ns), call_ns(1.5 * predicted_ns), 0.0));
    product.launch_ns = 400.0;
    product.plans[0].predicted_ns = predicted_ns;
    product.plans[1].predicted_ns = 1.5 * predicted_ns;
  }
  const auto results = validated_results(contents);
  REQUIRE(results.size() == 10);
  CHECK(results[0].median_ns == Approx(5e3));
  CHECK(results[1].median_ns == Approx(7.5e3));
  CHECK(results[9].median_ns == Approx(6e5));
}

TEST_CASE("calls that consist mostly of auxiliary kernels do not count for models") {
  // The launch of the reduce kernel takes 5 us, and its transfers about 1.5 us.
  const KernelId divided = parse_kernel("gemm tile_m=4 tile_n=4 vector_width=4 split_k=4");
  JournalContents contents = validated_contents();
  contents.rates.emplace().launch_ns = 5000.0;
  contents.rates->copy_gbytes_per_s = 1000.0;
  contents.packs = {example_pack("reduce", 1e-9)};
  const auto rest_ns = [&](double call_ns) {
    ValidatedProduct product = batch_product(call_ns, call_ns, 0.0);
    product.plans = {example_plan(divided.text(), kValidatedShape, call_ns, call_ns)};
    contents.products = {product};
    const auto results = validated_results(contents);
    return results.empty() ? 0.0 : results[0].median_ns;
  };
  CHECK(rest_ns(10e3) == 0.0);
  CHECK(rest_ns(18e3) == 0.0);
  CHECK(rest_ns(50e3) > 40e3);
  CHECK(rest_ns(50e3) < 45e3);
}

TEST_CASE("what runs without the profile counts for models, too") {
  JournalContents contents = validated_contents();
  const Baseline baseline(contents.header);
  const KernelId built_in = baseline.ranking(Op::kNN, kValidatedShape).front();
  Outcome outcome;
  outcome.task = kBuiltIn;
  outcome.kernel = built_in;
  contents.outcomes = {outcome};
  contents.products = {batch_product(1000.0, 2000.0, 1500.0)};
  auto results = validated_results(contents);
  REQUIRE(results.size() == 3);
  CHECK(results[2].kernel == built_in.facts().name);
  CHECK(results[2].median_ns == Approx(1500.0));
  // The built-in kernel counts once if it is among the plans of the profile.
  contents.products[0].plans[1].kernel = built_in;
  results = validated_results(contents);
  REQUIRE(results.size() == 2);
  CHECK(results[1].median_ns == Approx(2000.0));
}

TEST_CASE("a validation is of what was held out") {
  JournalContents contents = validated_contents();
  contents.products = {batch_product(1000.0, 1000.0, 1000.0)};
  CHECK_FALSE(summarize_validation(contents));
  for (std::size_t i = 0; i < kMinHeldOut; i += 2) {
    CHECK_FALSE(summarize_validation(contents));  // too few say nothing
    contents.products.push_back(held_out(batch_product(1000.0, 2000.0, 4000.0)));
    contents.products.push_back(held_out(batch_product(1250.0, 1000.0, 1250.0)));
  }
  const Validation validation = summarize_validation(contents).value();
  CHECK(validation.products == kMinHeldOut);
  CHECK(validation.of_best == Approx(std::sqrt(0.8)));
  CHECK(validation.worst_of_best == Approx(0.8));
  CHECK(validation.times_built_in == Approx(2.0));
  CHECK(validation.worst_times_built_in == Approx(1.0));
  const std::vector<std::string> lines = validation_lines(validation);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("12 new products") == 0);
  CHECK(lines[0].find("2.00 x the built-in speed (slowest: 1.00 x)") != std::string::npos);
  CHECK(lines[1].find("89.4 % of the speed of the best known plan (worst: 80 %)") !=
        std::string::npos);
}

TEST_CASE("the claim of a tuning tells narrow products from others") {
  JournalContents contents = validated_contents();
  CHECK(held_out_line(contents).empty());
  const auto add = [&](const GemmShape& shape, double built_in_ns) {
    contents.products.push_back(held_out(batch_product(1000.0, 2000.0, built_in_ns)));
    contents.products.back().shape = shape;
  };
  for (std::size_t i = 0; i < kMinHeldOut; i += 3) {
    CHECK(held_out_line(contents).empty());
    add({16, 500, 300}, 4000.0);
    add({700, 1, 3000}, 1000.0);
    add({17, 40, 2000}, 1250.0);
    add({900, 800, 5}, 0.0);  // not compared
  }
  const std::string line = held_out_line(contents);
  INFO(line);
  CHECK(line.size() <= 100);  // a line of the terminal
  CHECK(line.find("from 1 to 3000") != std::string::npos);
  CHECK(line.find("8 narrow") != std::string::npos);
  CHECK(line.find(": 2.00 x; 4 not narrow: 1.25 x") != std::string::npos);
  contents.products = std::vector(kMinHeldOut, contents.products[2]);
  CHECK(held_out_line(contents).find("; 12 not narrow") != std::string::npos);
  CHECK(held_out_line(contents).find("(m or n") == std::string::npos);
}

TEST_CASE("a plan that seems faster within the noise is no regret") {
  ValidatedProduct product = batch_product(1000.0, 900.0, 950.0);
  const std::vector<double> first = {1000.0, 1001.0, 1002.0, 1003.0};
  product.plans[0].shapes[0].ns = first;
  const auto regret_with = [&](std::vector<double> second, double max_times_call) {
    product.plans[1].shapes[0].ns = std::move(second);
    product.max_times_call = max_times_call;
    return regret(std::vector{product});
  };
  CHECK(regret_with({900.0, 1100.0, 900.0, 1100.0}, 1.02) == 0.0);
  CHECK(regret_with({900.0, 1100.0, 900.0, 1100.0}, 0.99) == Approx(1000.0 / 950.0 - 1.0));
  CHECK(regret_with({900.0, 901.0, 902.0, 903.0}, 0.99) ==
        Approx(1000.0 / 900.0 - 1.0).epsilon(1e-2));
}

TEST_CASE("a validation compares with the profile that the device uses without this one") {
  JournalContents contents = validated_contents();
  contents.header.precision = Precision::kHalf;
  ValidatedProduct product = batch_product(1000.0, 2000.0, 4000.0);
  product.other_profile = "/share/shipped.toml";
  product.other_ns = 1500.0;
  contents.products.assign(kMinHeldOut, held_out(product));
  contents.products.back().other_ns = 500.0;
  Validation validation = summarize_validation(contents).value();
  CHECK(validation.precision == Precision::kHalf);
  CHECK(validation.other_profile == "shipped.toml");
  CHECK(validation.times_other == Approx(std::pow(1.5, 11.0 / 12.0) * std::pow(0.5, 1.0 / 12.0)));
  CHECK(validation.worst_times_other == Approx(0.5));
  const std::vector<std::string> lines = validation_lines(validation);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("12 new products of half precision") == 0);
  CHECK(lines[1] ==
        "without this profile the device uses shipped.toml: calls are 1.37 x as fast as with that "
        "(slowest: 0.50 x)");
  // A product for which that profile is too slow is not compared.
  contents.products.push_back(held_out(batch_product(1000.0, 2000.0, 4000.0)));
  CHECK(summarize_validation(contents).value().times_other == validation.times_other);
  contents.products.pop_back();
  // Too few with the same profile say nothing.
  contents.products.front().other_profile = "/home/older/shipped.toml";
  validation = summarize_validation(contents).value();
  CHECK(validation.other_profile.empty());
  CHECK(validation_lines(validation).size() == 2);
}

}  // namespace
}  // namespace tilewright

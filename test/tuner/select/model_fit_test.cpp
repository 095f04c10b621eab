// Tests of fitting models: the times of artificial kernels are recovered despite noise and
// outliers, and parameters without data come from the prior.
#include "tuner/select/model_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "catch.hpp"
#include "runtime/plan/kernel_work.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/search/shape_design.hpp"

namespace tilewright {
namespace {

KernelRecord kernel(const std::string& name) {
  KernelRecord record;
  record.name = name;
  record.tile = {4, 8, 1};
  record.work_group = {8, 8};
  record.layout_b = Layout::R();
  record.vector_width = 4;
  return record;
}

KernelModel truth() {
  KernelModel model;
  model.fixed_ns = 5000.0;
  model.even_ps = 6.0;
  model.whole_ps = 4.0;
  model.group_ps = 3.0;
  model.element_ps = 50.0;
  model.byte_ps = 0.3;
  model.narrow_ps = 90.0;
  return model;
}

// Returns the profile of a device with 8 compute units and the kernels "a", and "b", which takes
// twice as long, on these shapes. `error` returns the factor for each result.
template <class Error>
Profile measured(const std::vector<GemmShape>& shapes, const Error& error) {
  Profile profile;
  profile.device.compute_units = 8;
  profile.kernels = {kernel("a"), kernel("b")};
  for (const GemmShape& s : shapes) {
    const KernelWork work(profile.kernels[0], 8);
    const double ns = predicted_ns(truth(), work.terms(s.m, s.n, s.k));
    for (const auto& [name, times] : {std::pair("a", 1.0), {"b", 2.0}}) {
      ShapeResult& result = profile.results.emplace_back();
      result.m = s.m;
      result.n = s.n;
      result.k = s.k;
      result.kernel = name;
      result.median_ns = ns * times * error();
    }
  }
  return profile;
}

// Returns the root mean square of ln(predicted / true) for "a" over other shapes.
double error_on_others(const Profile& profile, const ShapeBounds& bounds) {
  double sum = 0.0;
  const auto shapes = random_shapes(200, 77, bounds);
  const KernelWork work(profile.kernels[0], 8);
  for (const GemmShape& s : shapes) {
    const ModelTerms terms = work.terms(s.m, s.n, s.k);
    const double error =
        std::log(predicted_ns(profile.models[0], terms) / predicted_ns(truth(), terms));
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(shapes.size()));
}

const ShapeBounds kBounds{2e9, 64e6};

TEST_CASE("the times of a kernel on other shapes are recovered") {
  Profile profile = measured(designed_shapes(24, 1, kBounds), [] { return 1.0; });
  fit_models(profile);
  REQUIRE(profile.models.size() == 2);
  CHECK(profile.models[0].kernel == "a");
  CHECK(error_on_others(profile, kBounds) < 0.03);
  CHECK(profile.models[0].error < 0.03);
  CHECK(profile.models[1].even_ps + profile.models[1].whole_ps ==
        Approx(2 * (profile.models[0].even_ps + profile.models[0].whole_ps)).epsilon(0.05));
  CHECK(typical_error(profile.models) < 0.03);
}

TEST_CASE("noise of 10 % and a single result that is ten times too long do not mislead the fit") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0.0, 0.1);
  int results = 0;
  Profile profile = measured(designed_shapes(24, 1, kBounds),
                             [&] { return ++results == 13 ? 10.0 : std::exp(noise(random)); });
  fit_models(profile);
  CHECK(error_on_others(profile, kBounds) < 0.15);
  CHECK(profile.models[0].error > 0.02);
}

TEST_CASE("without results on narrow shapes their times are estimated") {
  Profile profile = measured({{512, 512, 512},
                              {64, 512, 100},
                              {1000, 100, 200},
                              {512, 64, 2000},
                              {300, 300, 300},
                              {128, 128, 4000}},
                             [] { return 1.0; });
  fit_models(profile);
  const KernelModel& model = profile.models[0];
  CHECK(model.narrow_ps >= 4 * 4 * 0.5 * (model.even_ps + model.whole_ps));
  CHECK(model.narrow_ps > 0.0);
}

TEST_CASE("if work-items share k, one of them computes all of a narrow product") {
  KernelRecord record;
  record.vector_width = 2;
  CHECK(KernelWork(record, 1).slower_when_narrow() == 8.0);
  record.work_group_k = 8;
  CHECK(KernelWork(record, 1).slower_when_narrow() == 64.0);
}

TEST_CASE("few results determine the scale, the other kernels how times grow") {
  Profile profile = measured(designed_shapes(24, 1, kBounds), [] { return 1.0; });
  profile.kernels.push_back(kernel("c"));
  ShapeResult result = profile.results[0];  // of "a"
  result.kernel = "c";
  result.median_ns *= 3.0;
  profile.results.push_back(result);
  fit_models(profile);
  REQUIRE(profile.models.size() == 3);
  CHECK(profile.models[2].error == 0.0);
  const ModelTerms terms = KernelWork(profile.kernels[2], 8).terms(700, 300, 500);
  CHECK(predicted_ns(profile.models[2], terms) ==
        Approx(3.0 * predicted_ns(truth(), terms)).epsilon(0.5));
}

TEST_CASE("a gemv kernel with few results follows other gemv kernels, not gemm kernels") {
  Profile profile = measured(designed_shapes(24, 1, kBounds), [] { return 1.0; });
  KernelModel by_bytes;
  by_bytes.byte_ps = 100.0;
  const auto add_gemv = [&](const std::string& name, int tile,
                            const std::vector<GemmShape>& shapes) {
    KernelRecord gemv = kernel(name);
    gemv.role = Role::kGemv;
    gemv.narrow = Dimension::kN;
    gemv.tile = {tile, 2, 1};
    profile.kernels.push_back(gemv);
    for (const GemmShape& s : shapes) {
      const ModelTerms terms = KernelWork(gemv, 8).terms(s.m, s.n, s.k);
      ShapeResult& result = profile.results.emplace_back();
      result.m = s.m;
      result.n = s.n;
      result.k = s.k;
      result.kernel = name;
      result.median_ns = predicted_ns(by_bytes, terms);
    }
  };
  add_gemv("v", 2, {{64, 2, 64}, {500, 1, 300}, {2000, 2, 100}, {100, 2, 3000}, {1000, 2, 1000}});
  add_gemv("w", 4, {{64, 2, 64}});
  fit_models(profile);
  REQUIRE(profile.models.size() == 4);
  const ModelTerms terms = KernelWork(profile.kernels[3], 8).terms(2000, 2, 2000);
  CHECK(predicted_ns(profile.models[3], terms) ==
        Approx(predicted_ns(by_bytes, terms)).epsilon(0.3));
}

TEST_CASE("two results determine the ratio to a kernel that does the same work") {
  Profile profile = measured(designed_shapes(24, 1, kBounds), [] { return 1.0; });
  profile.kernels[1].tile = {16, 16, 1};  // "b" does other work
  profile.kernels.push_back(kernel("c"));
  profile.kernels[2].layout_c = Layout::C();
  for (const std::size_t large : {std::size_t{0}, std::size_t{2}}) {  // of "a"
    ShapeResult result = profile.results[large];
    result.kernel = "c";
    result.median_ns *= 1.1;
    profile.results.push_back(result);
  }
  fit_models(profile);
  REQUIRE(profile.models.size() == 3);
  const KernelWork work(profile.kernels[2], 8);
  for (const GemmShape& s : random_shapes(50, 78, kBounds)) {
    INFO(s.m << "x" << s.n << "x" << s.k);
    const ModelTerms terms = work.terms(s.m, s.n, s.k);
    CHECK(predicted_ns(profile.models[2], terms) ==
          Approx(1.1 * predicted_ns(profile.models[0], terms)).epsilon(0.05));
  }
  // A kernel with half-precision sums does other work.
  const KernelModel alike = profile.models[2];
  profile.kernels[2].accumulate_k = 8;
  fit_models(profile);
  CHECK(profile.models[2] != alike);
}

TEST_CASE("further results count in the fit, and need not be in the profile") {
  Profile few = measured(designed_shapes(9, 1, kBounds), [] { return 1.0; });
  const std::size_t results = few.results.size();
  fit_models(few);
  const double without = error_on_others(few, kBounds);
  std::vector<ShapeResult> more =
      measured(designed_shapes(60, 2, kBounds), [] { return 1.0; }).results;
  more.push_back(more.front());
  more.back().kernel = "unknown";
  fit_models(few, more);
  CHECK(few.results.size() == results);
  CHECK(few.models.size() == 2);
  CHECK(error_on_others(few, kBounds) < without);
  // A model names the largest work that determined it.
  const double work = few.models[0].max_work;
  CHECK(work > 0.0);
  const GemmShape large{4096, 4096, 4096};
  more.push_back(more.front());
  std::tie(more.back().m, more.back().n, more.back().k) = std::tuple(large.m, large.n, large.k);
  fit_models(few, more);
  const auto measured_kernel =
      std::find_if(few.models.begin(), few.models.end(),
                   [&](const KernelModel& model) { return model.kernel == more.back().kernel; });
  REQUIRE(measured_kernel != few.models.end());
  CHECK(measured_kernel->max_work >= flops(large) / 2 / few.device.compute_units);
  // These times alone give no models: a profile has models only of kernels with results.
  few.results.clear();
  fit_models(few, more);
  CHECK(few.models.empty());
}

TEST_CASE("kernels without results or with a bias have no model") {
  Profile profile;
  profile.kernels = {kernel("a"), kernel("with bias")};
  profile.kernels[1].bias = Dimension::kN;
  fit_models(profile);
  CHECK(profile.models.empty());
  CHECK(typical_error({}) == 0.0);
  ShapeResult result;
  result.m = result.n = result.k = 64;
  result.kernel = "with bias";
  result.median_ns = 1e4;
  profile.results = {result};
  fit_models(profile);
  CHECK(profile.models.empty());
}

}  // namespace
}  // namespace tilewright

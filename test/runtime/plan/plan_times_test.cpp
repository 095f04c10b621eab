// Tests the predicted times of products, with artificial results and rates and without a device.
#include <cmath>

#include "catch.hpp"
#include "plan_records.hpp"

namespace tilewright {
namespace {

std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel,
                                 const GemmShape& shape) {
  return MeasuredTimes({&profile}).kernel_ns(kernel, shape);
}

// Predicted time of the profile's first kernel for NN.
double predict(const Profile& profile, const GemmShape& shape) {
  return predict_ns(profile, profile.kernels[0], shape).value();
}

ShapeResult result_on(const GemmShape& shape, const std::string& kernel, double ns) {
  ShapeResult at = result(Op::kNN, 0, kernel, ns);
  at.m = shape.m;
  at.n = shape.n;
  at.k = shape.k;
  return at;
}

TEST_CASE("a prediction scales a result by the work of whole tiles") {
  Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", 100)});
  CHECK(predict(profile, {64, 64, 64}) == Approx(100));
  CHECK(predict(profile, {64, 64, 128}) == Approx(200));
  // 16 rows of tiles become 17.
  CHECK(predict(profile, {65, 64, 64}) == Approx(100 * 17 / 16.0));
  CHECK(predict(profile, {68, 64, 64}) == Approx(100 * 17 / 16.0));
  CHECK(predict(profile, {64, 64, 0}) > 0);
  CHECK(predict(profile, {0, 0, 64}) > 0);
  // Work-groups that fill local memory together count as a whole: 2 rows of work-groups become 3.
  profile.kernels[0].local_bytes = 1024;
  CHECK(predict(profile, {65, 64, 64}) == Approx(150));
}

TEST_CASE("without a model a kernel has one rate, the geometric mean") {
  const Profile profile =
      tuned({gemm("k", Op::kNN), gemm("other", Op::kNN)},
            {result(Op::kNN, 64, "k", 1.0), result(Op::kNN, 1024, "k", 256.0),
             result(Op::kNN, 256, "other", 1e9), result(Op::kTN, 256, "k", 1e9)});
  CHECK(predict(profile, {64, 64, 64}) == Approx(1.0));
  CHECK(predict(profile, {1024, 1024, 1024}) == Approx(256.0));
  // Per unit of work, 64 cubed takes 16 times as long as 1024 cubed.
  CHECK(predict(profile, {256, 256, 256}) == Approx(64.0 / 4));
  CHECK(predict(profile, {64, 64, 1024}) == Approx(16.0 / 4));
  CHECK(predict_ns(tuned({gemm("k", Op::kNN)}, {}), profile.kernels[0], {64, 64, 64}) ==
        std::nullopt);
}

TEST_CASE("a model predicts where nothing was measured") {
  Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", 77)});
  profile.device.compute_units = 2;
  KernelModel model;
  model.kernel = "k";
  const auto with = [&](double KernelModel::*parameter, const GemmShape& shape) {
    profile.models = {model};
    profile.models[0].*parameter = 1000.0;
    return predict(profile, shape);
  };
  CHECK(with(&KernelModel::fixed_ns, {64, 64, 64}) == 77);
  profile.results.clear();
  const GemmShape shape{96, 32, 10};  // three work-groups of 1024 elements
  CHECK(with(&KernelModel::fixed_ns, shape) == 1000);
  CHECK(with(&KernelModel::even_ps, shape) == Approx(1.5 * 1024 * 10));
  CHECK(with(&KernelModel::whole_ps, shape) == Approx(2 * 1024 * 10));
  CHECK(with(&KernelModel::group_ps, shape) == Approx(1024 * 10));
  CHECK(with(&KernelModel::element_ps, shape) == Approx(1.5 * 1024));
  CHECK(with(&KernelModel::byte_ps, shape) == Approx(4 * (96 * 10 + 10 * 32 + 96 * 32)));
  CHECK(with(&KernelModel::far_ps, shape) == 1);  // a lower bound
  CHECK(with(&KernelModel::narrow_ps, shape) == 1);
  // B has 16 MiB and is read by 2 rows of tiles.
  CHECK(with(&KernelModel::far_ps, {8, 4096, 1024}) == Approx(2.0 * 4 * 4096 * 1024));
  // Idle units do not speed up a single work-group.
  CHECK(with(&KernelModel::even_ps, {32, 32, 10}) == Approx(1024 * 10));
}

TEST_CASE("on CPUs, each step along k to another page counts") {
  KernelRecord in_place = gemm("in place", Op::kTN);  // A is C, B is R
  KernelRecord packed = gemm("packed", Op::kNN);
  packed.layout_a = Layout::R();
  packed.layout_b = layout("C 1 4 R");
  const auto steps = [](KernelRecord record, const GemmShape& shape, bool is_cpu = true) {
    record.name = "k";
    Profile profile = tuned({record}, {});
    profile.device.compute_units = 2;
    if (is_cpu) profile.device.processor = "any";
    profile.models = {{.kernel = "k", .page_ps = 2000.0}};
    return predict(profile, shape);
  };
  // Tiles of 4 x 4. Columns of A are 1, 2 and 4 pages apart, rows of B an eighth of a page.
  const double of_b = 0.5 / 8;
  CHECK(steps(in_place, {1024, 128, 50}) == Approx((1.0 + of_b) * 256 * 32 * 50));
  CHECK(steps(in_place, {2048, 128, 50}) == Approx((1.0 + of_b) * 512 * 32 * 50));
  CHECK(steps(in_place, {512, 128, 50}) == Approx((0.5 + of_b) * 128 * 32 * 50));
  // The step counts three times if A has more than 16 MiB.
  CHECK(steps(in_place, {4096, 128, 1025}) == Approx((3.0 + of_b) * 1024 * 32 * 1025));
  const GemmShape small{64, 64, 128};
  CHECK(steps(in_place, small) == Approx((1.0 + 0.5) / 16 * 16 * 16 * 128));
  CHECK(steps(packed, small) == 1.0);  // a lower bound
  CHECK(steps(in_place, small, false) == 1.0);
}

TEST_CASE("a kernel that divides k evenly has no last wave that is almost empty") {
  KernelRecord kernel = gemm("k", Op::kNN);
  const auto whole_waves = [](const KernelRecord& record) {
    Profile profile = tuned({record}, {});
    profile.device.compute_units = 8;
    profile.models = {{.kernel = "k", .whole_ps = 1000.0}};
    return predict(profile, {160, 64, 640});  // 10 work-groups of 1024 elements
  };
  CHECK(whole_waves(kernel) == Approx(2.0 * 1024 * 640));
  kernel.stream_k = 1;
  CHECK(whole_waves(kernel) == Approx(1.25 * 1024 * 640));  // two tiles with four parts
}

TEST_CASE("in the last wave, a kernel that divides k evenly has the work-groups that it needs") {
  KernelRecord kernel = gemm("k", Op::kNN);
  kernel.stream_k = 2;
  const auto with = [&](double KernelModel::*parameter, int units, const GemmShape& shape) {
    Profile profile = tuned({kernel}, {});
    profile.device.compute_units = units;
    profile.models = {{.kernel = "k"}};
    profile.models[0].*parameter = 1000.0;
    return predict(profile, shape);
  };
  // One tile of 1024 elements with 16 parts: a work-group for each of 16 units.
  CHECK(with(&KernelModel::whole_ps, 132, {32, 32, 1024}) == Approx(1024 * 1024 / 16.0));
  // 18 parts for 6 tiles on 9 units: two for each unit.
  CHECK(with(&KernelModel::whole_ps, 9, {96, 64, 1024}) == Approx(2 * 1024 * 1024 / 3.0));
  // k is too small to be divided: 10 tiles on 8 units.
  CHECK(with(&KernelModel::even_ps, 8, {160, 64, 64}) == Approx(1.25 * 1024 * 64));
  CHECK(with(&KernelModel::whole_ps, 8, {160, 64, 64}) == Approx(2.0 * 1024 * 64));
}

TEST_CASE("a kernel that was measured on the shape precedes one with a faster prediction") {
  // On 256 x 256 x 256, 8 times less per unit of work than a kernel on 2048 cubed.
  const auto first = [](double measured_ns, const GemmShape& shape) {
    const Profile profile =
        tuned({gemm("near", Op::kNN), gemm("far", Op::kNN)},
              {result(Op::kNN, 256, "near", measured_ns), result(Op::kNN, 2048, "far", 512.0)});
    return names(rank({&profile}, Op::kNN, shape)).front();
  };
  CHECK(first(0.99, {256, 256, 256}) == "near");
  CHECK(first(100.0, {256, 256, 256}) == "near");
  // On other shapes only the prediction counts.
  CHECK(first(0.99, {512, 512, 512}) == "near");
  CHECK(first(1.01, {512, 512, 512}) == "far");
  // Measurements of much larger products say little.
  CHECK(first(1.01, {384, 384, 384}) == "near");
}

TEST_CASE("a kernel whose work-group the driver chooses has a predicted time") {
  KernelRecord free = gemm("free", Op::kNN);
  free.work_group = {0, 0};
  Profile profile = tuned({free}, {result(Op::kNN, 64, "free", 110)});
  profile.models = {{.kernel = "free", .even_ps = 5.0, .whole_ps = 5.0, .group_ps = 1.0}};
  const double ns = predict(profile, {640, 64, 64});
  CHECK(std::isfinite(ns));
  CHECK(ns > predict(profile, {320, 64, 64}));
}

TEST_CASE("the cost of a launch does not grow with the work") {
  Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", 110)});
  profile.rates = rates(0.0, 10.0);
  CHECK(predict(profile, {64, 64, 64}) == Approx(110));
  CHECK(predict(profile, {64, 64, 128}) == Approx(10 + 2 * 100));
  CHECK(predict(profile, {64, 64, 1}) == Approx(10 + 100 / 64.0));
  // A launch in a sequence may take longer than the kernel on the device, so half of a result
  // counts as work.
  profile.rates = rates(0.0, 1000.0);
  CHECK(predict(profile, {64, 64, 128}) == Approx(55 + 2 * 55));
}

TEST_CASE("far beyond all results, the best rate of those that are not mostly launch is a limit") {
  const auto predicted = [](double measured_ns) {
    Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", measured_ns)});
    profile.device.compute_units = 1;
    profile.rates.launch_ns = 100.0;
    constexpr double kWork = 64.0 * 64 * 64;
    profile.models = {{.kernel = "k", .fixed_ns = 100.0, .even_ps = 1e3 * 10.0 / kWork}};
    return predict(profile, {512, 512, 512});
  };
  constexpr double kTimesWork = 512.0;
  CHECK(predicted(300.0) == Approx(100.0 + kTimesWork * 200.0 / 1.5));
  CHECK(predicted(140.0) == Approx(100.0 + kTimesWork * 10.0));
}

TEST_CASE("a model that misses the nearest result is corrected, less the farther that is away") {
  Profile profile = tuned({gemm("k", Op::kNN)},
                          {result(Op::kNN, 64, "k", 1000.0), result(Op::kNN, 512, "k", 8e5)});
  profile.device.compute_units = 1;
  constexpr double kWork = 64.0 * 64 * 64;
  // 100 ns for 64 cubed, which took 1000 ns; 51200 ns for 512 cubed.
  profile.models = {{.kernel = "k", .even_ps = 1e3 * 100.0 / kWork}};
  CHECK(predict(profile, {64, 64, 64}) == Approx(1000.0));
  const double near = predict(profile, {64, 64, 128});
  const double far = predict(profile, {64, 64, 256});
  CHECK(near > 8.0 * 200.0);
  CHECK(near < 10.0 * 200.0);
  CHECK(far > 5.0 * 400.0);
  CHECK(far / 400.0 < near / 200.0);
  SECTION("a model that takes too long, too") {
    profile.results[0].median_ns = 10.0;
    CHECK(predict(profile, {64, 64, 128}) < 200.0 / 5.0);
  }
  SECTION("but not for a small miss") {
    profile.results[0].median_ns = 130.0;
    CHECK(predict(profile, {64, 64, 128}) == Approx(200.0));
  }
}

TEST_CASE("one work-group takes as long as one per compute unit") {
  Profile profile = tuned({gemm("k", Op::kNN)}, {result(Op::kNN, 64, "k", 100)});
  profile.device.compute_units = 4;  // 64 x 64 is 4 work-groups
  CHECK(predict(profile, {32, 32, 64}) == Approx(100));
  CHECK(predict(profile, {32, 64, 64}) == Approx(100));
  CHECK(predict(profile, {64, 128, 64}) == Approx(200));
  CHECK(predict(profile, {64, 160, 64}) == Approx(250));
  // Only one of eight rows of work-items has work; with local memory, all of them take part.
  CHECK(predict(profile, {4, 32, 64}) == Approx(100 / 8.0));
  profile.kernels[0].local_bytes = 1024;
  CHECK(predict(profile, {4, 32, 64}) == Approx(100));
}

// A kernel with vectors of 8 along n that takes a nanosecond for each multiply-add on 64 cubed.
Profile of_vectors() {
  KernelRecord kernel = gemm("k", Op::kNN, {4, 16, 1});
  kernel.vector_width = 8;
  return tuned({kernel}, {result(Op::kNN, 64, "k", 64 * 64 * 64)});
}

// 32 x 7 elements, which the 64 work-items of one group compute in turns.
constexpr GemmShape kNarrow{32, 7, 64};
constexpr double kNarrowWork = 64 * 4 * 64;

TEST_CASE("without vectors, each multiply-add takes longer") {
  Profile profile = of_vectors();
  CHECK(predict(profile, {32, 8, 64}) == Approx(8 * 64 * 64));
  CHECK(predict(profile, kNarrow) == Approx(kNarrowWork * 4 * 8));
  SECTION("a result on a narrow shape takes precedence") {
    profile.results.push_back(result_on({32, 7, 128}, "k", 3 * 2 * kNarrowWork));
    CHECK(predict(profile, kNarrow) == Approx(3 * kNarrowWork));
    CHECK(predict(profile, {32, 8, 64}) == Approx(8 * 64 * 64));
  }
  SECTION("the same if nothing else was measured") {
    profile.results = {result_on(kNarrow, "k", 32 * kNarrowWork)};
    CHECK(predict(profile, {32, 8, 64}) == Approx(8 * 64 * 64));
  }
  SECTION("padded operands are never too narrow") {
    profile.kernels[0].edges = Edges::kPadded;
    CHECK(predict(profile, kNarrow) == Approx(8 * 64 * 64));
  }
  SECTION("rows are never too narrow if vectors run along columns") {
    CHECK(predict(profile, {3, 64, 64}) == Approx(4 * 64 * 64));
    // In local memory, vectors run along both.
    profile.kernels[0].local_bytes = 1024;
    // Half a nanosecond, because half of the 128 work-items have no work on 64 cubed.
    CHECK(predict(profile, {3, 64, 64}) == Approx(64 * 3 * 64 * 32 / 2.0));
  }
}

TEST_CASE(
    "if vectors run along k, steps after the last whole iteration are computed one at a time") {
  KernelRecord kernel = gemm("k", Op::kNT);
  kernel.tile.k = 16;
  kernel.vector_width = 16;
  kernel.iteration_k = 64;
  const auto ns_at = [](const KernelRecord& record, std::int64_t k) {
    const Profile profile = tuned({record}, {result(Op::kNT, 128, record.name, 128.0)});
    return predict_ns(profile, profile.kernels[0], {128, 128, k}).value();
  };
  CHECK(ns_at(kernel, 64) == Approx(64.0));
  CHECK(ns_at(kernel, 96) == Approx(64.0 + 32 * 16));
  CHECK(ns_at(kernel, 5) == Approx(5 * 16));
  kernel.iteration_k = 1;
  CHECK(ns_at(kernel, 96) == Approx(96.0));
}

}  // namespace
}  // namespace tilewright

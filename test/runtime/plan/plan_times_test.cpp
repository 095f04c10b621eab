// Tests the predicted times of plans from the first to the last command, with artificial results
// and rates and without a device.
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

TEST_CASE("a kernel that divides k evenly has no last wave that is almost empty") {
  KernelRecord kernel = gemm("k", Op::kNN);
  const auto whole_waves = [](const KernelRecord& record) {
    Profile profile = tuned({record}, {result(Op::kNN, 64, "k", 77)});
    profile.device.compute_units = 8;
    profile.models = {{.kernel = "k", .whole_ps = 1000.0}};
    return predict(profile, {160, 64, 640});  // 10 work-groups of 1024 elements
  };
  CHECK(whole_waves(kernel) == Approx(2.0 * 1024 * 640));
  kernel.stream_k = 1;
  CHECK(whole_waves(kernel) == Approx(1.25 * 1024 * 640));  // two tiles with four parts
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

// A direct kernel, and one with panels for which A must be packed into 8 rows.
Profile direct_and_panels(double direct_ns, double panels_ns) {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_a = layout("R 8 1 C");
  panels.multiples = {8, 1, 1};
  return tuned(
      {panels, gemm("direct", Op::kNN), pack("pack", "R", "R 8 1 C")},
      {result(Op::kNN, 64, "panels", panels_ns), result(Op::kNN, 64, "direct", direct_ns)});
}

TEST_CASE("a kernel with packing comes first if packing and product together take less time") {
  Profile profile = direct_and_panels(10'000, 5'000);
  profile.pack_results = {{"pack", 0.5}};  // 2048 ns for 64 x 64
  const auto packed = rank({&profile}, Op::kNN, {64, 64, 64});
  CHECK(names(packed) == Names{"panels", "direct"});
  CHECK(packed[0].times.of(CallStep::kGemm) == Approx(5'000));
  CHECK(packed[0].times.ns[CallStep::kPackA] == Approx(0.5 * 64 * 64));
  CHECK(packed[0].times.ns[CallStep::kPackB] == 0.0);
  CHECK(packed[0].times.total_ns() == Approx(7'048));
  CHECK(packed[1].times.auxiliary_ns() == 0.0);
  profile.pack_results = {{"pack", 1.5}};
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 64})) == Names{"direct", "panels"});
  // A launch may take longer than packing.
  profile.pack_results = {{"pack", 0.5}};
  profile.rates = rates(0.0, 3'000);
  const auto direct = rank({&profile}, Op::kNN, {64, 64, 64});
  CHECK(names(direct) == Names{"direct", "panels"});
  CHECK(direct[0].times.launches_ns == 0.0);
  CHECK(direct[1].times.launches_ns == Approx(3'000));
}

TEST_CASE("for large matrices, results of pack kernels on large matrices are used") {
  Profile profile = direct_and_panels(1'000'000, 5'000);
  profile.kernels.push_back(pack("large", "R", "R 8 1 C"));
  profile.kernels.push_back(pack("never", "R", "R 8 1 C"));
  profile.pack_results = {{"pack", 0.5}, {"large", 2.0, kLargeMovedExtent}};
  DeviceInfo limits = kOffered;
  limits.max_buffer_bytes = 1 << 30;
  const auto packs = [&](std::int64_t m) {
    const auto plans = rank_plans({&profile}, limits, make_problem(Op::kNN, {m, 64, 64 * m}));
    REQUIRE(plans[0].kernel().name == "panels");
    CHECK(plans[0].times.ns[CallStep::kPackA] ==
          Approx((m < 200 ? 0.5 : 2.0) * static_cast<double>(64 * m * m)));
    Names names;
    for (const KernelRecord* record : plans[0].choices[CallStep::kPackA])
      names.push_back(record->name);
    return names;
  };
  CHECK(packs(64) == Names{"pack", "large", "never"});   // 2^18 elements
  CHECK(packs(512) == Names{"large", "pack", "never"});  // 2^24 elements
  profile.pack_results.push_back({"pack", 1.5, kLargeMovedExtent});
  profile.pack_results.push_back({"large", 0.25});
  const MeasuredTimes times({&profile});
  CHECK(times.ns_per_element(profile.kernels[2]) == 0.5);
  CHECK(times.auxiliary_rate(profile.kernels[2], 4e7)->ns_per_element == 1.5);
  CHECK(times.auxiliary_rate(profile.kernels[3], 4e7)->ns_per_element == 2.0);
  CHECK(times.auxiliary_rate(profile.kernels[3], 1.0)->ns_per_element == 0.25);
  CHECK_FALSE(times.auxiliary_rate(profile.kernels[4], 1.0));
}

TEST_CASE("padding is packed, too") {
  Profile profile = direct_and_panels(10'000, 5'000);
  profile.pack_results = {{"pack", 1.0}};
  const auto plans = rank({&profile}, Op::kNN, {1, 64, 64});
  REQUIRE(names(plans) == Names{"direct", "panels"});
  CHECK(plans[1].times.ns[CallStep::kPackA] == Approx(8 * 64));
}

TEST_CASE("without a result, packing takes as long as copying, or a nanosecond per element") {
  Profile profile = direct_and_panels(10'000, 5'000);
  const auto pack_ns = [&] {
    for (const GemmPlan& plan : rank({&profile}, Op::kNN, {64, 64, 64})) {
      if (plan.kernel().name == "panels") return plan.times.ns[CallStep::kPackA];
    }
    return -1.0;
  };
  CHECK(pack_ns() == Approx(64 * 64));
  profile.rates = rates(16.0, 0.0);  // 4 bytes read and 4 written: half a nanosecond
  CHECK(pack_ns() == Approx(0.5 * 64 * 64));
  profile.pack_results = {{"pack", 0.25}, {"unknown", 9.0}};
  CHECK(pack_ns() == Approx(0.25 * 64 * 64));
}

TEST_CASE("the device's rates apply to the pack kernels of the built-in profile") {
  Profile profile = direct_and_panels(10'000, 5'000);
  profile.kernels.pop_back();  // removes the pack kernel
  profile.rates = rates(16.0, 100.0);
  // A different kernel with the same name.
  profile.kernels.push_back(pack("pack", "C", "R"));
  profile.pack_results = {{"pack", 77.0}};
  const Profile fallback = generic({pack("pack", "R", "R 8 1 C")});
  const auto plans = rank({&profile, &fallback}, Op::kNN, {64, 64, 64});
  REQUIRE(names(plans) == Names{"panels", "direct"});
  CHECK(plans[0].times.auxiliary_ns() == Approx(0.5 * 64 * 64 + 100));
}

TEST_CASE("every command in addition to the kernel counts") {
  KernelRecord chunks = gemm("chunks", Op::kNN);
  chunks.layout_a = chunks.layout_c = layout("C 4 4 C");
  chunks.layout_b = layout("R 2 2 R");
  chunks.multiples = {4, 4, 4};
  Profile profile = tuned({chunks, pack("in", "R", "C 4 4 C"), pack("in b", "R", "R 2 2 R"),
                           pack("out", "C 4 4 C", "R")},
                          {result(Op::kNN, 64, "chunks", 1'000)});
  profile.pack_results = {{"in", 1.0}, {"in b", 2.0}, {"out", 3.0}};
  profile.rates = rates(8.0, 10.0);
  GemmProblem problem = make_problem(Op::kNN, {6, 7, 9});
  problem.beta = 1.0f;
  const auto plans = rank_plans({&profile}, kOffered, problem);
  REQUIRE(plans.size() == 1);
  const PlanTimes& times = plans[0].times;
  CHECK(times.ns[CallStep::kPackA] == Approx(1.0 * 8 * 12));
  CHECK(times.ns[CallStep::kPackB] == Approx(2.0 * 12 * 8));
  CHECK(times.ns[CallStep::kPackC] == Approx(1.0 * 8 * 8));
  CHECK(times.ns[CallStep::kUnpackC] ==
        Approx(3.0 * 6 * 7));  // nothing is written outside the matrix
  CHECK(times.launches_ns == Approx(40.0));
  CHECK(times.auxiliary_ns() == Approx(96 + 192 + 64 + 126 + 40));
  const std::string reason = reason_text(plans[0]);
  INFO(reason);
  for (const char* part : {"predicted ", "kernel (", "A is packed first (0.096 us)",
                           "B is packed first (0.192 us)", "C is packed first (0.064 us)",
                           "C is unpacked after (0.126 us)", "launching the rest (0.04 us)"}) {
    CHECK(reason.find(part) != std::string::npos);
  }
}

TEST_CASE("a command before the product costs a round trip, one after it a launch") {
  KernelRecord split = gemm("split", Op::kNN);
  split.layout_a = layout("R 8 1 C");
  split.split_k = 4;
  Profile profile = tuned({split, pack("pack", "R", "R 8 1 C"), reduce("reduce")},
                          {result(Op::kNN, 64, "split", 1'000)});
  profile.rates = rates(4.0, 10.0);
  const auto launches_ns = [&] {
    const auto plans = rank({&profile}, Op::kNN, {64, 64, 64});
    return plans.size() == 1 ? plans[0].times.launches_ns : -1.0;
  };
  CHECK(launches_ns() == Approx(10 + 10));
  profile.rates.round_trip_ns = 300.0;
  CHECK(launches_ns() == Approx(300 + 10));
  profile.rates.launch_ns = 0.0;
  CHECK(launches_ns() == Approx(300 + 300));
}

TEST_CASE("adding up parts takes as long as reading them and writing C") {
  KernelRecord split = gemm("split", Op::kNN);
  split.split_k = 4;
  Profile profile =
      tuned({split, gemm("whole", Op::kNN), reduce("reduce")},
            {result(Op::kNN, 64, "split", 1'000), result(Op::kNN, 64, "whole", 4'000)});
  profile.rates = rates(4.0, 10.0);  // one float per nanosecond
  GemmProblem problem = make_problem(Op::kNN, {16, 32, 64});
  const auto reduce_ns = [&] {
    for (const GemmPlan& plan : rank_plans({&profile}, kOffered, problem)) {
      if (plan.kernel().name == "split") return plan.times.ns[CallStep::kReduce];
    }
    return -1.0;
  };
  CHECK(reduce_ns() == Approx(5 * 16 * 32));
  problem.beta = 1.0f;
  CHECK(reduce_ns() == Approx(6 * 16 * 32));
  // 64 x 64: 5 * 4096 ns more than it saves.
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 64})) == Names{"whole", "split"});
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 1'000'000})) == Names{"split", "whole"});
}

TEST_CASE("the results of a kernel also count if operands of another op are packed for it") {
  Profile profile =
      tuned({gemm("nn", Op::kNN), gemm("tn", Op::kTN), pack("rc", "R", "C"), pack("cr", "C", "R")},
            {result(Op::kNN, 64, "nn", 90'000), result(Op::kTN, 64, "tn", 50'000)});
  const auto plans = rank({&profile}, Op::kNT, {64, 64, 64});
  REQUIRE(names(plans) == Names{"tn", "nn"});
  CHECK(
      (!plans[0].choices[CallStep::kPackA].empty() && !plans[0].choices[CallStep::kPackB].empty()));
  CHECK(plans[0].times.of(CallStep::kGemm) == Approx(50'000));
  CHECK(plans[0].times.total_ns() == Approx(50'000 + 2 * 64 * 64));
}

TEST_CASE("a kernel that was never measured comes last, however little it would need") {
  Profile profile = direct_and_panels(1e12, 1e12);
  profile.kernels.push_back(gemm("unmeasured", Op::kNN));
  CHECK(names(rank({&profile}, Op::kNN, {64, 64, 64})).back() == "unmeasured");
}

TEST_CASE("the explanation shows the steps of the first plan, and the next plans") {
  Profile profile = direct_and_panels(10'000, 5'000);
  for (const char* name : {"third", "fourth", "fifth"}) {
    profile.kernels.push_back(gemm(name, Op::kNN));
    profile.results.push_back(result(Op::kNN, 64, name, 50'000));
  }
  const auto plans = rank({&profile}, Op::kNN, {64, 64, 64});
  CHECK(explained(plans) ==
        "panels: predicted 9.1 us, kernel (5 us), A is packed first (4.1 us)\n"
        "  next: direct: predicted 10 us\n"
        "  next: third: predicted 50 us\n"
        "  next: fourth: predicted 50 us");
  CHECK(
      explained(plans, 1) ==
      "direct: predicted 10 us\n  not usable: panels: predicted 9.1 us; panels does not build\n  "
      "next: third: predicted 50 us\n  next: fourth: predicted 50 us\n  next: fifth: predicted 50 "
      "us");
}

}  // namespace
}  // namespace tilewright

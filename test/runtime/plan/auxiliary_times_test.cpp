// Tests the predicted times of the commands before and after the product (packing, unpacking,
// adding up parts, launches) and the order of plans that follows, with artificial results and rates
// and without a device.
#include <string>

#include "catch.hpp"
#include "plan_records.hpp"

namespace tilewright {
namespace {

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

TEST_CASE("a pack kernel that was measured on two sizes has the rate of the nearer one") {
  Profile profile = direct_and_panels(1'000'000, 5'000);
  profile.pack_results = {{"pack", 0.1}, {"pack", 0.4, kMediumMovedExtent}};
  const MeasuredTimes times({&profile});
  const auto rate = [&](std::int64_t rows, std::int64_t columns) {
    const PackProblem problem{rows, columns, rows, columns, {}, {}};
    return times.pack_ns(profile.kernels[2], problem) / static_cast<double>(rows * columns);
  };
  CHECK(rate(1351, 1000) == Approx(0.1));
  CHECK(rate(2164, 1351) == Approx(0.4));
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
  CHECK(explained(plans).find("9.1  runs       pack_a 4.1 (pack) + product 5 (panels)\n") !=
        std::string::npos);
  const std::string second = explained(plans, 1);
  CHECK(second.find("9.1  not usable pack_a 4.1 (pack) + product 5 (panels)\n") !=
        std::string::npos);
  CHECK(second.find("not usable: panels does not build\n") != std::string::npos);
  CHECK(second.find(" 10  runs       product 10 (direct)\n") != std::string::npos);
  CHECK(second.find(" 50  next       product 50 (fifth)\n") != std::string::npos);
}

}  // namespace
}  // namespace tilewright

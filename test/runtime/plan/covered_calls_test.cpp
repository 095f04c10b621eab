// Tests which profile decides about a call: the first one that covers it, or the built-in one.
#include "catch.hpp"
#include "plan_records.hpp"

namespace tilewright {
namespace {

TEST_CASE("what runs without a profile comes first, unless the profile knows its time") {
  Profile profile = tuned({gemm("fast", Op::kNN), gemm("other", Op::kNT)},
                          {result(Op::kNN, 64, "fast", 10), result(Op::kNT, 64, "other", 10)});
  const Profile fallback = generic({gemm("builtin", Op::kNN), gemm("builtin t", Op::kNT)});
  const auto plans = rank({&profile, &fallback}, Op::kNN, {64, 64, 64});
  CHECK(names(plans) == Names{"builtin", "fast"});
  CHECK(reason_text(plans[0]).find("runs without a profile") != std::string::npos);
  CHECK(explained(plans).find("without a profile") != std::string::npos);
  // Of that op alone.
  profile.kernels.push_back(gemm("builtin", Op::kNN));
  profile.kernels.back().built_in = true;
  profile.results.push_back(result(Op::kNN, 64, "builtin", 20));
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {64, 64, 64})).front() == "fast");
  CHECK(names(rank({&profile, &fallback}, Op::kNN, {160, 128, 64})).front() == "fast");
  CHECK(names(rank({&profile, &fallback}, Op::kNT, {64, 64, 64})) == Names{"builtin t", "other"});
  // A predicted profile has no results for its own kernels, either. They still come first, because
  // the profile was chosen for the device.
  profile.kind = ProfileKind::kPredicted;
  CHECK(names(rank({&profile, &fallback}, Op::kNT, {64, 64, 64})) == Names{"other", "builtin t"});
}

TEST_CASE("a profile does not cover products that are much smaller than those it measured") {
  const Profile profile =
      tuned({gemm("fast", Op::kNN), gemm("builtin", Op::kNN)},
            {result(Op::kNN, 64, "fast", 1e6), result(Op::kNN, 64, "builtin", 2e6)});
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  const auto first = [&](const GemmShape& shape) {
    return rank({&profile, &fallback}, Op::kNN, shape).front();
  };
  CHECK(first({16, 16, 16}).kernel().name == "fast");
  CHECK(first({15, 16, 16}).kernel().name == "builtin");
  CHECK(first({15, 16, 16}).times.first_because == FirstBecause::kUncovered);
  CHECK(first({64, 1, 640}).kernel().name == "builtin");
  CHECK(first({640, 640, 15}).kernel().name == "builtin");
}

TEST_CASE("a profile does not cover products that are far larger than those it measured") {
  const auto make_profile = [](std::int64_t size) {
    return tuned({gemm("fast", Op::kNN), gemm("builtin", Op::kNN)},
                 {result(Op::kNN, size, "fast", 1e6), result(Op::kNN, size, "builtin", 2e6)});
  };
  const Profile fallback = generic({gemm("builtin", Op::kNN)});
  const auto first = [&](const Profile& profile, const GemmShape& shape) {
    return rank({&profile, &fallback}, Op::kNN, shape).front();
  };
  // 64 x 64 are four work-groups of 32 x 32. They do not show how four units work.
  Profile small = make_profile(64);
  small.device.compute_units = 4;
  CHECK(first(small, {160, 160, 160}).kernel().name == "fast");
  CHECK(first(small, {1024, 1024, 1024}).kernel().name == "builtin");
  CHECK(first(small, {1024, 1024, 1024}).times.first_because == FirstBecause::kUncovered);
  // 256 x 256 do: 16 work-groups for each unit.
  Profile large = make_profile(256);
  large.device.compute_units = 4;
  CHECK(first(large, {8000, 8000, 8000}).kernel().name == "fast");
  // On a CPU, the caches may not hold a larger product, unless the models know one.
  large.device.processor = "GenuineIntel family 6 model 85";
  CHECK(first(large, {8000, 8000, 8000}).times.first_because == FirstBecause::kUncovered);
  for (const char* kernel : {"fast", "builtin"}) {
    const double ps = kernel == std::string("fast") ? 100.0 : 200.0;
    large.models.push_back({.kernel = kernel, .even_ps = ps, .max_work = 2048.0 * 2048 * 2048 / 4});
  }
  CHECK(first(large, {3200, 3200, 3200}).kernel().name == "fast");
  CHECK(first(large, {3300, 3300, 3300}).times.first_because ==
        FirstBecause::kUncovered);  // 4.2 times the work
}

TEST_CASE("the first tuned profile that covers a call is used alone") {
  const Profile own = tuned({gemm("own", Op::kNN), gemm("builtin", Op::kNN)},
                            {result(Op::kNN, 64, "own", 1e6), result(Op::kNN, 64, "builtin", 2e6)});
  const Profile shipped =
      tuned({gemm("shipped t", Op::kNT), gemm("builtin t", Op::kNT), gemm("shipped", Op::kNN),
             gemm("builtin", Op::kNN)},
            {result(Op::kNN, 64, "shipped", 1e5), result(Op::kNN, 64, "builtin", 2e6),
             result(Op::kNT, 64, "shipped t", 1e6), result(Op::kNT, 64, "builtin t", 2e6)});
  Profile shipped_profile = shipped;
  shipped_profile.kernels[1].built_in = true;
  const Profile fallback =
      generic({gemm("builtin", Op::kNN), gemm("builtin t", Op::kNT), gemm("builtin tn", Op::kTN)});
  const auto plans = [&](Op op) {
    return rank({&own, &shipped_profile, &fallback}, op, {64, 64, 64});
  };
  CHECK(names(plans(Op::kNN)).front() == "own");
  CHECK(names(plans(Op::kNN)).back() == "builtin");  // of the other profile, as "shipped" before it
  CHECK(plans(Op::kNN).back().profile == &shipped_profile);
  CHECK(names(plans(Op::kNT)).front() == "shipped t");
  CHECK(names(plans(Op::kTN)).front() == "builtin tn");
  CHECK(plans(Op::kTN).front().times.first_because == FirstBecause::kUncovered);
}

TEST_CASE("a profile knows the plan without it only if it has measured the packing, too") {
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_b = layout("C1x4R");
  panels.multiples = {1, 4, 1};
  Profile profile = tuned({gemm("fast", Op::kNN), panels, pack("pack", "R", "C1x4R")},
                          {result(Op::kNN, 64, "fast", 10), result(Op::kNN, 64, "panels", 100)});
  const Profile fallback = generic({panels, pack("pack", "R", "C1x4R")});
  const auto first = [&] {
    return names(rank({&profile, &fallback}, Op::kNN, {64, 64, 64})).front();
  };
  CHECK(first() == "panels");
  profile.pack_results = {{"pack", 0.01}};
  CHECK(first() == "fast");
}

TEST_CASE("the plan without a profile is chosen by the guesses alone, as without it") {
  // Only the profile contains a result that shows that the kernel packs fast.
  KernelRecord panels = gemm("panels", Op::kNN);
  panels.layout_b = layout("C1x4R");
  panels.multiples = {1, 4, 1};
  Profile profile = tuned({gemm("plain", Op::kNN), pack("tuned pack", "R", "C1x4R")},
                          {result(Op::kNN, 64, "plain", 1e6)});
  profile.pack_results = {{"tuned pack", 1e-9}};
  Profile fallback = generic({gemm("plain", Op::kNN), panels, pack("built-in pack", "R", "C1x4R")});
  fallback.models = {{.kernel = "plain", .fixed_ns = 1000.0},
                     {.kernel = "panels", .fixed_ns = 1.0}};
  CHECK(names(rank({&fallback}, Op::kNN, {64, 64, 64})).front() == "plain");
  // "plain" would run, and its time is known.
  CHECK(rank({&profile, &fallback}, Op::kNN, {64, 64, 64}).front().times.first_because !=
        FirstBecause::kUncovered);
}

}  // namespace
}  // namespace tilewright

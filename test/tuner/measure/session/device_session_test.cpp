// Tests of what a worker does with its device, without a worker process.
#include "tuner/measure/session/device_session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/journal/records/slow_down.hpp"

#include "session_case.hpp"

namespace tilewright {
namespace {

TEST_CASE("the facts are those of the device") {
  SessionCase s;
  const DeviceInfo& facts = s.session.facts;
  CHECK(facts.identity == identify(*find_test_device()));
  CHECK(facts.kind == device_kind(*find_test_device()));
  CHECK(facts.limits.max_work_group_size >= 1);
  if (facts.kind == DeviceKind::kCpu) CHECK(facts.clock_path.empty());
}

TEST_CASE(
    "a good point is correct and has samples on all shapes, and each step is announced before it") {
  SessionCase s;
  const MeasureRequest request = trial_request(kGood, {{32, 32, 32}, {96, 80, 64}});
  const Outcome outcome = outcome_from_reply(s.session, request);
  INFO(outcome.reason);
  CHECK(outcome.result == OutcomeClass::kOk);
  CHECK(outcome.kernel == request.kernels[0]);
  CHECK(outcome.reason.empty());
  CHECK(outcome.max_error > 0.0);
  CHECK(outcome.max_error < 1.0);
  CHECK(outcome.reference.empty());
  REQUIRE(outcome.shapes.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const ShapeSamples& samples = outcome.shapes[i];
    CHECK(samples.shape == request.shapes[i]);
    CHECK(samples.ns.size() == 3);
    CHECK(samples.reference_ns.empty());
    CHECK(samples.slice_m == 0);
    for (const double ns : samples.ns) CHECK(ns > 0.0);
  }
  REQUIRE(s.activities.size() >= 4);
  CHECK(s.activities[0] ==
        WorkerActivity{WorkerActivityKind::kBuild, request.kernels[0].text(), 0.0, "", true});
  CHECK(s.activities[1].kind == WorkerActivityKind::kLaunch);
  CHECK(s.activities[1].what == request.kernels[0].text());
  CHECK(s.activities[1].expected_s > 0.0);  // drivers may continue compiling
  CHECK(s.activities.back().expected_s > 0.0);
}

TEST_CASE("each sample has one of the reference") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}, {96, 96, 96}});
  request.reference = parse_kernel(kOther);
  request.reference_ns = {12345.0, 67890.0};
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.reference == request.reference);
  REQUIRE(outcome.shapes.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(outcome.shapes[i].reference_ns.size() == outcome.shapes[i].ns.size());
    CHECK(outcome.shapes[i].reference_known_ns == request.reference_ns[i]);
  }
  // The reference is known, so that the worker does not wait before it is built or launched.
  for (const WorkerActivity& activity : s.activities) {
    CHECK(activity.is_new == (activity.what != request.reference.text()));
  }
  // The reference is loaded only once.
  s.activities.clear();
  outcome_from_reply(s.session, request);
  CHECK(s.announced(WorkerActivityKind::kBuild).empty());
}

TEST_CASE("a reference that cannot be loaded is ignored") {
  SessionCase s;
  s.session.set_emit([](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    if (point == parse_point(kOther)) record.source = "no kernel";
    return record;
  });
  MeasureRequest request = trial_request(kGood, {{48, 48, 48}});
  request.reference = parse_kernel(kOther);
  request.reference_ns = {1e5};
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.result == OutcomeClass::kOk);
  CHECK(outcome.reference.empty());
  REQUIRE(outcome.shapes.size() == 1);
  CHECK(outcome.shapes[0].reference_ns.empty());
  CHECK(outcome.shapes[0].reference_known_ns == 0.0);
}

TEST_CASE("a wrong kernel is detected and not timed") {
  SessionCase s;
  s.spoil("for (; p < k; ++p)", "for (; p < k - (k > 300); ++p)");
  const Outcome outcome =
      outcome_from_reply(s.session, trial_request("gemm op=NN", {{32, 32, 32}}));
  CHECK(outcome.result == OutcomeClass::kWrong);
  CHECK(outcome.reason.find("expected") != std::string::npos);
  CHECK(outcome.shapes.empty());
}

TEST_CASE("the build log of a kernel that does not compile is stored separately") {
  SessionCase s;
  s.spoil("for (; p < k; ++p)", "for (; p < undeclared_name; ++p)");
  for (const bool prepare : {false, true}) {
    const Outcome outcome =
        prepare ? prepared(s.session, "gemm op=NN")
                : outcome_from_reply(s.session, trial_request("gemm op=NN", {{32, 32, 32}}));
    CHECK(outcome.result == OutcomeClass::kBuild);
    CHECK(outcome.reason.find('\n') == std::string::npos);
    CHECK(outcome.build_log.find("undeclared_name") != std::string::npos);
  }
}

TEST_CASE("a rejected launch is an outcome, and the session continues") {
  SessionCase s;
  s.session.set_emit([](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    record.work_group = {3, 1};  // the kernel requires 1 x 1
    return record;
  });
  CHECK(outcome_from_reply(s.session, trial_request("gemm op=NN", {{32, 32, 32}})).result ==
        OutcomeClass::kLaunch);
  // Preparing a kernel launches it only on devices that compile at the first launch.
  const bool launches = compiles_at_launch(*find_test_device());
  CHECK(prepared(s.session, "gemm op=NN").result ==
        (launches ? OutcomeClass::kLaunch : OutcomeClass::kOk));
  s.session.set_emit(emit);
  CHECK(outcome_from_reply(s.session, trial_request("gemm op=NN", {{32, 32, 32}})).result ==
        OutcomeClass::kOk);
}

TEST_CASE("unsupported shapes are left out, and a kernel that supports none has class limits") {
  SessionCase s;
  const char* narrow =
      "gemv layout_a=R layout_b=R tile_narrow=1 tile_wide=4 tile_k=4 vector_width=4 narrow=m";
  const Outcome some =
      outcome_from_reply(s.session, trial_request(narrow, {{33, 35, 37}, {1, 64, 64}}));
  CHECK(some.result == OutcomeClass::kOk);
  REQUIRE(some.shapes.size() == 1);
  CHECK(some.shapes[0].shape == GemmShape{1, 64, 64});
  const Outcome none = outcome_from_reply(s.session, trial_request(narrow, {{33, 35, 37}}));
  CHECK(none.result == OutcomeClass::kLimits);
  CHECK(none.reason.find("would exceed the matrix") != std::string::npos);
}

TEST_CASE("if the whole product would take too long, a slice is measured and scaled") {
  SessionCase s;
  const auto measure = [&](const GemmShape& shape, double max_dispatch_ns) {
    MeasureRequest request = trial_request(kGood, {shape});
    request.options.max_dispatch_ns = max_dispatch_ns;
    const Outcome outcome = outcome_from_reply(s.session, request);
    INFO(outcome.reason);
    REQUIRE(outcome.result == OutcomeClass::kOk);
    return outcome.shapes.at(0);
  };
  check_scaled(
      [&](const GemmShape& shape) {
        const ShapeSamples samples = measure(shape, 1e12);
        CHECK(samples.slice_m == 0);
        return median_ns(samples);
      },
      [&](const GemmShape& shape, double max_dispatch_ns) {
        const ShapeSamples samples = measure(shape, max_dispatch_ns);
        CHECK(samples.slice_m > 0);
        CHECK(samples.slice_m < shape.m);
        CHECK(samples.slice_m % 4 == 0);
        return median_ns(samples);
      });
}

TEST_CASE(
    "a candidate that exceeds the dispatch limit with any launch is slow, and the reason says so") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{512, 512, 512}});
  request.options.max_dispatch_ns = 1.0;
  const Outcome outcome = outcome_from_reply(s.session, request);
  CHECK(outcome.result == OutcomeClass::kSlow);
  CHECK(outcome.reason.find("--max-dispatch") != std::string::npos);
  CHECK(outcome.shapes.empty());
}

TEST_CASE("trials by wall time or with cold caches have samples, but both together are rejected") {
  SessionCase s;
  MeasureRequest request = trial_request(kGood, {{64, 64, 64}});
  request.options.samples = 1;
  request.options.event_time = false;
  CHECK(outcome_from_reply(s.session, request).shapes.at(0).ns.at(0) > 0.0);
  request.options.cold_caches = true;
  CHECK_THROWS(outcome_from_reply(s.session, request));
  request.options.event_time = true;
  CHECK(outcome_from_reply(s.session, request).shapes.at(0).ns.at(0) > 0.0);
}

TEST_CASE("kernels of all kinds can be prepared") {
  SessionCase s;
  for (const char* point :
       {kGood, "gemm split_k=4", "gemm tile_m=4 tile_n=4 vector_width=4 access=aligned",
        "gemm layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16", "gemv",
        "pack from=C to=R8x1C", "reduce"}) {
    INFO(point);
    s.activities.clear();
    const Outcome outcome = prepared(s.session, point);
    INFO(outcome.reason);
    CHECK(outcome.result == OutcomeClass::kOk);
    CHECK(outcome.shapes.empty());
    CHECK(s.announced(WorkerActivityKind::kBuild) ==
          std::vector<std::string>{to_text(parse_point(point))});
  }
}

TEST_CASE("kernels that read images are tried, and measured in finals") {
  if (find_test_device()->getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_FALSE) {
    SKIP_CASE("the device does not support images");
  }
  SessionCase s;
  const char* point =
      "gemm image_a=yes image_b=yes tile_m=4 tile_n=4 tile_k=4 vector_width=4 edges=padded";
  const Outcome outcome = outcome_from_reply(s.session, trial_request(point, {{64, 64, 64}}));
  INFO(outcome.reason);
  CHECK(outcome.result == OutcomeClass::kOk);
  MeasureRequest request = trial_request(point, {{64, 60, 56}});
  request.verify = false;
  CHECK(outcome_from_reply(s.session, request).shapes.size() == 1);
}

// A former error: finals with 80 finalists loaded every fifth kernel again in each round, and
// completed only a tenth of the rounds.
TEST_CASE("all kernels of a request are kept for the next one, however many there are") {
  SessionCase s;
  const KernelRecord record = emit(parse_point("gemm tile_m=2 tile_n=4"));
  // The driver's cache contains it.
  s.session.set_emit([&](const ParameterPoint&) { return record; });
  MeasureRequest request;
  request.verify = false;
  for (const int m : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const int n : {1, 2, 3, 4, 6, 8, 12, 16, 32, 48}) {
      request.kernels.push_back({parse_kernel(fmt::format("gemm tile_m={} tile_n={}", m, n))});
    }
  }
  Measuring(s.session, request).run();
  CHECK(s.announced(WorkerActivityKind::kBuild).size() == 80);
  s.activities.clear();
  Measuring(s.session, request).run();
  CHECK(s.announced(WorkerActivityKind::kBuild).empty());
  // Fewer are kept after a request of fewer kernels.
  Measuring(s.session, trial_request("gemm tile_m=2 tile_n=64", {})).run();
  s.activities.clear();
  Measuring(s.session, request).run();
  CHECK_FALSE(s.announced(WorkerActivityKind::kBuild).empty());
}

TEST_CASE("rates are measured after they are announced") {
  SessionCase s;
  CHECK(s.session.measure_rates(60.0).peak_gflops > 0.0);
  CHECK(s.announced(WorkerActivityKind::kBuild).size() == 1);
}

TEST_CASE("a working device passes the health check") {
  SessionCase s;
  s.session.health_check();
  CHECK(s.announced(WorkerActivityKind::kLaunch).size() == 1);
}

}  // namespace
}  // namespace tilewright

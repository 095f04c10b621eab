// Sweeps of the finals on a device.
#include "session_case.hpp"

namespace tilewright {
namespace {

constexpr const char* kTiles =
    "gemm layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16";

SweepRequest sweep_of(GemmShape shape) {
  SweepRequest request;
  request.lineup.finalists = {
      {kGood, Finalist::Job::kProduct, ""},
      {kTiles, Finalist::Job::kProduct, ""},
      {"pack from=R to=R8x1C", Finalist::Job::kPackA, kTiles},
      {"pack from=C to=C1x16R", Finalist::Job::kPackB, kTiles},
      {"gemm tile_m=4 tile_n=4 vector_width=4 access=aligned", Finalist::Job::kProduct, ""},
      {"pack from=R to=R8x1C", Finalist::Job::kPackB, kTiles}};
  request.shape = shape;
  request.round = 7;
  request.runs = {3, 1, 4, 2, 0, 5};
  return request;
}

TEST_CASE("a sweep times products and packs; what cannot run says why") {
  SessionCase s;
  SweepRequest request = sweep_of({50, 51, 52});
  const SweepReply reply = s.session.sweep(request);
  CHECK(reply.sweep.round == 7);
  CHECK(reply.sweep.shape == request.shape);
  CHECK(reply.sweep.reference_before_ns > 0.0);
  CHECK(reply.sweep.reference_after_ns > 0.0);
  for (const std::size_t index : {0, 1, 2, 3}) {
    INFO(index);
    REQUIRE(reply.sweep.ns.count(index) == 1);
    CHECK(reply.sweep.ns.at(index) > 0.0);
  }
  REQUIRE(reply.failures.size() == 2);
  CHECK(reply.failures.at(4).rfind("limits: ", 0) == 0);
  CHECK(reply.failures.at(5).rfind("limits: ", 0) == 0);
  // Each is built once, and announced by its index.
  CHECK(s.announced(PhaseKind::kBuild) == std::vector<std::string>{"0", "3", "1", "4", "2"});
  s.phases.clear();
  request.lineup = {};
  request.runs = {2, 0};
  request.expected_ns = {{0, 1e4}};
  const SweepReply second = s.session.sweep(request);
  CHECK(s.announced(PhaseKind::kBuild).empty());
  CHECK(second.sweep.ns.size() == 2);
  const std::vector<std::string> launches = s.announced(PhaseKind::kLaunch);
  CHECK(launches.front() == "0");
  CHECK(launches.back() == "0");
}

TEST_CASE("without a reference the others are measured; one that fails is a failure, once") {
  SessionCase s;
  SweepRequest request = sweep_of({50, 51, 52});
  request.runs = {1};
  request.with_reference = false;
  const SweepReply without = s.session.sweep(request);
  CHECK(without.sweep.reference_before_ns == 0.0);
  CHECK(without.sweep.reference_after_ns == 0.0);
  CHECK(without.sweep.ns.size() == 1);
  CHECK(s.announced(PhaseKind::kBuild) == std::vector<std::string>{"1"});
  s.phases.clear();
  request.with_reference = true;
  request.lineup.reference = 4;  // which cannot take the shape
  request.runs = {4, 1};
  const SweepReply failed = s.session.sweep(request);
  CHECK(failed.sweep.reference_before_ns == 0.0);
  CHECK(failed.sweep.ns.size() == 1);
  REQUIRE(failed.failures.count(4) == 1);
  CHECK(failed.failures.at(4).rfind("limits: ", 0) == 0);
}

TEST_CASE("a sweep slices what would take too long") {
  const auto measure = [](const GemmShape& shape, double max_dispatch_ns) {
    SessionCase s;
    SweepRequest request = sweep_of(shape);
    request.runs = {0, 2};
    request.options.max_dispatch_ns = max_dispatch_ns;
    const SweepReply reply = s.session.sweep(request);
    REQUIRE(reply.sweep.ns.count(0) == 1);
    return reply.sweep.ns.at(0);
  };
  check_scaled([&](const GemmShape& shape) { return measure(shape, 1e12); }, measure);
}

TEST_CASE("a finalist that fails leaves the others a device that works") {
  SessionCase s;
  s.session.set_emit([](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    if (point == parse_point(kOther)) record.work_group = {3, 1};
    if (point == parse_point("gemm tile_m=2")) record.source = "no kernel";
    return record;
  });
  SweepRequest request;
  request.lineup.finalists = {{kOther, Finalist::Job::kProduct, ""},
                              {"gemm tile_m=2", Finalist::Job::kProduct, ""},
                              {kGood, Finalist::Job::kProduct, ""}};
  request.lineup.reference = 2;
  request.shape = {40, 40, 40};
  request.runs = {0, 1, 2};
  const SweepReply reply = s.session.sweep(request);
  CHECK(reply.failures.at(0).rfind("launch: ", 0) == 0);
  CHECK(reply.failures.at(1).rfind("build: ", 0) == 0);
  CHECK(reply.sweep.ns.at(2) > 0.0);
  CHECK(reply.sweep.reference_after_ns > 0.0);
}

TEST_CASE("a reference that does not run is not timed") {
  SessionCase s;
  SweepRequest request = sweep_of({50, 51, 52});
  request.lineup.reference = 4;  // fails
  request.runs = {0};
  request.with_reference = false;
  const SweepReply reply = s.session.sweep(request);
  CHECK(s.announced(PhaseKind::kBuild) == std::vector<std::string>{"0"});
  CHECK(reply.sweep.reference_before_ns == 0.0);
  CHECK(reply.sweep.reference_after_ns == 0.0);
  CHECK(reply.sweep.ns.count(0) == 1);
}

TEST_CASE("adding up the parts of a split k is a finalist of its own") {
  SessionCase s;
  const std::string split = to_text(parse_point("gemm tile_m=4 tile_n=8 vector_width=8 split_k=4"));
  SweepRequest request;
  request.lineup.finalists = {{split, Finalist::Job::kProduct, ""},
                              {"reduce vector_width=4", Finalist::Job::kReduce, split},
                              {"reduce vector_width=4", Finalist::Job::kReduce, kGood},
                              {"reduce vector_width=4", Finalist::Job::kPackA, split}};
  request.shape = {50, 51, 520};
  request.runs = {0, 1, 2, 3};
  const SweepReply reply = s.session.sweep(request);
  CHECK(reply.sweep.ns.at(0) > 0.0);
  CHECK(reply.sweep.ns.at(1) > 0.0);
  CHECK(reply.failures.at(2).find("no parts") != std::string::npos);
  CHECK(reply.failures.at(3).find("not for that job") != std::string::npos);
}

}  // namespace
}  // namespace tilewright

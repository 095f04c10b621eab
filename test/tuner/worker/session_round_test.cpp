// Rounds of the finals on a device.
#include "session_case.hpp"

namespace tilewright {
namespace {

constexpr const char* kTiles =
    "gemm layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16";

RoundRequest round_of(GemmShape shape) {
  RoundRequest request;
  for (const char* kernel : {kGood, kTiles, "gemm tile_m=4 tile_n=4 vector_width=4 access=aligned",
                             "pack from=R to=R8x1C"}) {
    request.lineup.finalists.push_back(parse_kernel(kernel));
  }
  request.shape = shape;
  request.block = 2;
  request.round = 7;
  request.runs = {3, 1, 2, 0};
  return request;
}

TEST_CASE("a round times products; what cannot run says why") {
  SessionCase s;
  RoundRequest request = round_of({50, 51, 52});
  const RoundReply reply = s.session.round(request);
  CHECK(reply.round.block == 2);
  CHECK(reply.round.round == 7);
  CHECK(reply.round.shape == request.shape);
  for (const std::size_t index : {0, 1}) {
    INFO(index);
    REQUIRE(reply.round.ns.count(index) == 1);
    CHECK(reply.round.ns.at(index) > 0.0);
  }
  REQUIRE(reply.failures.size() == 2);
  CHECK(reply.failures.at(2).rfind("limits: ", 0) == 0);
  CHECK(reply.failures.at(3).find("computes no product") != std::string::npos);
  // Each is built once, and announced by its index.
  CHECK(s.announced(PhaseKind::kBuild) == std::vector<std::string>{"3", "1", "2", "0"});
  s.phases.clear();
  request.lineup = {};
  request.runs = {1, 0};
  request.expected_ns = {{0, 1e4}};
  const RoundReply second = s.session.round(request);
  CHECK(s.announced(PhaseKind::kBuild).empty());
  CHECK(second.round.ns.size() == 2);
  const std::vector<std::string> launches = s.announced(PhaseKind::kLaunch);
  CHECK(launches.front() == "1");
  CHECK(launches.back() == "0");
}

TEST_CASE("a round slices what would take too long") {
  const auto measure = [](const GemmShape& shape, double max_dispatch_ns) {
    SessionCase s;
    RoundRequest request = round_of(shape);
    request.runs = {0};
    request.options.max_dispatch_ns = max_dispatch_ns;
    const RoundReply reply = s.session.round(request);
    REQUIRE(reply.round.ns.count(0) == 1);
    return reply.round.ns.at(0);
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
  RoundRequest request;
  request.lineup.finalists = {parse_kernel(kOther), parse_kernel("gemm tile_m=2"),
                              parse_kernel(kGood)};
  request.shape = {40, 40, 40};
  request.runs = {0, 1, 2};
  const RoundReply reply = s.session.round(request);
  CHECK(reply.failures.at(0).rfind("launch: ", 0) == 0);
  CHECK(reply.failures.at(1).rfind("build: ", 0) == 0);
  CHECK(reply.round.ns.at(2) > 0.0);
}

}  // namespace
}  // namespace tilewright

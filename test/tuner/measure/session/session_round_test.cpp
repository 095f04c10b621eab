// Tests of several kernels in one request on a device, as in the finals.
#include "session_case.hpp"

namespace tilewright {
namespace {

constexpr const char* kTiles =
    "gemm layout_a=R8x1C layout_b=C1x16R tile_m=8 tile_n=16 vector_width=16";
// For at most one row.
constexpr const char* kNarrow =
    "gemv layout_a=R layout_b=R tile_narrow=1 tile_wide=4 tile_k=4 vector_width=4 narrow=m";

MeasureRequest round_request(GemmShape shape) {
  MeasureRequest request;
  for (const char* kernel : {kGood, kTiles, kNarrow, "pack from=R to=R8x1C"}) {
    request.kernels.push_back(parse_kernel(kernel));
  }
  request.shapes = {shape};
  request.verify = false;
  request.options.samples = 1;
  return request;
}

double measured_ns(const Outcomes& outcomes, std::size_t kernel) {
  const Outcome& outcome = outcomes.at(kernel);
  INFO(outcome.reason);
  REQUIRE(outcome.result == OutcomeClass::kOk);
  return outcome.shapes.at(0).ns.at(0);
}

TEST_CASE("a round times products, and the reason is reported for kernels that cannot run") {
  SessionCase s;
  MeasureRequest request = round_request({50, 51, 52});
  const Outcomes outcomes = Measuring(s.session, request).run();
  REQUIRE(outcomes.size() == 4);
  for (const std::size_t kernel : {0, 1}) CHECK(measured_ns(outcomes, kernel) > 0.0);
  CHECK(outcomes.at(2).result == OutcomeClass::kLimits);
  CHECK(outcomes.at(3).reason.find("product kernel") != std::string::npos);
  // Each kernel is built once and announced by its text.
  std::vector<std::string> texts;
  for (const KernelId& kernel : request.kernels) texts.push_back(kernel.text());
  CHECK(s.announced(WorkerActivityKind::kBuild) == texts);
  s.activities.clear();
  request.kernels = {parse_kernel(kTiles), parse_kernel(kGood)};
  request.expected_ns = {0.0, 1e4};
  const Outcomes second = Measuring(s.session, request).run();
  CHECK(s.announced(WorkerActivityKind::kBuild).empty());
  for (const std::size_t kernel : {0, 1}) CHECK(measured_ns(second, kernel) > 0.0);
  const std::vector<std::string> launches = s.announced(WorkerActivityKind::kLaunch);
  CHECK(launches.front() == parse_kernel(kTiles).text());
}

TEST_CASE("each kernel has one sample per round, and rounds have a random order") {
  SessionCase s;
  MeasureRequest request = round_request({48, 48, 48});
  request.kernels.resize(2);
  request.options.samples = 20;
  const Outcomes outcomes = Measuring(s.session, request).run();
  for (const std::size_t kernel : {0, 1}) {
    CHECK(outcomes.at(kernel).shapes.at(0).ns.size() == 20);
  }
  // Each round has two announcements per kernel. Of 20 rounds in random order, some start with the
  // first kernel, and some with the second.
  const std::vector<std::string> launches = s.announced(WorkerActivityKind::kLaunch);
  const std::size_t rounds = launches.size() - 4 * 20;
  const std::string first = request.kernels[0].text();
  std::size_t begun_by_first = 0;
  for (std::size_t i = rounds; i < launches.size(); i += 4) begun_by_first += launches[i] == first;
  CHECK(begun_by_first > 0);
  CHECK(begun_by_first < 20);
}

TEST_CASE("a round measures a slice of a product that would take too long") {
  const auto measure = [](const GemmShape& shape, double max_dispatch_ns) {
    SessionCase s;
    MeasureRequest request = round_request(shape);
    request.kernels = {{parse_kernel(kGood)}};
    request.options.max_dispatch_ns = max_dispatch_ns;
    return measured_ns(Measuring(s.session, request).run(), 0);
  };
  check_scaled([&](const GemmShape& shape) { return measure(shape, 1e12); }, measure);
}

TEST_CASE("after a finalist fails, the device still works for the others") {
  SessionCase s;
  s.session.set_emit([](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    if (point == parse_point(kOther)) record.work_group = {3, 1};
    if (point == parse_point("gemm tile_m=2")) record.source = "no kernel";
    return record;
  });
  MeasureRequest request = round_request({40, 40, 40});
  request.kernels = {{parse_kernel(kGood)},
                     {parse_kernel(kOther)},
                     {parse_kernel("gemm tile_m=2")},
                     {parse_kernel(kTiles)}};
  const Outcomes outcomes = Measuring(s.session, request).run();
  CHECK(outcomes.at(1).result == OutcomeClass::kLaunch);
  CHECK(outcomes.at(2).result == OutcomeClass::kBuild);
  for (const std::size_t kernel : {0, 3}) CHECK(measured_ns(outcomes, kernel) > 0.0);
}

}  // namespace
}  // namespace tilewright

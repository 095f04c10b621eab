// Tests of the choice of pack, reduction, activation and softmax kernels by a worker, without a
// worker process.
#include <algorithm>

#include "session_case.hpp"
#include "tuner/search/pack_candidates.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

// Returns the outcome of the fastest kernel; without a kernel if none works.
Outcome tune(SessionCase& s, const AuxiliaryRequirement& requirement) {
  const MeasureRequest request = auxiliary_request(requirement, s.session.facts.limits, {});
  const Outcomes outcomes = Measuring(s.session, request).run();
  const KernelId kernel = fastest_auxiliaries(outcomes)[requirement.requirement];
  const auto found = std::ranges::find(outcomes, kernel, &Outcome::kernel);
  return found == outcomes.end() ? Outcome{} : *found;
}

// Returns the first one that works.
Outcome tune(SessionCase& s, const std::string& requirement) {
  return tune(s, {parse_point(requirement), 0.0});
}

TEST_CASE("a pack kernel is found for each requirement, and each candidate is announced") {
  SessionCase s;
  for (const char* requirement :
       {"pack", "pack from=R to=R8x1C", "pack from=C to=C1x16R", "pack from=R to=C large=yes"}) {
    INFO(requirement);
    s.activities.clear();
    const Outcome found = tune(s, requirement);
    REQUIRE_FALSE(found.kernel.empty());
    CHECK(ns_per_element(found, moved_extent(found.kernel.point())) > 0.0);
    const auto wanted = std::get<PackPoint>(parse_point(requirement));
    CHECK(requirement_of(found.kernel.point()) == ParameterPoint(wanted));
    // This device is a CPU.
    CHECK((ns_per_element(found, kMediumMovedExtent) > 0.0) == !wanted.large);
    CHECK(s.announced(WorkerActivityKind::kBuild).back() == found.kernel.text());
    CHECK(s.announced(WorkerActivityKind::kLaunch).back() == found.kernel.text());
  }
  const KernelId known = parse_kernel("pack from=R to=R8x1C tile_m=8");
  CHECK(tune(s, {parse_point("pack from=R to=R8x1C"), 0.0, 0, {known}}).kernel == known);
  CHECK_THROWS(tune(s, "gemv"));
  CHECK_THROWS(tune(s, "gemm"));
}

TEST_CASE("activation and softmax kernels for networks are found like pack kernels") {
  SessionCase s;
  for (const char* requirement :
       {"activation bias=n activation=relu", "activation id_order=flat bias=n activation=tanh",
        "activation activation=leaky_relu", "activation bias=m", "softmax",
        "reduce bias=n activation=sigmoid"}) {
    INFO(requirement);
    const Outcome found = tune(s, requirement);
    REQUIRE_FALSE(found.kernel.empty());
    CHECK(ns_per_element(found, kMovedExtent) > 0.0);
    CHECK(requirement_of(found.kernel.point()) == parse_point(requirement));
  }
  // A wrong kernel is skipped.
  const std::string requirement = "activation activation=relu";
  const KernelId first = tune(s, requirement).kernel;
  s.session.set_emit([&](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    if (KernelId(point) == first) {
      record.source.replace(record.source.find("fmax("), 5, "fmin(");
    }
    return record;
  });
  const KernelId other = tune(s, requirement).kernel;
  CHECK_FALSE(other.empty());
  CHECK(other != first);
}

TEST_CASE("a reduction kernel is found like a pack kernel, and a wrong one is skipped") {
  SessionCase s;
  const Outcome found = tune(s, "reduce");
  REQUIRE(std::holds_alternative<ReducePoint>(found.kernel.point()));
  CHECK(ns_per_element(found, kMovedExtent) > 0.0);
  // The first one leaves out one part.
  s.session.set_emit([&](const ParameterPoint& point) {
    KernelRecord record = emit(point);
    const std::size_t at = record.source.find("z < parts");
    if (KernelId(point) == found.kernel) record.source.replace(at, 9, "z + 1 < parts");
    return record;
  });
  const KernelId other = tune(s, "reduce").kernel;
  CHECK_FALSE(other.empty());
  CHECK(other != found.kernel);
}

TEST_CASE("a pack kernel that does not build, or whose launch is rejected, is skipped") {
  SessionCase s;
  const KernelId first = tune(s, "pack").kernel;
  const auto spoil_first = [&](const auto& change) {
    s.session.set_emit([=](const ParameterPoint& point) {
      KernelRecord record = emit(point);
      if (KernelId(point) == first) change(record);
      return record;
    });
    s.activities.clear();
  };
  spoil_first([](KernelRecord& record) { record.source = "no kernel"; });
  CHECK(tune(s, "pack").kernel != first);
  spoil_first([](KernelRecord& record) { record.work_group = {3, 1}; });
  const Outcome other = tune(s, "pack");
  CHECK_FALSE(other.kernel.empty());
  CHECK(other.kernel != first);
  CHECK(s.announced(WorkerActivityKind::kLaunch).front() == first.text());
}

TEST_CASE("pack kernels take turns as long as more are requested") {
  SessionCase s;
  const AuxiliaryRequirement requirement{parse_point("pack"), 1e9, 3};
  const Outcomes outcomes =
      Measuring(s.session, auxiliary_request(requirement, s.session.facts.limits, {})).run();
  REQUIRE(outcomes.size() == 3);
  std::vector<std::string> points;
  for (const Outcome& outcome : outcomes) {
    REQUIRE(outcome.shapes.size() == 2);
    for (const ShapeSamples& samples : outcome.shapes) CHECK(samples.ns.size() == 7);
    points.push_back(outcome.kernel.text());
  }
  // Each kernel is prepared before the next one. Then come the rounds, with one launch of each in
  // any order.
  const std::vector<std::string> launches = s.announced(WorkerActivityKind::kLaunch);
  const std::vector<std::string> last(launches.end() - 2 * 3, launches.end());
  for (const std::string& point : points) CHECK(std::count(last.begin(), last.end(), point) == 2);
}

}  // namespace
}  // namespace tilewright

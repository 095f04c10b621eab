// Tests of the candidates for auxiliary kernels, without a device.
#include "tuner/search/pack_candidates.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kCpuOfPacks{{4096, {4096, 4096}, 1 << 20, false, true}, 16, 512, 1 << 30};
constexpr SpaceLimits kGpuOfPacks{{1024, {1024, 1024}, 48 << 10, true, true}, 16, 256};

std::vector<PackPoint> pack_candidates(const std::string& requirement, const SpaceLimits& limits,
                                       const std::vector<KernelId>& first = {}) {
  std::vector<PackPoint> points;
  for (const ParameterPoint& point :
       auxiliary_candidates(parse_point(requirement), first, limits)) {
    points.push_back(std::get<PackPoint>(point));
  }
  return points;
}

TEST_CASE("CPUs pack large matrices with streaming stores, along the rows of the source") {
  const PackPoint from_rows = pack_candidates("pack from=R to=C large=yes", kCpuOfPacks)[0];
  CHECK(from_rows.streaming);
  CHECK(from_rows.id_order == IdOrder::kNM);
  CHECK(from_rows.work_group_n > from_rows.work_group_m);
  const PackPoint from_columns = pack_candidates("pack large=yes", kCpuOfPacks)[0];
  CHECK(from_columns.streaming);
  CHECK(from_columns.id_order == IdOrder::kMN);
  CHECK(from_columns.work_group_m > from_columns.work_group_n);
  for (const PackPoint& point : pack_candidates("pack from=R to=C", kCpuOfPacks))
    CHECK_FALSE(point.streaming);
}

TEST_CASE("CPUs pack other matrices in tiles of several rows and columns") {
  for (const char* requirement : {"pack", "pack from=R to=C", "pack from=R to=C1x48R"}) {
    INFO(requirement);
    const std::vector<PackPoint> points = pack_candidates(requirement, kCpuOfPacks);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(points[i].tile_m >= 4);
      CHECK(points[i].tile_n >= 4);
      CHECK(std::min(points[i].work_group_m, points[i].work_group_n) == 1);
    }
  }
}

TEST_CASE("CPUs measure pack kernels on two sizes, unless they are for large matrices") {
  const auto shapes = [](const char* requirement, const SpaceLimits& limits) {
    return auxiliary_request({parse_point(requirement)}, limits, {}).shapes;
  };
  using ShapeList = std::vector<GemmShape>;
  CHECK(shapes("pack", kCpuOfPacks) == ShapeList{{1000, 1000, 1}, {2000, 2000, 1}});
  CHECK(shapes("pack large=yes", kCpuOfPacks) == ShapeList{{4000, 4000, 1}});
  CHECK(shapes("softmax", kCpuOfPacks) == ShapeList{{1000, 1000, 1}});
  CHECK(shapes("pack", kGpuOfPacks) == ShapeList{{1000, 1000, 1}});
}

TEST_CASE("the pack kernel that is fastest on the small matrix is the best") {
  const auto measured = [](const char* point, std::vector<std::pair<std::int64_t, double>> times) {
    Outcome outcome;
    outcome.kernel = parse_kernel(point);
    outcome.result = OutcomeClass::kOk;
    for (const auto& [extent, ns] : times) {
      ShapeSamples& samples = outcome.shapes.emplace_back();
      samples.shape = {extent, extent, 1};
      samples.ns = {ns};
    }
    return outcome;
  };
  const auto fastest = [](const Outcomes& outcomes) {
    return fastest_auxiliaries(outcomes)[parse_point("pack")];
  };
  const Outcome slow = measured("pack tile_m=2", {{1000, 3e5}, {2000, 1e6}});
  Outcome fast = measured("pack tile_m=4", {{1000, 2e5}, {2000, 2e6}});
  CHECK(fastest({slow, fast}) == fast.kernel);
  CHECK(ns_per_element(fast, 1000) == Approx(0.2));
  CHECK(ns_per_element(fast, 2000) == Approx(0.5));
  CHECK(ns_per_element(fast, 4000) == 0.0);
  fast.result = OutcomeClass::kWrong;
  CHECK(fastest({slow, fast}) == slow.kernel);
  fast.result = OutcomeClass::kOk;
  fast.shapes.clear();
  CHECK(fastest({fast}).empty());
}

TEST_CASE("a kernel meets the requirement with its required parameters") {
  for (const char* requirement :
       {"pack", "pack from=R to=R8x1C", "pack from=R to=C large=yes", "reduce",
        "reduce bias=n activation=relu", "softmax activation=log",
        "activation bias=n activation=relu", "activation id_order=flat bias=n activation=tanh",
        "pack precision=d from=R to=C"}) {
    INFO(requirement);
    const ParameterPoint wanted = parse_point(requirement);
    for (const ParameterPoint& point : auxiliary_candidates(wanted, {}, kCpuOfPacks)) {
      CHECK(requirement_of(point) == wanted);
    }
  }
}

TEST_CASE("late parameters are tried for the first known activations and softmaxes") {
  const auto has = [](const std::string& requirement, const std::string& text) {
    const auto points = auxiliary_candidates(parse_point(requirement), {}, kCpuOfPacks);
    return std::any_of(points.begin(), points.end(), [&](const ParameterPoint& point) {
      return to_text(point).find(text) != std::string::npos;
    });
  };
  CHECK(has("activation bias=n activation=sigmoid", "math=mad"));
  CHECK(has("activation bias=n activation=sigmoid", "group_size=hint"));
  CHECK(has("activation bias=n activation=relu", "group_size=driver"));
  CHECK(has("activation bias=n activation=sigmoid", "exp=native"));
  CHECK_FALSE(has("activation bias=n activation=relu", "exp="));
  CHECK(has("softmax", "math=mad"));
  for (const char* requirement : {"activation activation=sigmoid", "softmax", "reduce"}) {
    CHECK_FALSE(has(requirement, "math=fast"));
  }
}

TEST_CASE("GPUs try transposing large matrices in local memory first") {
  const std::vector<PackPoint> points = pack_candidates("pack large=yes", kGpuOfPacks);
  CHECK(points[0].local);
  std::size_t first_streaming = 0;
  while (first_streaming < points.size() && !points[first_streaming].streaming) ++first_streaming;
  CHECK(first_streaming > 10);
}

TEST_CASE("candidates meet the requirement, without duplicates, and the named ones come first") {
  for (const SpaceLimits& limits : {kCpuOfPacks, kGpuOfPacks}) {
    for (const char* requirement : {"pack", "pack from=R image=yes large=yes", "pack to=C1x48R",
                                    "pack from=R to=R12x1C large=yes", "pack from=R4x4R to=R"}) {
      INFO(requirement);
      const auto wanted = std::get<PackPoint>(parse_point(requirement));
      std::set<PackPoint> seen;
      for (const PackPoint& point : pack_candidates(requirement, limits)) {
        INFO(to_text(ParameterPoint(point)));
        CHECK(seen.insert(point).second);
        CHECK(broken_rule(point, limits) == nullptr);
        CHECK(point.from == wanted.from);
        CHECK(point.to == wanted.to);
        CHECK(point.image == wanted.image);
        CHECK(point.large == wanted.large);
      }
      CHECK(seen.size() > 20);
    }
  }
  const KernelId named = parse_kernel("pack from=R to=R8x1C tile_m=8");
  CHECK(KernelId(pack_candidates("pack from=R to=R8x1C", kCpuOfPacks, {named})[0]) == named);
}

}  // namespace
}  // namespace tilewright

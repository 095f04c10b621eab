#include "tuner/bench/profile_check.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "codelets/space/generic_profile.hpp"
#include "tuner/journal/records/tuning_json.hpp"

namespace tilewright {
namespace {

ShapeResult result(const std::string& kernel, std::int64_t extent, double median_ns) {
  ShapeResult result;
  result.m = result.n = result.k = extent;
  result.kernel = kernel;
  result.median_ns = median_ns;
  return result;
}

const KernelRecord& of_role(const Profile& profile, Role role) {
  return *std::find_if(profile.kernels.begin(), profile.kernels.end(),
                       [&](const KernelRecord& record) { return record.role == role; });
}

Outcome outcome(OutcomeClass of, std::vector<ShapeSamples> shapes = {}) {
  Outcome outcome;
  outcome.result = of;
  outcome.reason = of == OutcomeClass::kOk ? "" : "for a reason";
  outcome.shapes = std::move(shapes);
  return outcome;
}

ShapeSamples samples(const GemmShape& shape, std::vector<double> ns) {
  ShapeSamples samples;
  samples.shape = shape;
  samples.ns = std::move(ns);
  return samples;
}

TEST_CASE("the shortest result and the longest cheap result are measured again") {
  Profile profile = basic_profile();
  const KernelRecord& kernel = of_role(profile, Role::kGemm);
  profile.results = {result(kernel.name, 64, 2e4), result(kernel.name, 32, 1e4),
                     result(kernel.name, 128, 3e5), result(kernel.name, 4096, 1e9),
                     result("another", 16, 1e3)};
  const MeasureRequest request = check_request(profile, "p.toml", kernel, true);
  CHECK(request.kernels.empty());
  CHECK(request.names == std::vector{kernel.name});
  CHECK(request.shapes == std::vector<GemmShape>{{32, 32, 32}, {128, 128, 128}});
  CHECK(check_request(profile, "p.toml", kernel, false).shapes.empty());
  CHECK(nlohmann::json(request).get<MeasureRequest>() == request);
}

TEST_CASE("a pack kernel is measured again if it has a result") {
  Profile profile = basic_profile();
  const KernelRecord& pack = of_role(profile, Role::kPack);
  CHECK(check_request(profile, "p.toml", pack, true).shapes.empty());
  profile.pack_results = {{pack.name, 0.5}};
  const MeasureRequest request = check_request(profile, "p.toml", pack, true);
  REQUIRE(request.shapes.size() == 1);
  const KernelCheck check =
      judge(profile, pack, outcome(OutcomeClass::kOk, {samples(request.shapes[0], {1e6})}));
  REQUIRE(check.results.size() == 1);
  CHECK(check.results[0].ratio.median == Approx(2.0));
  profile.pack_results = {{pack.name, 0.5, kLargeMovedExtent}};
  CHECK(check_request(profile, "p.toml", pack, true).shapes ==
        std::vector<GemmShape>{{kLargeMovedExtent, kLargeMovedExtent, 1}});
}

TEST_CASE("an outcome becomes a verdict") {
  const Profile profile = basic_profile();
  const KernelRecord& kernel = of_role(profile, Role::kGemm);
  const auto verdict = [&](OutcomeClass of) { return judge(profile, kernel, outcome(of)).verdict; };
  CHECK(verdict(OutcomeClass::kOk) == Verdict::kRight);
  CHECK(verdict(OutcomeClass::kSlow) == Verdict::kRight);
  CHECK(verdict(OutcomeClass::kWrong) == Verdict::kWrong);
  CHECK(verdict(OutcomeClass::kLimits) == Verdict::kDoesNotBuild);
  CHECK(verdict(OutcomeClass::kBuild) == Verdict::kDoesNotBuild);
  CHECK(verdict(OutcomeClass::kBuildCrash) == Verdict::kDoesNotBuild);
  CHECK(verdict(OutcomeClass::kLaunch) == Verdict::kDoesNotRun);
  CHECK(verdict(OutcomeClass::kHang) == Verdict::kDoesNotRun);
}

TEST_CASE("one incorrect kernel makes the check fail") {
  Profile profile = basic_profile();
  const KernelRecord& kernel = of_role(profile, Role::kGemm);
  profile.results = {result(kernel.name, 64, 1e4)};
  ProfileCheck check;
  check.kernels = {judge(profile, kernel,
                         outcome(OutcomeClass::kOk, {samples({64, 64, 64}, {1e4, 1.5e4, 2e4})}))};
  CHECK(check.all_right());
  CHECK(check.kernels[0].results[0].ratio.median == Approx(1.5));
  check.kernels.push_back(judge(profile, kernel, outcome(OutcomeClass::kWrong)));
  CHECK_FALSE(check.all_right());
  CHECK(to_text(check.kernels[1]).find("wrong ") == 0);
  CHECK(to_text(check.kernels[1]).find("for a reason") != std::string::npos);
  CHECK(summary_text(check).find("gemm        1 of 2 right") == 0);
  CHECK(summary_text(check).find("not all kernels") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(check));
  CHECK(json["all_right"] == false);
  CHECK(json["software_change"].is_null());
  CHECK(json["kernels"][0]["results"][0]["ratio"]["median"] == Approx(1.5));
  CHECK(json["kernels"][1]["verdict"] == "wrong");
}

}  // namespace
}  // namespace tilewright

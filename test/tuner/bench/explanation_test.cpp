#include "tuner/bench/explanation.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "codelets/space/generic_profile.hpp"
#include "profiles/built_in.hpp"
#include "profiles/device_class.hpp"

namespace tilewright {
namespace {

GemmPlan make_gemm_plan(const Profile& profile, std::size_t kernel,
                        std::optional<double> kernel_ns) {
  GemmPlan plan;
  plan.profile = &profile;
  plan.choices[CallStep::kGemm] = {&profile.kernels[kernel]};
  plan.times.evidence = kernel_ns ? TimeEvidence::kPredicted : TimeEvidence::kUnmeasuredBuiltIn;
  plan.times.ns[CallStep::kGemm] = kernel_ns.value_or(0.0);
  return plan;
}

TEST_CASE("the first plan that can be loaded runs, and earlier ones are listed with the reason") {
  const Profile profile = basic_profile();
  int asked = 0;
  const auto candidates =
      explain_candidates({make_gemm_plan(profile, 0, 1e3), make_gemm_plan(profile, 1, 2e3),
                          make_gemm_plan(profile, 2, std::nullopt)},
                         [&](const GemmPlan& plan) -> std::optional<std::string> {
                           ++asked;
                           if (&plan.kernel() == &profile.kernels[0]) return "the driver says no";
                           return std::nullopt;
                         });
  REQUIRE(candidates.size() == 3);
  CHECK(asked == 2);  // nothing after the one that runs is built
  CHECK(candidates[0].fate == CandidateFate::kPassedOver);
  CHECK(candidates[1].fate == CandidateFate::kRuns);
  CHECK(candidates[2].fate == CandidateFate::kNext);

  Explanation explanation;
  explanation.candidates = candidates;
  const std::string table = to_table(explanation);
  CHECK(table.find("the driver says no") != std::string::npos);
  CHECK(table.find("least predicted time") != std::string::npos);
  CHECK(to_table(explanation, true).find("never measured") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(explanation));
  CHECK(json["candidates"][0]["fate"] == "not usable");
  CHECK(json["candidates"][1]["total_us"] == 2.0);
  CHECK(json["candidates"][1]["reason"] == "least predicted time");
  CHECK(json["candidates"][2]["total_us"].is_null());
}

TEST_CASE("the table lists few plans unless all are asked for, and the JSON lists all") {
  const Profile profile = basic_profile();
  std::vector<GemmPlan> plans;
  for (std::size_t i = 0; i < 6; ++i) plans.push_back(make_gemm_plan(profile, i, 1e3));
  Explanation explanation;
  explanation.candidates = explain_candidates(plans, nullptr);
  const std::string table = to_table(explanation);
  CAPTURE(table);
  CHECK(table.find("2 more") != std::string::npos);
  CHECK(table.find(profile.kernels[5].name) == std::string::npos);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK(to_table(explanation, true).find(profile.kernels[5].name) != std::string::npos);
  CHECK(nlohmann::json::parse(to_json(explanation))["candidates"].size() == 6);
}

TEST_CASE("a packing step has its kernel and time, and the total includes all steps") {
  const Profile profile = basic_profile();
  GemmPlan plan = make_gemm_plan(profile, 0, 5e3);
  plan.choices[CallStep::kPackB] = {&profile.kernels[1]};
  plan.times.ns[CallStep::kPackB] = 2e3;
  plan.times.launches_ns = 1e3;
  Explanation explanation;
  explanation.candidates = explain_candidates({plan}, nullptr);
  const auto candidate = nlohmann::json::parse(to_json(explanation))["candidates"][0];
  CHECK(candidate["fate"] == "runs");
  CHECK(candidate["total_us"] == 8.0);
  CHECK(candidate["launches_us"] == 1.0);
  REQUIRE(candidate["steps"].size() == 2);
  CHECK(candidate["steps"][0]["step"] == "pack_b");
  CHECK(candidate["steps"][0]["kernel"] == profile.kernels[1].name);
  CHECK(candidate["steps"][0]["us"] == 2.0);
  CHECK(candidate["steps"][1]["step"] == "product");
}

TEST_CASE("without candidates the table says that no kernel can be used") {
  CHECK(to_table({}).find("no kernel") != std::string::npos);
}

TEST_CASE("a device without images has image extents of 0") {
  DeviceInfo device;
  CHECK(complete_device(device).max_image_width == 0);
  device.identity.limits.image_support = true;
  CHECK(complete_device(device).max_image_width == 8192);
}

// A tuned profile that names the built-in kernels of a device for the given precision.
Profile profile_of(const DeviceInfo& device, Precision precision) {
  Profile profile = built_in_profile(device);
  std::erase_if(profile.kernels,
                [&](const KernelRecord& kernel) { return kernel.precision != precision; });
  REQUIRE_FALSE(profile.kernels.empty());
  profile.kind = ProfileKind::kTuned;
  profile.device = device.identity;
  for (KernelRecord& kernel : profile.kernels) kernel.built_in = true;
  return profile;
}

TEST_CASE("without built-in kernels in a profile the kind of its device is unknown") {
  CHECK(described_device(Profile{}).kind == DeviceKind::kOther);
}

TEST_CASE("a profile describes the class of its device by the built-in kernels that it names") {
  const auto precision = GENERATE(Precision::kSingle, Precision::kDouble, Precision::kHalf);
  DeviceInfo device;
  device.has_double = true;
  SECTION("gpu") {
    device.kind = DeviceKind::kGpu;
  }
  SECTION("gpu-local") {
    device.kind = DeviceKind::kGpu;
    device.identity.limits.local_memory_is_dedicated = true;
  }
  SECTION("cpu-8") {
    device.kind = DeviceKind::kCpu;
    device.native_vector_width = 8;
  }
  SECTION("cpu-16") {
    device.kind = DeviceKind::kCpu;
    device.native_vector_width = 16;
  }
  CAPTURE(to_text(precision));
  const DeviceInfo described = described_device(profile_of(device, precision));
  CHECK(likeliest_class(described) == likeliest_class(device));
}

}  // namespace
}  // namespace tilewright

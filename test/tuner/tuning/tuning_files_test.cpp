// Tests which profiles a tuning may add to, without a device.
#include "tuner/tuning/tuning_files.hpp"

#include <optional>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/retyped.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// What a type of a profile was tuned for.
enum class TunedFor { kNothing, kTime, kEnergy };

void add_type(Profile& profile, Precision precision, TunedFor what) {
  if (what == TunedFor::kNothing) return;
  KernelRecord kernel = emit(parse_point("gemm tile_m=4"));
  kernel.precision = precision;
  kernel.name += to_text(precision);
  ShapeResult result{Op::kNN, 64, 64, 64, kernel.name, 100.0, 100.0, 100.0, 5, 5.0, 0.5};
  profile.kernels.push_back(kernel);
  profile.results.push_back(result);
  if (what == TunedFor::kTime) return;
  profile.provenance.objective = Objective::kEnergy;
  profile.provenance.energy_covers = "the GPU (ina231)";
  result.m = 32;
  result.joules = result.low_joules = result.high_joules = 1e-6;
  profile.results.push_back(result);
}

// Returns why a tuning for single precision must not add to a profile; "" if it may.
std::string refusal(const Profile& profile, Objective objective,
                    const std::string& covers = "the GPU (ina231)") {
  TuneOptions options;
  options.objective = objective;
  if (objective != Objective::kTime) options.energy_covers = {covers};
  options.joins = profile;
  const DeviceInfo device = example_header({}).device;
  try {
    check_files(options, {"out.toml", "out.journal"}, device);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string refusal(TunedFor same_type, TunedFor other_type, Objective objective) {
  Profile profile;
  profile.kind = ProfileKind::kTuned;
  profile.device = example_header({}).device.identity;
  add_type(profile, Precision::kSingle, same_type);
  add_type(profile, Precision::kDouble, other_type);
  return refusal(profile, objective);
}

TEST_CASE("each type of a profile has one objective, whatever the order of the tunings") {
  for (const TunedFor other : {TunedFor::kNothing, TunedFor::kTime, TunedFor::kEnergy}) {
    INFO("the other type: " << static_cast<int>(other));
    CHECK(refusal(TunedFor::kNothing, other, Objective::kTime) == "");
    CHECK(refusal(TunedFor::kNothing, other, Objective::kEnergy) == "");
    CHECK(refusal(TunedFor::kTime, other, Objective::kTime) == "");
    CHECK_THAT(refusal(TunedFor::kTime, other, Objective::kEnergy),
               ContainsSubstring("the kernels of type s in this profile were chosen by time, so "
                                 "their results have no energy"));
    CHECK_THAT(refusal(TunedFor::kEnergy, other, Objective::kTime),
               ContainsSubstring("this profile was tuned with --objective energy"));
    CHECK(refusal(TunedFor::kEnergy, other, Objective::kEnergy) == "");
    CHECK_THAT(refusal(TunedFor::kEnergy, other, Objective::kEnergyDelay),
               ContainsSubstring("this profile was tuned with --objective energy"));
  }
  CHECK_THAT(refusal(TunedFor::kNothing, TunedFor::kEnergy, Objective::kEnergyDelay),
             ContainsSubstring("this profile was tuned with --objective energy"));
}

TEST_CASE("joules of other sensors are not added to a profile") {
  Profile profile;
  profile.kind = ProfileKind::kTuned;
  profile.device = example_header({}).device.identity;
  add_type(profile, Precision::kDouble, TunedFor::kEnergy);
  CHECK(refusal(profile, Objective::kEnergy) == "");
  CHECK_THAT(refusal(profile, Objective::kEnergy, "the memory (ina231)"),
             ContainsSubstring("sensors that cover the GPU (ina231)"));
}

}  // namespace
}  // namespace tilewright

// Tests of joining a profile with a later tuning of its device.
#include "tuner/select/profile_join.hpp"

#include <algorithm>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "journal_examples.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "tuner/select/model_fit.hpp"

namespace tilewright {
namespace {

constexpr const char* kOld = "gemm tile_m=4";
constexpr const char* kBoth = "gemm tile_n=4";
constexpr const char* kNew = "gemm tile_m=8";
constexpr const char* kJoinedPack = "pack to=C tile_m=4";

std::string name(const char* point) {
  return kernel_name(parse_point(point));
}

ShapeResult timed_result(const char* point, std::int64_t m, double ns) {
  return {Op::kNN, m, 64, 64, name(point), ns, ns, ns, 5, 0.5};
}

Profile make_profile(const std::vector<const char*>& points) {
  Profile profile;
  profile.device = example_header({}).device.identity;
  profile.provenance = {"0.1.0", "tilewright tune", 1, "xxh3-0", true, "median", "2026-01-01"};
  for (const char* point : points) profile.kernels.push_back(emit(parse_point(point)));
  return profile;
}

Profile old_profile() {
  Profile profile = make_profile({kOld, kBoth, kJoinedPack});
  profile.results = {timed_result(kOld, 64, 100.0), timed_result(kBoth, 64, 200.0),
                     timed_result(kBoth, 100, 300.0)};
  profile.pack_results = {{name(kJoinedPack), 2.0}};
  profile.rates.launch_ns = 5.0;
  return profile;
}

Profile new_profile() {
  Profile profile = make_profile({kNew, kBoth, kJoinedPack});
  profile.results = {timed_result(kBoth, 100, 330.0), timed_result(kNew, 100, 30.0)};
  profile.pack_results = {{name(kJoinedPack), 3.0}};
  profile.provenance.command_line = "tilewright net tune";
  profile.rates.launch_ns = 6.0;
  return profile;
}

std::vector<std::string> kernel_names(const Profile& profile) {
  std::vector<std::string> names;
  for (const KernelRecord& kernel : profile.kernels) names.push_back(kernel.name);
  return names;
}

TEST_CASE("joining keeps the contents of the profile, and later results replace earlier ones") {
  const Profile both = join_profiles(old_profile(), new_profile());
  CHECK(kernel_names(both) ==
        std::vector<std::string>{name(kOld), name(kBoth), name(kJoinedPack), name(kNew)});
  CHECK(both.results ==
        std::vector<ShapeResult>{timed_result(kOld, 64, 100.0), timed_result(kBoth, 64, 200.0),
                                 timed_result(kBoth, 100, 330.0), timed_result(kNew, 100, 30.0)});
  CHECK(both.pack_results == std::vector<PackResult>{{name(kJoinedPack), 3.0}});
  CHECK(both.provenance.command_line == "tilewright net tune");
  CHECK(both.rates.launch_ns == 6.0);
  CHECK(parse_profile(write_profile(both), "joined") == both);
  // A second time changes nothing.
  CHECK(join_profiles(both, new_profile()) == both);
}

TEST_CASE("a joined profile is complete if both are, and keeps its rates if none were measured") {
  Profile later = new_profile();
  later.provenance.complete = false;
  later.rates = {};
  const Profile both = join_profiles(old_profile(), later);
  CHECK_FALSE(both.provenance.complete);
  CHECK(both.rates.launch_ns == 5.0);
  Profile first = old_profile();
  first.provenance.complete = false;
  CHECK_FALSE(join_profiles(first, new_profile()).provenance.complete);
}

TEST_CASE("double-precision kernels do not change the rates and models for single precision") {
  Profile both = join_profiles(old_profile(), retyped(new_profile(), Precision::kDouble));
  fit_models(both);
  CHECK(find_kernel(both, kernel_name(with_precision(parse_point(kNew), Precision::kDouble))));
  CHECK(both.rates == old_profile().rates);
  Profile before = old_profile();
  fit_models(before);
  REQUIRE_FALSE(before.models.empty());
  for (const KernelModel& model : before.models) {
    CHECK(std::find(both.models.begin(), both.models.end(), model) != both.models.end());
  }
}

Profile with_rates(Profile profile, Precision arithmetic, double gflops) {
  profile.rates.multiply_adds.push_back({4, "mad", gflops, arithmetic});
  arithmetic_peak(profile.rates, arithmetic) = gflops;
  return profile;
}

TEST_CASE("a profile keeps the rates of each precision that it was tuned for") {
  const Profile single = with_rates(old_profile(), Precision::kSingle, 6000.0);
  Profile doubles =
      with_rates(retyped(new_profile(), Precision::kDouble), Precision::kDouble, 20.0);
  doubles.results.clear();
  const Profile both = join_profiles(single, doubles);
  CHECK(product_peak(both.rates, Precision::kSingle) == 6000.0);
  CHECK(product_peak(both.rates, Precision::kDouble) == 20.0);
  CHECK(both.rates.multiply_adds.size() == 2);
  CHECK(parse_profile(write_profile(both), "joined") == both);
  // A later tuning replaces only the rates of its own precision, not single-precision rates that it
  // also measured.
  Profile half_precision =
      with_rates(retyped(new_profile(), Precision::kHalf), Precision::kSingle, 3.0);
  half_precision.rates.half_is_emulated = true;
  half_precision.results.clear();
  const Profile all = join_profiles(both, half_precision);
  CHECK(product_peak(all.rates, Precision::kDouble) == 20.0);
  CHECK(product_peak(all.rates, Precision::kSingle) == 6000.0);
  CHECK(all.rates.multiply_adds.size() == 2);
  CHECK(all.rates.half_is_emulated);
  CHECK(all.rates.launch_ns == 5.0);
  CHECK(parse_profile(write_profile(all), "joined") == all);
  // Single-precision rates are added if the profile has none.
  const Profile late = join_profiles(doubles, half_precision);
  CHECK(product_peak(late.rates, Precision::kSingle) == 3.0);
  CHECK(product_peak(late.rates, Precision::kDouble) == 20.0);
  // A later tuning in single precision replaces single-precision rates.
  const Profile again = join_profiles(both, with_rates(new_profile(), Precision::kSingle, 5000.0));
  CHECK(again.rates.multiply_adds.size() == 2);
  CHECK(product_peak(again.rates, Precision::kDouble) == 20.0);
  CHECK(again.rates.launch_ns == 6.0);
  CHECK(is_raised_peak(again.rates));  // to the speed of the profile's fastest kernel
}

TEST_CASE("half precision that was measured is not emulated") {
  Profile emulated = old_profile();
  emulated.rates.half_is_emulated = true;
  const Profile measured =
      with_rates(retyped(new_profile(), Precision::kHalf), Precision::kHalf, 40.0);
  for (const Profile& both :
       {join_profiles(emulated, measured), join_profiles(measured, emulated)}) {
    CHECK_FALSE(both.rates.half_is_emulated);
    CHECK(arithmetic_peak(both.rates, Precision::kHalf) == 40.0);
    CHECK(parse_profile(write_profile(both), "joined") == both);
  }
}

TEST_CASE("a profile without rates gets all rates of a later tuning, whatever its precision") {
  Profile none = old_profile();
  none.rates = {};
  Profile doubles = with_rates(retyped(new_profile(), Precision::kDouble), Precision::kDouble, 1e6);
  doubles.rates.copy_gbytes_per_s = 11.0;
  CHECK(join_profiles(none, doubles).rates == doubles.rates);
  // Rates that one of them did not measure come from the other.
  Profile first = old_profile();
  first.rates.local_gbytes_per_s = 7.0;
  const Profile both = join_profiles(first, doubles);
  CHECK(both.rates.copy_gbytes_per_s == 11.0);
  CHECK(both.rates.launch_ns == 5.0);
  const Profile floats = join_profiles(first, new_profile());
  CHECK(floats.rates.local_gbytes_per_s == 7.0);
  CHECK(floats.rates.launch_ns == 6.0);
}

TEST_CASE("a kernel that was replaced by one with other code loses its old results") {
  Profile later = new_profile();
  KernelRecord& changed =
      *std::find_if(later.kernels.begin(), later.kernels.end(),
                    [](const KernelRecord& kernel) { return kernel.name == name(kBoth); });
  changed.source += "// of a later version\n";
  Profile both = join_profiles(old_profile(), later);
  CHECK(*find_kernel(both, name(kBoth)) == changed);
  CHECK(both.results == join_profiles(old_profile(), new_profile()).results);
  CHECK(num_dropped_results(old_profile(), both) == 0);
  changed.source += "void unused() {}\n";
  both = join_profiles(old_profile(), later);
  CHECK(*find_kernel(both, name(kBoth)) == changed);
  CHECK(both.results == std::vector<ShapeResult>{timed_result(kOld, 64, 100.0),
                                                 timed_result(kBoth, 100, 330.0),
                                                 timed_result(kNew, 100, 30.0)});
  CHECK(num_dropped_results(old_profile(), both) == 1);
}

TEST_CASE("results that were lost when the profile was loaded are not forgotten") {
  Profile first = old_profile();
  first.changed_built_in = {name(kNew), "sgemm_of_a_former_release"};
  // The later tuning has measured one of the kernels again.
  CHECK(join_profiles(first, new_profile()).changed_built_in ==
        std::vector<std::string>{"sgemm_of_a_former_release"});
}

TEST_CASE("a kernel whose text the library has keeps its old results") {
  Profile later = new_profile();
  for (KernelRecord& kernel : later.kernels) kernel.built_in = kernel.name == name(kBoth);
  Profile both = join_profiles(old_profile(), later);
  CHECK(find_kernel(both, name(kBoth))->built_in);
  CHECK(both.results == join_profiles(old_profile(), new_profile()).results);
  Profile first = old_profile();
  first.kernels[1].built_in = true;
  both = join_profiles(first, new_profile());
  CHECK(both.results == join_profiles(old_profile(), new_profile()).results);
}

TEST_CASE("nothing is added to a profile of another device or other software, or to no profile") {
  const Profile profile = old_profile();
  CHECK_FALSE(obstacle_to_join(profile, profile.device));
  DeviceIdentity other = profile.device;
  other.name = "another board";
  REQUIRE(obstacle_to_join(profile, other));
  CHECK(obstacle_to_join(profile, other)->find("another board") != std::string::npos);
  DeviceIdentity updated = profile.device;
  updated.driver = "driver 2";
  REQUIRE(obstacle_to_join(profile, updated));
  CHECK(obstacle_to_join(profile, updated)->find("driver 2") != std::string::npos);
  Profile generic = profile;
  generic.kind = ProfileKind::kGeneric;
  CHECK_THAT(obstacle_to_join(generic, profile.device).value_or(""),
             Catch::Matchers::ContainsSubstring("never tuned"));
}

TEST_CASE("built-in kernels that failed in either tuning are named") {
  Profile first = old_profile();
  first.failing_built_in = {
      {"one", "xxh3-0", true}, {"both", "xxh3-0", true}, {name(kNew), "xxh3-0", true}};
  Profile later = new_profile();
  later.failing_built_in = {{"both", "xxh3-0", true}};
  const Profile joined = join_profiles(first, later);
  REQUIRE(joined.failing_built_in.size() == 2);  // the later tuning found that the third one works
  CHECK(joined.failing_built_in[0].name == "both");
  CHECK(joined.failing_built_in[1].name == "one");
}

TEST_CASE("a kernel that fails in the later tuning leaves the profile, with its results") {
  Profile later = new_profile();
  later.failing_built_in = {{name(kOld), "xxh3-0", true}};
  const Profile joined = join_profiles(old_profile(), later);
  CHECK(find_kernel(joined, name(kOld)) == nullptr);
  CHECK(std::none_of(joined.results.begin(), joined.results.end(),
                     [](const ShapeResult& result) { return result.kernel == name(kOld); }));
  CHECK(find_kernel(joined, name(kBoth)) != nullptr);
}

}  // namespace
}  // namespace tilewright

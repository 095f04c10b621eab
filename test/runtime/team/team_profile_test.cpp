// Tests the text of team profiles, and how a team uses one.
#include "runtime/team/team_profile.hpp"

#include "catch.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TeamProfile sample_profile() {
  TeamProfile profile;
  profile.members = {{"Mali-T628", "xxh3-0"}, {"libopenblas.so.0", ""}};
  profile.results = {{ElementType::kFloat, {256, 256, 256}, {2.0, 3.0}, {1.5, 2.5}, 3.5},
                     {ElementType::kFloat, {2048, 2048, 2048}, {4.0, 3.0}, {3.5, 2.5}, 6.0},
                     {ElementType::kDouble, {256, 256, 256}, {1.0, 1.0}, {1.0, 1.0}, 2.0}};
  return profile;
}

// The message for a text with one change.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text = write_team_profile(sample_profile());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  try {
    parse_team_profile(text, "team.toml");
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("team profile: what is written is read again") {
  const std::string text = write_team_profile(sample_profile());
  const TeamProfile read = parse_team_profile(text, "team.toml");
  REQUIRE(read.members.size() == 2);
  CHECK(read.members[0].name == "Mali-T628");
  CHECK(read.members[1].profile_digest.empty());
  REQUIRE(read.results.size() == 3);
  CHECK(read.results[1].shape == GemmShape{2048, 2048, 2048});
  CHECK(read.results[1].together_gflops == std::vector<double>{3.5, 2.5});
  CHECK(read.results[2].type == ElementType::kDouble);
  CHECK(write_team_profile(read) == text);
}

TEST_CASE("team profile: small rates are read again with all digits") {
  TeamProfile profile = sample_profile();
  profile.results[0].alone_gflops = {0.0003, 1e-7};
  profile.results[0].together_gflops = {1.0 / 3.0, 12345.678901};
  profile.results[0].team_gflops = 2e-5;
  const TeamProfile read = parse_team_profile(write_team_profile(profile), "team.toml");
  CHECK(read.results[0].alone_gflops == profile.results[0].alone_gflops);
  CHECK(read.results[0].together_gflops == profile.results[0].together_gflops);
  CHECK(read.results[0].team_gflops == 2e-5);
}

TEST_CASE("team profile: names have no characters that a string cannot contain") {
  CHECK(printable_name("A/B \"C\"") == "A/B ?C?");
}

TEST_CASE("team profile: errors name file, line and key") {
  CHECK_THAT(refusal("profile 1", "profile 9"), ContainsSubstring("team.toml:1: format"));
  CHECK_THAT(refusal("type = \"s\"", "type = \"x\""), ContainsSubstring("type: must be one of"));
  CHECK_THAT(refusal("[2.0, 3.0]", "[2.0]"), ContainsSubstring("has 1 values"));
  CHECK_THAT(refusal("[2.0, 3.0]", "[2.0, 0.0]"), ContainsSubstring("above 0.0"));
  CHECK_THAT(refusal("m = 256", "m = 0"), ContainsSubstring("m"));
  CHECK_THAT(refusal("team_gflops = 3.5", "team_gflops = 0.0"), ContainsSubstring("team_gflops"));
  CHECK_THAT(refusal("team_gflops", "other"), ContainsSubstring("team_gflops"));
  CHECK_THAT(refusal("k = 256\n", "k = 256\nextra = 1\n"), ContainsSubstring("extra"));
  CHECK_THROWS_AS(load_team_profile("/nowhere/team.toml"), ProfileError);
}

TEST_CASE("team profile: the nearest shape of the type counts") {
  const TeamProfile profile = sample_profile();
  CHECK(nearest_result(profile.results, ElementType::kFloat, {300, 200, 300}) ==
        &profile.results[0]);
  CHECK(nearest_result(profile.results, ElementType::kFloat, {4000, 1000, 2000}) ==
        &profile.results[1]);
  CHECK(nearest_result(profile.results, ElementType::kDouble, {4000, 1000, 2000}) ==
        &profile.results[2]);
  CHECK(nearest_result(profile.results, ElementType::kHalf, {256, 256, 256}) == nullptr);
}

}  // namespace
}  // namespace tilewright

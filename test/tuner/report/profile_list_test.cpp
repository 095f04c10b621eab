#include "tuner/report/profile_list.hpp"

#include <sys/stat.h>

#include <fstream>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("profiles are listed with device and origin, damaged ones with the error") {
  const TemporaryFolder folder;
  const JournalContents contents = make_final({{kTile, 800, 5000}, {kScalar, 900, 9000}});
  const Profile tuned = make_profile(contents, 0, "tilewright tune");
  std::ofstream(folder.file("a.toml")) << write_profile(tuned);
  std::ofstream(folder.file("b.toml")) << "format = 1\n";
  const auto list = list_profiles({"", {folder.path(), folder.file("nowhere")}});
  REQUIRE(list.size() == 3);
  CHECK(list[0].kind == "generic");
  CHECK(list[0].device == "any");
  CHECK(list[1].kind == "tuned");
  CHECK(list[1].device == "board, 4 compute units");
  CHECK_THAT(list[1].made, Catch::Matchers::ContainsSubstring(
                               "measured on 2 products under driver driver 1, stopped"));
  CHECK(list[2].kind == "damaged");
  CHECK_THAT(list[2].made, Catch::Matchers::ContainsSubstring("b.toml:"));
}

TEST_CASE("profiles that applications do not use because of their mode are marked") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("a.toml")) << generic_profile_text();
  std::ofstream(folder.file("b.toml")) << "format = 1\n";
  const auto list = [&] { return list_profiles({"", {folder.path()}}); };
  REQUIRE(list().size() == 3);
  for (const ListedProfile& each : list()) CHECK_FALSE(each.untrusted);
  REQUIRE(::chmod(folder.file("b.toml").c_str(), 0666) == 0);
  CHECK_FALSE(list()[1].untrusted);
  CHECK(list()[2].untrusted->causes == std::vector<std::string>{folder.file("b.toml")});
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  CHECK(list()[1].untrusted->causes == std::vector<std::string>{folder.path()});
  CHECK_FALSE(list()[0].untrusted);
}

}  // namespace
}  // namespace tilewright

#include "tuner/report/profile_list.hpp"

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
  const auto list = list_profiles({folder.path(), folder.file("nowhere")});
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

}  // namespace
}  // namespace tilewright

#include "runtime/device/shipped_profiles.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "runtime/device/profile_search.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

TEST_CASE("shipped profiles are found relative to the library or program") {
  const TemporaryFolder folder;
  const std::string prefix = folder.file("opt");
  const std::string profiles = prefix + "/share/tilewright/profiles";
  CHECK(profiles_near(prefix + "/lib/libtilewright.so.0.1") == "");
  fs::create_directories(profiles);
  for (const char* file :
       {"/lib/libtilewright.so.0.1", "/lib/x86_64-linux-gnu/libtilewright.so.0.1",
        "/bin/tilewright", "/program", "/_deps/tilewright-build/runtime/libtilewright.so"}) {
    INFO(file);
    CHECK(profiles_near(prefix + file) == profiles);
  }
  CHECK(profiles_near(folder.file("elsewhere/lib/libtilewright.so")) == "");
  CHECK(profiles_near("") == "");

  // The closest folder takes precedence.
  const std::string nearer = prefix + "/app/share/tilewright/profiles";
  fs::create_directories(nearer);
  CHECK(profiles_near(prefix + "/app/bin/program") == nearer);
  CHECK(profiles_near(prefix + "/bin/program") == profiles);
}

TEST_CASE("the profiles of the library's own folder precede those of the configured prefix") {
  const TemporaryFolder folder;
  const std::string near = folder.file("share/tilewright/profiles");
  const std::string file = folder.file("lib/libtilewright.so");
  const std::string installed = "/usr/local/share/tilewright/profiles";
  using Folders = std::vector<std::string>;
  CHECK(shipped_profile_folders(file, installed) == Folders{installed, installed + "/starter"});
  fs::create_directories(near);
  CHECK(shipped_profile_folders(file, installed) ==
        Folders{near, near + "/starter", installed, installed + "/starter"});
  CHECK(shipped_profile_folders(file, near) == Folders{near, near + "/starter"});
}

TEST_CASE("a program of the build tree finds the profiles of the build tree") {
  CHECK(fs::path(own_file()).filename() == "test_runtime");
  const std::vector<std::string> folders = default_search_path().folders;
  const auto found =
      std::find(folders.begin(), folders.end(), fs::canonical(TILEWRIGHT_BUILT_PROFILES));
  REQUIRE(found != folders.end());
  const auto has = [](const std::string& searched, const std::string& name) {
    const std::vector<std::string> files = profile_files(searched);
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return fs::path(file).filename() == name; });
  };
  CHECK(has(*found, "generic.toml"));
  CHECK(has(*found + "/starter", "mali-t628.toml"));
}

}  // namespace
}  // namespace tilewright

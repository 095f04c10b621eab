// Tests which profile a device uses without the output of a tuning.
#include "tuner/tuning/tuning_files.hpp"

#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "journal_examples.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

TEST_CASE("the device uses the next profile without the output of a tuning") {
  const TemporaryFolder folder;
  const ScopedVariable home("XDG_DATA_HOME", folder.path().c_str());
  const ScopedVariable unnamed("TILEWRIGHT_PROFILE", nullptr);
  DeviceIdentity device = example_header({}).device.identity;
  device.name = "a board that no profile knows";
  device.limits.max_work_group_size = 1 << 20;
  device.limits.max_work_item_sizes = {1 << 20, 1 << 20};
  device.limits.local_memory_bytes = 1 << 20;
  Profile profile = built_in_profile({});
  profile.kind = ProfileKind::kTuned;
  profile.device = device;
  const std::string installed = folder.file("tilewright/profiles");
  std::filesystem::create_directories(installed);
  const std::string output = installed + "/a.toml";
  std::ofstream(output) << write_profile(profile);
  CHECK(used_profile(device, folder.file("elsewhere.toml")) == output);
  CHECK(used_profile(device, output).empty());
  const std::string next = installed + "/b.toml";
  std::ofstream(next) << write_profile(profile);
  CHECK(used_profile(device, output) == next);
  CHECK(used_profile(device, next) == output);
  const ScopedVariable named("TILEWRIGHT_PROFILE", output.c_str());
  CHECK(used_profile(device, output) == next);
  CHECK(used_profile(device, next) == output);
}

}  // namespace
}  // namespace tilewright

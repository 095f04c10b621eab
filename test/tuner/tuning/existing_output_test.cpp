// Which files may a tuning replace? Without a device.
#include "tuner/tuning/existing_output.hpp"

#include <sys/stat.h>

#include <fstream>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

constexpr const char* kCommand = "tilewright tune --output a.toml";

Session session_of(const std::string& command_line) {
  return {command_line, "", "2026-01-01T00:00:00Z", ""};
}

struct Written {
  TemporaryFolder folder;
  std::string path = folder.file("a.toml");
  Profile profile = profile_of(final_of({{kTile, 800, 5000}, {kScalar, 900, 9000}}), 0, kCommand);

  std::string reason(const std::vector<Session>& sessions) {
    std::ofstream(path) << write_profile(profile);
    return reason_to_keep(path, sessions, own_device);
  }
  DeviceIdentity own_device = profile.device;
};

TEST_CASE("a profile is replaced by the tuning that wrote it, and by no other") {
  Written written;
  CHECK(written.reason({session_of("tilewright tune"), session_of(kCommand)}).empty());
  CHECK(written.reason({}) == "it holds 2 results of another tuning");
  CHECK(written.reason({session_of("tilewright tune --output a.toml --budget 1h")}) ==
        "it holds 2 results of another tuning");
}

TEST_CASE("options that start a tuning over do not tell it apart") {
  Written written;
  CHECK(
      written.reason({session_of("tilewright tune --fresh --output a.toml --overwrite")}).empty());
  written.profile.provenance.command_line += " --fresh";
  CHECK(written.reason({session_of(kCommand)}).empty());
}

TEST_CASE("a profile of another device is kept") {
  Written written;
  written.profile.device.compute_units += 1;
  CHECK(written.reason({session_of(kCommand)}) ==
        "it is a profile of another device, 'board' with 5 compute units");
  written.profile.device.name = "Other";
  CHECK(written.reason({session_of(kCommand)}).starts_with("it is a profile of another device"));
}

TEST_CASE("files that are no profiles are kept, unless they are empty or no files") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  CHECK(reason_to_keep(path, {}, {}).empty());
  std::ofstream(path).flush();
  CHECK(reason_to_keep(path, {}, {}).empty());
  std::ofstream(path) << "notes";
  CHECK(reason_to_keep(path, {}, {}) == "it is not a profile of this version");
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(reason_to_keep(pipe, {}, {}).empty());
  CHECK(reason_to_keep("/dev/null", {}, {}).empty());
}

}  // namespace
}  // namespace tilewright

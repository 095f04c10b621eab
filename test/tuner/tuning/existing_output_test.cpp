// Tests which files a tuning may replace, without a device.
#include "tuner/tuning/tuning_files.hpp"

#include <sys/stat.h>

#include <fstream>

#include "catch.hpp"
#include "made_up_final.hpp"
#include "profiles/profile_text.hpp"
#include "temporary_folder.hpp"
#include "tuner/journal/journal_lines.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* kCommand = "tilewright tune --output a.toml";

Session make_session(const std::string& command_line) {
  return {command_line, "", "2026-01-01T00:00:00Z", ""};
}

struct Written {
  TemporaryFolder folder;
  std::string path = folder.file("a.toml");
  Profile profile =
      make_profile(make_final({{kTile, 800, 5000}, {kScalar, 900, 9000}}), 0, kCommand);

  std::string reason(const std::vector<Session>& sessions) {
    std::ofstream(path) << write_profile(profile);
    return reason_to_keep(path, sessions, own_device);
  }
  DeviceIdentity own_device = profile.device;
};

TEST_CASE("a profile is replaced by the tuning that wrote it, and by no other") {
  Written written;
  CHECK(written.reason({make_session("tilewright tune"), make_session(kCommand)}).empty());
  CHECK_THAT(written.reason({}), ContainsSubstring("2 results"));
  CHECK_THAT(written.reason({make_session("tilewright tune --output a.toml --budget 1h")}),
             ContainsSubstring("2 results"));
}

TEST_CASE("options that start a tuning over do not make it a different tuning") {
  Written written;
  CHECK(written.reason({make_session("tilewright tune --fresh --output a.toml --overwrite")})
            .empty());
  written.profile.provenance.command_line += " --fresh";
  CHECK(written.reason({make_session(kCommand)}).empty());
}

TEST_CASE("a profile of another device is kept") {
  Written written;
  written.profile.device.compute_units += 1;
  CHECK_THAT(written.reason({make_session(kCommand)}),
             ContainsSubstring("'board' with 5 compute units"));
  written.profile.device.processor = "implementer 0x41 part 0xd03";
  CHECK_THAT(written.reason({make_session(kCommand)}),
             ContainsSubstring("'board' (implementer 0x41 part 0xd03)"));
  written.profile.device.name = "Other";
  CHECK(written.reason({make_session(kCommand)}).starts_with("it is a profile for another device"));
}

TEST_CASE("the reason describes what is wrong with a damaged profile") {
  Written written;
  std::string text = write_profile(written.profile);
  text.resize(text.size() / 2);
  std::ofstream(written.path) << text;
  try {
    load_profile(written.path);
    FAIL("half a profile is read");
  } catch (const ProfileError& error) {
    CHECK(reason_to_keep(written.path, {make_session(kCommand)}, written.own_device) ==
          std::string("it is not a profile of this version: ") + error.what());
  }
}

TEST_CASE("a profile is not replaced by incomplete results that are added to it") {
  JournalContents contents = make_final({{kTile, 800, 5000}, {kScalar, 900, 9000}});
  TuneOptions options;
  options.joins = Profile{};
  options.replaces_joined = true;
  CHECK(reason_not_to_join(contents, options, false).empty());
  CHECK_THAT(reason_not_to_join(contents, options, true), ContainsSubstring("was stopped"));
  contents.finals.outcomes.clear();
  CHECK_THAT(reason_not_to_join(contents, options, false), ContainsSubstring("finals"));
}

std::vector<std::string> command_lines(const std::vector<Session>& sessions) {
  std::vector<std::string> lines;
  for (const Session& session : sessions) lines.push_back(session.command_line);
  return lines;
}

TEST_CASE("after an upgrade, a tuning that starts over replaces what its command line wrote") {
  Written written;
  const std::string path = written.folder.file("a.toml.journal.jsonl");
  const JournalHeader old = example_header({kSmall, kLarge});
  const std::string longer = std::string(kCommand) + " --budget 1h";
  {
    Journal journal = Journal::create(path, old);
    journal.append(format_line(make_session(longer), 0.0));
    journal.append(format_line(make_session(kCommand), 0.0));
  }
  const std::string fresh = std::string(kCommand) + " --fresh";
  using Lines = std::vector<std::string>;
  CHECK(command_lines(discarded_sessions(path, old, fresh)) == Lines{longer, kCommand});
  JournalHeader upgraded = old;
  upgraded.tool_version += ".1";
  REQUIRE(difference(old, upgraded));
  CHECK(command_lines(discarded_sessions(path, upgraded, fresh)) == Lines{kCommand});
  CHECK(written.reason(discarded_sessions(path, upgraded, fresh)).empty());
  // Another command line requests other results.
  const std::string other = fresh + " --shapes 8x8x8";
  CHECK(discarded_sessions(path, upgraded, other).empty());
  CHECK_THAT(written.reason(discarded_sessions(path, upgraded, other)),
             ContainsSubstring("2 results"));
  // The profile was written by an earlier command line than the present one.
  CHECK_FALSE(written.reason(discarded_sessions(path, upgraded, longer + " --fresh")).empty());
}

TEST_CASE("files that are not profiles are kept, unless they are empty or not regular files") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.toml");
  CHECK(reason_to_keep(path, {}, {}).empty());
  std::ofstream(path).flush();
  CHECK(reason_to_keep(path, {}, {}).empty());
  std::ofstream(path) << "notes";
  CHECK(reason_to_keep(path, {}, {}).starts_with("it is not a profile of this version: " + path));
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(reason_to_keep(pipe, {}, {}).empty());
  CHECK(reason_to_keep("/dev/null", {}, {}).empty());
}

}  // namespace
}  // namespace tilewright

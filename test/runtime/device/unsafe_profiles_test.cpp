// Files that the search for profiles does not trust or does not read: pipes, files of other users,
// damaged and hostile ones.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "catch.hpp"
#include "deadline.hpp"
#include "profile_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Anybody who can write into a folder of profiles could block every program that opens a library.
TEST_CASE("a pipe or a device instead of a profile is skipped and reported, without blocking") {
  const Deadline deadline;
  const ProfileFolder folder("pipes");
  const std::string pipe = (folder.path / "a.toml").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder.path / "b.toml");
  fs::create_directory(folder.path / "c.toml");
  const SearchPath path{"", {folder.path.string()}};
  const FoundProfile none = find_profile(ProfileSource::automatic(), path, board());
  CHECK(none.origin.find("built-in; none tuned for this device; files were skipped") == 0);
  for (const char* name : {"a.toml", "b.toml", "c.toml"}) {
    CHECK(none.remarks.find((folder.path / name).string() + ": is not a regular file") !=
          std::string::npos);
  }
  const std::string good = folder.write("d.toml", make_profile_text(board()));
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.origin.find(good + " (matches the device); files were skipped") == 0);
  CHECK(thrown_status(ProfileSource::file(pipe), {}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::automatic(), {pipe, {}}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::file("/dev/zero"), {}) == TW_BAD_PROFILE);
}

TEST_CASE("a profile that others can have written is not used, but may be named") {
  const ProfileFolder folder("shared");
  const std::string file = folder.write("a.toml", make_profile_text(board()));
  const SearchPath path{"", {folder.path.string()}};
  const auto origin = [&] {
    return origin_text(find_profile(ProfileSource::automatic(), path, board()));
  };
  CHECK(origin() == file + " (matches the device)");
  for (const std::string& shared : {file, folder.path.string()}) {
    INFO(shared);
    REQUIRE(::chmod(shared.c_str(), 0777) == 0);
    CHECK(origin().find("built-in; ") == 0);
    CHECK(origin().find("; not used: " + shared + " can be written by other users; chmod go-w '" +
                        shared + "'") != std::string::npos);
    CHECK(origin().find("damaged") == std::string::npos);
    CHECK(thrown_status(ProfileSource::file(file), {}) == TW_SUCCESS);
    CHECK(thrown_status(ProfileSource::automatic(), {file, {}}) == TW_SUCCESS);
    REQUIRE(::chmod(shared.c_str(), 0755) == 0);
  }
  CHECK(origin() == file + " (matches the device)");
}

TEST_CASE("one report names a folder and all of its files that others can write") {
  const ProfileFolder folder("reports");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  const std::string a = folder.write("a.toml", make_profile_text(board()));
  const std::string b = folder.write("b.toml", make_profile_text(board()) + "x");
  const std::string clean = folder.write("c.toml", make_profile_text(board()));
  const std::string others = folder.write("d.toml", make_profile_text(other));
  const std::string path = folder.path.string();
  for (const std::string& shared : {path, a, b, others}) {
    REQUIRE(::chmod(shared.c_str(), 0777) == 0);
  }
  const FoundProfile found = find_profile(ProfileSource::automatic(), {"", {path}}, board());
  CHECK(found.profile.kind == ProfileKind::kGeneric);
  CHECK(found.untrusted.size() == 3);
  // Another device of this machine meets the same files.
  std::vector<UntrustedProfile> twice = found.untrusted;
  twice.insert(twice.end(), found.untrusted.begin(), found.untrusted.end());
  const std::vector<TrustReport> reports = trust_reports(twice);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].seen == path + " can be written by other users");
  CHECK(reports[0].remedy == "chmod go-w '" + path + "' '" + a + "' '" + b + "'");
  // A profile that is used in their place makes the report superfluous.
  const ProfileFolder own("reports-own");
  own.write("own.toml", make_profile_text(board()));
  const SearchPath both{"", {own.path.string(), path}};
  CHECK(find_profile(ProfileSource::automatic(), both, board()).untrusted.empty());
  const SearchPath reversed{"", {path, own.path.string()}};
  CHECK(find_profile(ProfileSource::automatic(), reversed, board()).untrusted.size() == 3);
}

TEST_CASE("a profile of another user is not used, except with a library of that user",
          "[may_skip]") {
  const ProfileFolder folder("foreign");
  fs::create_directory(folder.path / "starter");
  const std::string path = folder.path.string();
  const std::string file = folder.write("a.toml", make_profile_text(board()));
  const std::string predicted =
      folder.write("starter/b.toml", make_predicted_text(board().name, board().compute_units));
  for (const std::string& each : {file, predicted, path, path + "/starter"}) {
    if (::chown(each.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives files away");
    REQUIRE(::chmod(each.c_str(), 0775) == 0);
  }
  const auto found = [](const std::string& searched, const OwnProfiles& own) {
    return find_profile(ProfileSource::automatic(), {"", {searched}, "", own}, board());
  };
  for (const OwnProfiles& own :
       {OwnProfiles{}, OwnProfiles{path}, OwnProfiles{path, 12346}, OwnProfiles{path, ::geteuid()},
        OwnProfiles{path + "/starter", 12345},
        OwnProfiles{path.substr(0, path.size() - 1), 12345}}) {
    const FoundProfile none = found(path, own);
    CHECK(none.origin.find("built-in; ") == 0);
    CHECK(origin_text(none).find("; not used: " + path +
                                 " belongs to another user; tilewright profiles --install '" +
                                 file + "'") != std::string::npos);
    CHECK(none.origin.find("damaged") == std::string::npos);
  }
  CHECK(found(path, {path, 12345}).path == file);
  CHECK(found(path + "/starter", {path, 12345}).path == predicted);
  REQUIRE(::chmod(file.c_str(), 0666) == 0);
  CHECK(origin_text(found(path, {path, 12345})).find(file + " can be written by other users") !=
        std::string::npos);
}

TEST_CASE("a file that is too large for a profile is rejected before it is read into memory") {
  const ProfileFolder folder("large");
  const std::string large = folder.write("a.toml", "");
  fs::resize_file(large, std::uintmax_t{1} << 40);
  const SearchPath path{"", {folder.path.string()}};
  CHECK(find_profile(ProfileSource::automatic(), path, board()).remarks.find("64 MiB") !=
        std::string::npos);
  CHECK(thrown_status(ProfileSource::file(large), {}) == TW_BAD_PROFILE);
}

TEST_CASE("profiles of other hardware are skipped after their first lines") {
  const ProfileFolder folder("heads");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  // They are not parsed; otherwise their damage would be reported.
  folder.write("a.toml", make_profile_text(other) + "x");
  folder.write("b.toml", make_predicted_text("Mali-G52", 4) + "x");
  folder.write("c.toml", std::string(generic_profile_text()) + "x");
  const SearchPath path{"", {folder.path.string()}};
  const auto origin = [&] {
    return find_profile(ProfileSource::automatic(), path, board()).remarks;
  };
  CHECK(origin().find("damaged") == std::string::npos);
  const std::string own = folder.write("d.toml", make_profile_text(board()) + "x");
  CHECK(origin().find("skipped a damaged profile: " + own) != std::string::npos);
}

TEST_CASE("a predicted profile's name is escaped before it is printed") {
  DeviceIdentity hostile = board();
  hostile.name = "Mali\x1b[2J\x07%n";
  const ProfileSource source = ProfileSource::text(make_predicted_text("\x1b[2J\x07%n", 4));
  const FoundProfile found = find_profile(source, {"", {}}, hostile);
  CHECK(found.remarks.find("predicted for '\\x1b[2J\\x07%n', not measured") != std::string::npos);
  for (const char c : found.remarks) CHECK((c >= ' ' && c <= '~'));
}

}  // namespace
}  // namespace tilewright

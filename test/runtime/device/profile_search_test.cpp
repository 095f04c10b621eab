#include "runtime/device/profile_search.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "edited_profile.hpp"
#include "profile_folder.hpp"
#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "scoped_variable.hpp"

namespace tilewright {
namespace {

TEST_CASE("a named profile must be readable, complete and for this device") {
  const ProfileFolder folder("named");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  const std::string good = folder.write("good.toml", make_profile_text(board()));
  const std::string wrong = folder.write("wrong.toml", make_profile_text(other));
  const std::string bad = folder.write("bad.toml", make_profile_text(board()).substr(0, 500));
  const std::string missing = (folder.path / "missing.toml").string();
  CHECK(thrown_status(ProfileSource::file(good), {}) == TW_SUCCESS);
  CHECK(thrown_status(ProfileSource::file(wrong), {}) == TW_WRONG_DEVICE);
  CHECK(thrown_status(ProfileSource::file(bad), {}) == TW_BAD_PROFILE);
  CHECK(thrown_status(ProfileSource::file(missing), {}) == TW_NO_PROFILE);
  CHECK(thrown_status(ProfileSource::file(folder.path.string()), {}) == TW_BAD_PROFILE);
  // A profile in TILEWRIGHT_PROFILE counts as named and takes precedence over the folders.
  CHECK(thrown_status(ProfileSource::automatic(), {wrong, {folder.path.string()}}) ==
        TW_WRONG_DEVICE);
  CHECK(thrown_status(ProfileSource::automatic(), {missing, {folder.path.string()}}) ==
        TW_NO_PROFILE);
  CHECK(find_profile(ProfileSource::automatic(), {good, {}}, board()).origin ==
        good + " (named by TILEWRIGHT_PROFILE)");
}

std::string thrown_message(const ProfileSource& source, const SearchPath& path) {
  try {
    find_profile(source, path, board());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_CASE("TILEWRIGHT_PROFILE: messages name the variable, and `builtin` is the built-in profile") {
  const ProfileFolder folder("variable");
  DeviceIdentity other = board();
  other.name = "Mali-G52";
  const std::string wrong = folder.write("wrong.toml", make_profile_text(other));
  const std::string not_toml = folder.write("not.toml",
                                            "\x7f"
                                            "ELF");
  const std::string missing = (folder.path / "missing.toml").string();
  for (const std::string& file : {wrong, not_toml, missing, folder.path.string()}) {
    const std::string message = thrown_message(ProfileSource::automatic(), {file, {}});
    INFO(message);
    CHECK(message.find(file) != std::string::npos);
    CHECK(message.find("TILEWRIGHT_PROFILE") != std::string::npos);
    CHECK(thrown_message(ProfileSource::file(file), {}).find("TILEWRIGHT_PROFILE") ==
          std::string::npos);
  }
  const FoundProfile found =
      find_profile(ProfileSource::automatic(), {"builtin", {folder.path.string()}}, board());
  CHECK(found.profile.kind == ProfileKind::kGeneric);
  CHECK(found.path.empty());
  CHECK_THAT(found.origin, Catch::Matchers::ContainsSubstring("TILEWRIGHT_PROFILE"));
}

TEST_CASE("a profile given as text is checked like a file") {
  CHECK(thrown_status(ProfileSource::text(make_profile_text(board())), {}) == TW_SUCCESS);
  CHECK(thrown_status(ProfileSource::text("format = 1"), {}) == TW_BAD_PROFILE);
}

TEST_CASE("relative folders of the environment are ignored") {
  const ScopedVariable home("HOME", "/home/h");
  const ScopedVariable xdg("XDG_DATA_HOME", "data");
  CHECK(default_search_path().folders.at(0) == "/home/h/.local/share/tilewright/profiles");
  const ScopedVariable absolute("XDG_DATA_HOME", "/x");
  CHECK(default_search_path().folders.at(0) == "/x/tilewright/profiles");
  const ScopedVariable relative("HOME", "home");
  const ScopedVariable unset("XDG_DATA_HOME", nullptr);
  const std::vector<std::string> folders = default_search_path().folders;
  CHECK_FALSE(folders.empty());
  for (const std::string& folder : folders) CHECK(std::filesystem::path(folder).is_absolute());
}

TEST_CASE("folders are searched by device identity, in order") {
  const ProfileFolder first("first");
  const ProfileFolder second("second");
  DeviceIdentity other = board();
  other.limits.max_work_group_size = 512;  // kernels may rely on higher limits than this board has
  first.write("a-other.toml", make_profile_text(other));
  first.write("notes.txt", "not a profile");
  const std::string good = second.write("b.toml", make_profile_text(board()));
  second.write("c.toml", make_profile_text(board()));
  const SearchPath path{"", {first.path.string(), "/no/such/folder", second.path.string()}};
  const FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.path == good);
  CHECK(found.origin.find(good + " (matches the device)") == 0);
  CHECK(found.profile.device == board());
}

TEST_CASE("the next profile of the device is for products that the first one does not cover") {
  const ProfileFolder own("own");
  const ProfileFolder shipped("shipped");
  const std::string first = own.write("a.toml", make_profile_text(board()));
  const std::string second = shipped.write("b.toml", make_profile_text(board()));
  const SearchPath path{"", {own.path.string(), shipped.path.string()}};
  FoundProfile found = find_profile(ProfileSource::automatic(), path, board());
  CHECK(found.path == first);
  REQUIRE(found.fallback.size() == 1);
  CHECK(found.fallback[0].path == second);
  CHECK(found.origin == first + " (matches the device)");
  CHECK(found.remarks.find("for products that it does not cover: " + second) != std::string::npos);
  // A profile that is named is used alone.
  CHECK(find_profile(ProfileSource::file(first), path, board()).fallback.empty());
}

TEST_CASE("the remarks say that built-in kernels have changed since a tuning") {
  const ProfileFolder folder("other-code");
  const Profile generic = parse_profile(generic_profile_text(), "built-in");
  Profile profile;
  profile.device = board();
  profile.device.limits = {1 << 20, {1 << 20, 1 << 20}, 1 << 20, true, true};
  profile.kernels = {built_in_kernel(generic, generic.kernels[0].name).value()};
  const std::string path = folder.write("a.toml", write_profile(profile));
  CHECK(find_profile(ProfileSource::file(path), {}, profile.device).remarks.empty());
  folder.write("a.toml",
               edited(write_profile(profile), compute_code_digest(profile.kernels[0]), "xxh3-0"));
  const FoundProfile found = find_profile(ProfileSource::file(path), {}, profile.device);
  CHECK(found.profile.kernels.empty());
  CHECK(found.remarks.find("1 of the built-in kernels") != std::string::npos);
}

TEST_CASE("without a matching profile the built-in one is used, with the reason") {
  const ProfileFolder folder("none");
  const std::string damaged = folder.write("damaged.toml", make_profile_text(board()) + "x");
  const FoundProfile found =
      find_profile(ProfileSource::automatic(), {"", {folder.path.string()}}, board());
  CHECK(found.profile.kind == ProfileKind::kGeneric);
  CHECK(found.origin.find("built-in; none tuned for this device") == 0);
  CHECK(found.remarks.find("searched " + folder.path.string()) != std::string::npos);
  CHECK(found.remarks.find("run tilewright tune") != std::string::npos);
  CHECK(found.remarks.find("skipped a damaged profile: " + damaged) != std::string::npos);
  CHECK(find_profile(ProfileSource::builtin(), {}, board()).origin == "built-in");
}

}  // namespace
}  // namespace tilewright

// Tests whose files are used, by owner, group and mode.
#include "profiles/base/file_trust.hpp"

#include <grp.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "catch.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

constexpr uid_t kUser = 1000;
constexpr uid_t kStranger = 1001;
constexpr uid_t kSoftware = 900;  // the account that installed the library
constexpr uid_t kUnmapped = 65534;
constexpr gid_t kShared = 100;

// In this test, a group with the number of a user is that user's private group.
bool is_private(uid_t user, gid_t group) {
  return user == group;
}

Distrust judged(uid_t owner, gid_t group, mode_t mode, const TrustedUsers& users) {
  struct stat status {};
  status.st_uid = owner;
  status.st_gid = group;
  status.st_mode = mode;
  return why_not_trusted(status, users, is_private);
}

TEST_CASE("files of this user are trusted if nobody else can write to them") {
  const TrustedUsers users{kUser};
  for (const mode_t mode : {0700, 0755, 0644, 0400}) {
    CHECK(judged(kUser, kShared, mode, users) == Distrust::kNone);
  }
  for (const mode_t mode : {0775, 0664, 0720}) {  // what a umask of 002 leaves
    CHECK(judged(kUser, kUser, mode, users) == Distrust::kNone);
    CHECK(judged(kUser, kShared, mode, users) == Distrust::kWritable);
    CHECK(judged(kUser, kStranger, mode, users) == Distrust::kWritable);
  }
  for (const mode_t mode : {0777, 01777, 0666, 0702}) {
    CHECK(judged(kUser, kUser, mode, users) == Distrust::kWritable);
  }
  CHECK(judged(kStranger, kStranger, 0700, users) == Distrust::kOtherOwner);
  CHECK(judged(0, 0, 0755, users) == Distrust::kOtherOwner);
  CHECK(judged(0, 0, 0755, {kUser, true}) == Distrust::kNone);
  CHECK(judged(0, kShared, 0775, {kUser, true}) == Distrust::kWritable);
  CHECK(judged(0, 0, 0777, {kUser, true}) == Distrust::kWritable);
}

TEST_CASE("files of the library's owner are trusted like the library") {
  for (const uid_t owner : {kSoftware, kUnmapped, kUser, uid_t{0}}) {
    const TrustedUsers users{kUser, true, owner};
    for (const mode_t mode : {0755, 0644, 0775, 0664}) {
      CHECK(judged(owner, kShared, mode, users) == Distrust::kNone);
    }
    CHECK(judged(owner, kShared, 0777, users) == Distrust::kWritable);
    CHECK(judged(kStranger, kShared, 0644, users) == Distrust::kOtherOwner);
  }
  // The group of another owner in the same folder is not the library's group.
  CHECK(judged(0, kShared, 0775, {kUser, true, kSoftware}) == Distrust::kWritable);
  CHECK(judged(kUser, kShared, 0664, {kUser, true, kSoftware}) == Distrust::kWritable);
}

TEST_CASE("a private group has the name of the user and no other member") {
  CHECK_FALSE(is_private_group(987'654, 987'654));
  CHECK_FALSE(is_private_group(0, 987'654));
  std::vector<gid_t> groups;
  for (gid_t group = 1; group < 100; ++group) {
    if (::getgrgid(group) != nullptr) groups.push_back(group);
  }
  // Groups of the system, such as `daemon`, are not those of root.
  for (const gid_t group : groups) CHECK_FALSE(is_private_group(0, group));
}

TEST_CASE("the access rights of a path are those of the file that a link names", "[may_skip]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a");
  std::ofstream(path) << "text";
  REQUIRE(::symlink("a", folder.file("link").c_str()) == 0);
  const auto judged = [](const std::string& file) {
    return why_not_trusted(file, only_this_user());
  };
  for (const std::string& checked : {path, folder.path()}) {
    REQUIRE(::chmod(checked.c_str(), 0755) == 0);
    CHECK(judged(checked) == Distrust::kNone);
    REQUIRE(::chmod(checked.c_str(), 01777) == 0);
    CHECK(judged(checked) == Distrust::kWritable);
    REQUIRE(::chmod(checked.c_str(), 0755) == 0);
  }
  CHECK(why_not_trusted("/usr", {::geteuid(), true}) == Distrust::kNone);
  CHECK(judged(folder.file("missing")) == Distrust::kNone);
  if (::chown(path.c_str(), 12345, 12345) != 0) SKIP_CASE("only root gives files away");
  CHECK(judged(path) == Distrust::kOtherOwner);
  CHECK(judged(folder.file("link")) == Distrust::kOtherOwner);
  REQUIRE(::chown(path.c_str(), ::geteuid(), 12345) == 0);  // a group that does not exist
  REQUIRE(::chmod(path.c_str(), 0664) == 0);
  CHECK(judged(path) == Distrust::kWritable);
}

}  // namespace
}  // namespace tilewright

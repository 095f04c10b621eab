#include "tuner/journal/home_folder.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("the home folder is removed from paths, and names of other folders are kept") {
  const auto text = [](const std::string& from) { return without_home(from, "/home/ann"); };
  CHECK(text("/home/ann/x") == "~/x");
  CHECK(text("/home/ann") == "~");
  CHECK(text("--output=/home/ann/x auto,/home/ann/s exec:/home/ann/r '/home/ann'") ==
        "--output=~/x auto,~/s exec:~/r '~'");
  CHECK(text("It is in /home/ann. Really") == "It is in ~. Really");
  for (const char* other : {"/home/anna", "/home/ann-old/x", "/home/ann.old", "/srv/home/anna/x",
                            "/srv/home/ann", "/home/ann\xc3\xa9", "/home/ann\\xc3\\xa9", "ann"}) {
    CHECK(text(other) == other);
  }
  CHECK(without_home("/home/ann/x", "") == "/home/ann/x");
}

TEST_CASE("paths are found after escapes and in escaped text") {
  CHECK(without_home("a\\n/home/ann/b\\x0a/home/ann\\x0a", "/home/ann") == "a\\n~/b\\x0a~\\x0a");
  CHECK(without_home("at /home/j\\xc3\\xbcrgen/x", "/home/j\xc3\xbcrgen") == "at ~/x");
}

TEST_CASE("in a JSON document, the home folder is removed from values but not from keys") {
  nlohmann::ordered_json json = {{"/home/ann", {"/home/ann/x", 1}}, {"log", "/home/ann"}};
  remove_home(json, "/home/ann");
  CHECK(json == nlohmann::ordered_json{{"/home/ann", {"~/x", 1}}, {"log", "~"}});
}

// The list of users: root, and Ann with number 1000.
std::string listed_home(uid_t uid) {
  return uid == 0 ? "/root" : uid == 1000 ? "/home/ann" : "";
}

TEST_CASE("under sudo, the home folder is that of the caller") {
  for (const char* home : {"/root", "/home/ann", "/srv/jobs", "", "/", "x"}) {
    INFO(home);
    CHECK(home_folder({0, home, "1000"}, listed_home) == "/home/ann");
  }
  // SUDO_UID counts only for root, since anybody can set the variable.
  CHECK(home_folder({1000, "/srv/ann", "0"}, listed_home) == "/srv/ann");
}

TEST_CASE("without a caller, the home folder of root is not private") {
  for (const char* sudo_uid : {"", "0", "1001", "1000x", " 1000", "-1", "99999999999999999999"}) {
    INFO(sudo_uid);
    CHECK(home_folder({0, "/root/", sudo_uid}, listed_home).empty());
    CHECK(home_folder({0, "/home/dev/", sudo_uid}, listed_home) == "/home/dev");
  }
}

TEST_CASE("HOME counts only if it is an absolute path") {
  CHECK(home_folder({1000, "/srv/ann//", ""}, listed_home) == "/srv/ann");
  for (const char* home : {"", "ann", "e", ".", "/", "//", "/root"}) {
    INFO(home);
    CHECK(home_folder({1000, home, ""}, listed_home) == "/home/ann");
    CHECK(home_folder({1002, home, ""}, listed_home).empty());
  }
}

}  // namespace
}  // namespace tilewright

#include "tuner/limits_file.hpp"

#include <cstdio>
#include <fstream>
#include <memory>

#include "catch.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

const std::string kGood =
    "# a Mali\n"
    "max_work_group_size = 256\n"
    "max_work_item_sizes = [256, 128]\n"
    "register_floats = 64\n"
    "group_floats = 4096\n"
    "local_memory_bytes = 0\n"
    "local_memory_is_dedicated = false\n"
    "image_support = true\n";

constexpr const char* kPath = "limits_file_test.toml";

SpaceLimits read(const std::string& text) {
  std::ofstream(kPath) << text;
  const auto remove = [](const char* path) { std::remove(path); };
  const std::unique_ptr<const char, decltype(remove)> file(kPath, remove);
  return read_limits(kPath);
}

std::string message(const std::string& text) {
  try {
    read(text);
  } catch (const ProfileError& error) {
    return error.what();
  }
  return "accepted";
}

// The good file with one place spoilt.
std::string spoilt(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return message(text);
}

TEST_CASE("a limits file says what a device offers") {
  const SpaceLimits limits = read(kGood);
  CHECK(limits.max_work_group_size == 256);
  CHECK(limits.max_work_item_sizes == std::array<std::int64_t, 2>{256, 128});
  CHECK(limits.register_floats == 64);
  CHECK(limits.group_floats == 4096);
  CHECK(limits.local_memory_bytes == 0);
  CHECK_FALSE(limits.local_memory_is_dedicated);
  CHECK(limits.image_support);
}

TEST_CASE("a limits file that is not exactly right is refused by file, line and key") {
  const std::string file = kPath;
  CHECK(spoilt("register_floats", "registers") == file + ":1: register_floats: is missing");
  CHECK(message(kGood + "colour = \"red\"\n") ==
        file + ":9: colour: is not a key that is known here");
  CHECK(spoilt("= 64", "= \"64\"") ==
        file + ":4: register_floats: must be an integer, not a string");
  CHECK(spoilt("= 64", "= 64.0") == file + ":4: register_floats: must be an integer, not a float");
  CHECK(spoilt("= 64", "= 0").find(file + ":4: register_floats: must lie between 1 and ") == 0);
  CHECK(spoilt("= 0", "= -1").find(file + ":6: local_memory_bytes: must lie between 0 and ") == 0);
  CHECK(spoilt("[256, 128]", "[256]") == file + ":3: max_work_item_sizes: must have 2 elements");
  CHECK(spoilt("= true", "= 1") == file + ":8: image_support: must be a boolean, not an integer");
  CHECK(spoilt("= true", "= tru").find(file + ":8: image_support: ") == 0);
  CHECK(message(kGood + "image_support = true\n").find(file + ":9: image_support: ") == 0);
  CHECK(message("[[[[").find(file + ":1: ") == 0);
  CHECK_THROWS_AS(read_limits("/no/such/limits.toml"), ProfileError);
}

}  // namespace
}  // namespace tilewright

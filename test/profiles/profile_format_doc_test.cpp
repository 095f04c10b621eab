// Tests that the example in docs/profile-format.md is correct.
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

std::string document() {
  std::ifstream in(TILEWRIGHT_DOCS "/profile-format.md", std::ios::binary);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST_CASE("the documented example is a profile and equals the output of the writer") {
  const std::string text = document();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find("```\n", begin + fence.size());
  REQUIRE(end != std::string::npos);
  const std::string example = text.substr(begin + fence.size(), end - begin - fence.size());
  const Profile profile = parse_profile(example, "profile-format.md");
  CHECK(write_profile(profile) == example);
  CHECK(profile.kind == ProfileKind::kTuned);
  CHECK(profile.kernels.size() == 2);
  CHECK(profile.results.size() == 2);
  CHECK(profile.pack_results.size() == 1);
  CHECK(profile.rates.multiply_adds.size() == 2);
}

// The keys at the start of table rows; a row may describe several keys.
std::set<std::string> keys_of_rows(const std::string& text) {
  std::set<std::string> keys;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cell(line.substr(2, line.find(" | ") - 2));
    for (std::string key; std::getline(cell, key, '`') && std::getline(cell, key, '`');) {
      keys.insert(key);
    }
  }
  return keys;
}

TEST_CASE("the document names every key of the example") {
  const std::string text = document();
  const std::set<std::string> keys = keys_of_rows(text);
  std::istringstream lines(text.substr(text.find("```toml\n")));
  std::string line;
  std::getline(lines, line);
  bool in_source = false;
  while (std::getline(lines, line) && line != "```") {
    const std::size_t equals = line.find(" = ");
    if (!in_source && equals != std::string::npos) {
      const std::string key = line.substr(0, equals);
      INFO(key);
      CHECK(keys.contains(key));
    }
    if (line == "source = '''") in_source = true;
    if (line == "'''") in_source = false;
  }
}

}  // namespace
}  // namespace tilewright

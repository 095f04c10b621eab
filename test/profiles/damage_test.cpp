// Tests that changes of a text between the tuner and the application are detected.
#include <random>

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

bool says(const std::optional<ProfileError>& refusal, const std::string& words) {
  INFO((refusal ? refusal->what() : "accepted") << "\nshould say: " << words);
  CHECK(refusal);
  return refusal && std::string(refusal->what()).find(words) != std::string::npos;
}

TEST_CASE("every truncated profile is rejected as truncated", "[long]") {
  const std::string text = write_profile(sample_profile());
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto refusal = find_refusal(text.substr(0, size));
    if (refusal && std::string(refusal->what()).find("truncated") != std::string::npos) continue;
    FAIL("cut to " << size << " bytes: " << (refusal ? refusal->what() : "accepted"));
  }
}

TEST_CASE("a truncated profile is rejected at the place of truncation") {
  const std::string text = write_profile(sample_profile());
  const auto between = find_refusal(text.substr(0, text.find("[[result]]")));
  REQUIRE(between);
  CHECK(between->line() == line_number(text, "[[result]]") - 1);
  CHECK(between->key() == "digest");
  const auto within = find_refusal(text.substr(0, text.find("void gemm_nt")));
  REQUIRE(within);
  CHECK(within->key() == "kernel[1].source");
  CHECK(within->line() ==
        line_number(text, "void gemm_nt") - 3);  // the line in which the string starts
  const auto nothing = find_refusal("");
  REQUIRE(nothing);
  CHECK(nothing->line() == 1);
}

TEST_CASE("every changed byte is detected", "[long]") {
  const std::string text = write_profile(sample_profile());
  constexpr unsigned kSeed = 1;
  std::mt19937 random(kSeed);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
    if (!find_refusal(changed)) FAIL("accepted with another byte " << at);
  }
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (!find_refusal(std::string(text).insert(at, 1, ' ')))
      FAIL("accepted with a blank at " << at);
  }
}

TEST_CASE("an edit without new digests is detected") {
  const std::string text = write_profile(sample_profile());
  std::string other = text;
  other.replace(other.find("Mali-T628"), 9, "Mali-T604");
  const auto refusal = find_refusal(other);
  CHECK(says(refusal, "edited"));
  CHECK(refusal->key() == "digest.profile");
  CHECK(refusal->line() == line_number(text, "profile = \"xxh3-"));
  CHECK(says(find_refusal(text + "\n"), "edited"));
  CHECK(says(find_refusal(text + "x = 1\n"), "edited"));
  CHECK(says(find_refusal(text + "[x]\n"), "edited"));
  CHECK(says(find_refusal("\n" + text), "edited"));
  CHECK(says(find_refusal("\xef\xbb\xbf" + text), "starts with a byte-order mark"));
}

TEST_CASE("line ends of another system are reported") {
  std::string windows;
  for (const char c : write_profile(sample_profile())) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  const auto refusal = find_refusal(windows);
  CHECK(says(refusal, "CR LF"));
  CHECK(refusal->line() == 1);
}

TEST_CASE("an invalid digest table is detected") {
  CHECK(says(
      find_refusal("format = 1 # [digest]\nprofile = \"xxh3-99aa06d3014798d86001c324468d497f\"\n"),
      "edited"));
  CHECK(says(find_refusal(with_digest("format = 1 # ")), "edited"));
}

TEST_CASE("another format version is reported before all other errors") {
  const std::string text = write_profile(sample_profile());
  for (const char* version : {"5", "0", "-1", "9223372036854775807"}) {
    std::string other = text;
    other.replace(other.find("format = 1"), 10, std::string("format = ") + version);
    other.replace(other.find("vendor"), 6, "maker_");
    const auto refusal = find_refusal(other);
    CHECK(says(refusal, std::string("is ") + version +
                            ", but this program reads only profile format 1; install another "
                            "release of tilewright, or tune the device again"));
    CHECK(refusal->line() == 2);
    CHECK(refusal->key() == "format");
  }
  CHECK(says(find_refusal("format = 5\n[shiny]\nnew = {what.ever = {}}\n"), "reads only"));
  CHECK(says(find_refusal("# A comment\n\n  format  =  10 # and so on"), "is 10"));
}

TEST_CASE("text that is not UTF-8 is rejected with its line") {
  const std::string text = write_profile(sample_profile());
  for (const std::string bytes :
       {"\xff", "\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    const std::string in_string = edited(text, "Mali-T628", "Mali " + bytes);
    const auto by_string = find_refusal(in_string);
    CHECK(says(by_string, "UTF-8"));
    CHECK(by_string->line() == line_number(in_string, "name = "));
    CHECK(by_string->key() == "device.name");
    const std::string in_comment = edited(text, "# A", "# " + bytes + "A");
    CHECK(says(find_refusal(in_comment), "UTF-8"));
    CHECK(find_refusal(in_comment)->line() == 1);
    CHECK(says(find_refusal(with_source(sample_profile(), 0, "// " + bytes + "\n")), "UTF-8"));
  }
}

}  // namespace
}  // namespace tilewright

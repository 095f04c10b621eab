// Tests with text that is designed to hurt the parser: it must be rejected quickly and only with a
// ProfileError.
#include <random>

#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

std::string flood(const std::string& before, std::string_view part, std::size_t count,
                  std::string_view after = "") {
  std::string result = before;
  result.reserve(before.size() + part.size() * count + after.size());
  for (std::size_t i = 0; i < count; ++i) result += part;
  return result.append(after);
}

void check_refused(const std::string& text, const std::string& words) {
  const auto refusal = find_refusal(text);
  INFO(text.substr(0, 60) << "...");
  REQUIRE(refusal);
  const std::string message = refusal->what();
  INFO(message.substr(0, 500));
  CHECK(message.find(words) != std::string::npos);
  CHECK(message.size() < 1000);
}

TEST_CASE("deep nesting is rejected") {
  constexpr std::size_t kMany = 1'000'000;
  const std::string begin = "format = 1\n";
  check_refused(begin + flood("a", ".a", kMany, " = 1\n"), "key = value");
  check_refused(begin + flood("[a", ".a", kMany, "]\n"), "table header");
  check_refused(begin + flood("[[a", " . a", kMany, "]]\n"), "table header");
  check_refused(begin + flood("[a", ".\"a\"", kMany, "]\n"), "table header");
  check_refused(begin + flood("a = ", "[", kMany), "has a value");
  check_refused(begin + flood("a = ", "{a=", kMany), "has a value");
  check_refused(begin + flood("a = ", "[\n{a.a.a = ", kMany), "has a value");
}

TEST_CASE("a huge number of values is rejected", "[long]") {
  const std::string begin = "format = 1\n";
  check_refused(begin + flood("a = [", "[],", 4'000'000, "]"), "has a value");
  check_refused(begin + flood("a = [", "1,", 4'000'000, "1]"), "up to 16 numbers");
  check_refused(begin + flood("", "[[kernel]]\n", 2'000'000), "too many keys");
  std::string keys = begin;
  for (int i = 0; i < 1'000'000; ++i) keys.append("k").append(std::to_string(i)).append("=1\n");
  check_refused(keys, "too many keys");
}

TEST_CASE("a huge text is rejected", "[long]") {
  check_refused(std::string((std::size_t{64} << 20) + 1, '#'), "64 MiB");
  check_refused(std::string(std::size_t{16} << 20, '#'), "truncated");
  check_refused("format = \"" + std::string(std::size_t{16} << 20, 'x'), "does not end");
  check_refused("format = " + std::string(std::size_t{16} << 20, '3'), "reads only");
}

TEST_CASE("messages stay short and printable", "[long]") {
  const std::string key(1'000'000, 'k');
  const std::string text = write_profile(sample_profile());
  check_refused(edited(text, "kind =", key + " = 1\nkind ="), "kkk...'");
  check_refused(edited(text, "kind =", "\"\\u001b[2J\" = 1\nkind ="), "key = value");
  check_refused(edited(text, "kind =", key + " = 1\n" + key + " = 1\nkind ="), "second time");
  check_refused(edited(text, "kind = \"tuned\"", "kind = \"" + key + "\""), "kkk...'");
  check_refused(edited(text, "kernel = \"gemm_nn\"", "kernel = \"\\u0007\""), "'\\x07'");
}

TEST_CASE("NUL bytes are rejected") {
  const std::string text = write_profile(sample_profile());
  CHECK(find_refusal(edited(text, "Mali", std::string("Ma\0i", 4))));
  CHECK(find_refusal(edited(text, "# A", std::string("# \0", 3))));
  CHECK(find_refusal(std::string(1000, '\0')));
}

// With a matching digest, any text reaches the parser, which must accept it or throw a
// ProfileError.
TEST_CASE("random damage with a matching digest does no harm", "[long]") {
  const std::string text = write_profile(sample_profile());
  const std::string body = text.substr(0, text.rfind("[digest]"));
  constexpr std::string_view kPieces[] = {"'''",   "\"",  "[[",   "]",        "\n",           "= ",
                                          ".",     "{",   "#",    "[kernel]", "[[result]]\n", "-1",
                                          "1e999", "nan", "\xff", "\\u0000"};
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  int num_accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string damaged = body;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, 1 + random() % 40);
          break;
        case 2:
          damaged.insert(at, kPieces[random() % std::size(kPieces)]);
          break;
        default:
          damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 200));
      }
    }
    if (!find_refusal(with_digest(damaged))) ++num_accepted;
  }
  INFO("a few edits only touch comments or free text");
  CHECK(num_accepted < 1000);
}

}  // namespace
}  // namespace tilewright

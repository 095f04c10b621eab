// Which spellings of a profile are read, and which are refused before TOML is asked?
#include "catch.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

// The sample profile with `kind = "tuned"` spelled in another way.
std::string with_kind(const std::string& spelling) {
  return edited(write_profile(sample_profile()), "kind = \"tuned\"", spelling);
}

void check_same(const std::string& text) {
  const auto refusal = refusal_of(text);
  INFO(text.substr(0, 400) << "\n" << (refusal ? refusal->what() : ""));
  REQUIRE_FALSE(refusal);
  CHECK(parse_profile(text, "test.toml") == sample_profile());
}

TEST_CASE("another spelling of the same profile is read") {
  for (const std::string spelling :
       {"kind='tuned'", "kind\t=  \"tuned\"  # why", "  kind = '''tuned'''", "kind = '''\ntuned'''",
        "kind = \"t\\u0075ned\"", "\n\n# ' \" [ = {\n\t\nkind = 'tuned'",
        "#\xc3\xa9\nkind = 'tuned'"}) {
    check_same(with_kind(spelling));
  }
  const std::string text = write_profile(sample_profile());
  check_same(edited(text, "[8, 4]", "[ 8\t,4 ] # x, y"));
  check_same(edited(text, "samples = 11", "samples = +11"));
  check_same(edited(text, "high_ns = 1100.0", "high_ns = 1.1e3"));
  check_same(edited(text, "high_ns = 1100.0", "high_ns = 11E+2"));
  check_same(edited(text, "[provenance]\n", "  [provenance] # where from\n\n\n"));
}

struct Case {
  const char* spelling;
  const char* key;
  const char* message;
  int lines_below = 0;  // of the line in which `spelling` begins
};

void check(const Case& c) {
  const std::string text = with_kind(c.spelling);
  const auto refusal = refusal_of(text);
  INFO(c.spelling);
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->key() == c.key);
  CHECK(refusal->line() == line_of(text, c.spelling) + c.lines_below);
  CHECK(std::string(refusal->what()).find(c.message) != std::string::npos);
}

TEST_CASE("lines that are no key = value are refused") {
  const char* form = "key = value";
  for (const char* line : {"\"kind\" = 'tuned'", "= 'tuned'", "!", "\xc3\xa9 = 1"}) {
    check({line, "format", form});
  }
  for (const char* line : {"kind . x = 'tuned'", "kind 'tuned'", "kind\n= 'tuned'",
                           "kind = 'tuned' x", "kind = 'tuned' y = 1", "kind = 'tuned''"}) {
    check({line, "kind", form});
  }
}

TEST_CASE("values of another form are refused") {
  for (const char* line :
       {"kind = {}", "kind =", "kind = tuned", "kind = []", "kind = [1,]", "kind = [,1]",
        "kind = [1 2]", "kind = [1, }", "kind = [1\n]", "kind = [[1]]", "kind = ['x']",
        "kind = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "kind = \"\"\"tuned\"\"\""}) {
    check({line, "kind", "has a value that is no"});
  }
  for (const char* line : {"kind = 'tuned", "kind = \"tuned\\", "kind = \"tuned\\\""}) {
    check({line, "kind", "does not end"});
  }
}

TEST_CASE("table headers of another form are refused") {
  for (const char* line :
       {"[]", "[ = 1", "[a", "[[a]", "[a.b.c]", "[[a.b]]", "[a.]", "[.a]", "[ a ]", "[\"a\"]"}) {
    check({line, "", "table header"});
  }
  for (const char* line : {"[a]]", "[a] b = 1"}) check({line, "a", "key = value"});
}

TEST_CASE("what has the right form and yet is not TOML is refused") {
  for (const char* line :
       {"kind = 1.2.3", "kind = +", "kind = 01", "kind = [1, -]", "kind = \"\\x\"",
        "kind = \"\\ud800\"", "kind = '\x01'", "kind = '\x7f'"}) {
    check({line, "kind", "is not TOML"});
  }
  check({"kind = '''\n\n\x01'''", "kind", "is not TOML", 2});
}

TEST_CASE("a string without an end is refused where it begins") {
  const std::string text = with_kind("kind = '''\ntuned\n");
  const auto refusal = refusal_of(text.substr(0, text.find("'''\n// For tests")));
  REQUIRE(refusal);
  CHECK(refusal->key() == "kind");
  CHECK(refusal->line() == line_of(text, "kind = "));
}

}  // namespace
}  // namespace tilewright

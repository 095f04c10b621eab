// Tests which spellings of a profile are read and which are rejected.
#include <limits>
#include <utility>

#include "catch.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"
#include "sample.hpp"

namespace tilewright {
namespace {

// The sample profile with `kind = "tuned"` written differently.
std::string with_kind(const std::string& spelling) {
  return edited(write_profile(sample_profile()), "kind = \"tuned\"", spelling);
}

void check_same(const std::string& text) {
  const auto refusal = find_refusal(text);
  INFO(text.substr(0, 400) << "\n" << (refusal ? refusal->what() : ""));
  REQUIRE_FALSE(refusal);
  CHECK(parse_profile(text, "test.toml") == sample_profile());
}

TEST_CASE("other spellings of the same profile are read") {
  for (const std::string spelling :
       {"kind='tuned'", "kind\t=  \"tuned\"  # why", "  kind = '''tuned'''", "kind = '''\ntuned'''",
        "kind = \"t\\u0075ned\"", "\n\n# ' \" [ = {\n\t\nkind = 'tuned'",
        "#\xc3\xa9\nkind = 'tuned'"}) {
    check_same(with_kind(spelling));
  }
  const std::string text = write_profile(sample_profile());
  check_same(edited(text, "[8, 4]", "[ 8\t,4 ] # x, y"));
  check_same(edited(text, "1100.0, 11]", "1100.0, +11]"));
  check_same(edited(text, "1100.0, 11]", "1.1e3, 11]"));
  check_same(edited(text, "1100.0, 11]", "11E+2, 11]"));
  check_same(edited(text, "[provenance]\n", "  [provenance] # where from\n\n\n"));
}

struct Case {
  const char* spelling;
  const char* key;
  const char* message;
  int lines_below = 0;  // line of the error minus that of the spelling
};

void check(const Case& c) {
  const std::string text = with_kind(c.spelling);
  const auto refusal = find_refusal(text);
  INFO(c.spelling);
  REQUIRE(refusal);
  INFO(refusal->what());
  CHECK(refusal->key() == c.key);
  CHECK(refusal->line() == line_number(text, c.spelling) + c.lines_below);
  CHECK(std::string(refusal->what()).find(c.message) != std::string::npos);
}

TEST_CASE("lines that are not key = value are rejected") {
  const char* form = "key = value";
  for (const char* line : {"\"kind\" = 'tuned'", "= 'tuned'", "!", "\xc3\xa9 = 1"}) {
    check({line, "format", form});
  }
  for (const char* line : {"kind . x = 'tuned'", "kind 'tuned'", "kind\n= 'tuned'",
                           "kind = 'tuned' x", "kind = 'tuned' y = 1", "kind = 'tuned''"}) {
    check({line, "kind", form});
  }
}

TEST_CASE("values of another form are rejected") {
  for (const char* line :
       {"kind = {}", "kind =", "kind = tuned", "kind = []", "kind = [1,]", "kind = [,1]",
        "kind = [1 2]", "kind = [1, }", "kind = [1\n]", "kind = [[1]]", "kind = ['x']",
        "kind = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "kind = \"\"\"tuned\"\"\""}) {
    check({line, "kind", "has a value that is no"});
  }
  for (const char* line : {"kind = 'tuned", "kind = \"tuned\\", "kind = \"tuned\\\""}) {
    check({line, "kind", "has a string without end"});
  }
}

TEST_CASE("table headers of another form are rejected") {
  for (const char* line :
       {"[]", "[ = 1", "[a", "[[a]", "[a.b.c]", "[[a.b]]", "[a.]", "[.a]", "[ a ]", "[\"a\"]"}) {
    check({line, "", "table header"});
  }
  for (const char* line : {"[a]]", "[a] b = 1"}) check({line, "a", "key = value"});
}

TEST_CASE("text that has the right form but is not TOML is rejected") {
  for (const char* line :
       {"kind = 1.2.3", "kind = +", "kind = 01", "kind = [1, -]", "kind = \"\\x\"",
        "kind = \"\\ud800\"", "kind = '\x01'", "kind = '\x7f'"}) {
    check({line, "kind", "is not TOML"});
  }
  check({"kind = '''\n\n\x01'''", "kind", "is not TOML", 2});
}

// The value of `x` in a text of one line; monostate if the text is rejected.
TomlValue parse_value(const std::string& written) {
  const std::string text = "x = " + written + "\n";
  const TomlText toml = read_toml(text);
  if (toml.error) return {};
  REQUIRE(toml.pairs.size() == 1);
  CHECK(toml.pairs.front().key == "x");
  CHECK(toml.pairs.front().written == written);
  return toml.pairs.front().value;
}

TEST_CASE("numbers follow TOML, in 64 bits") {
  const auto is = [](const char* written, auto number) {
    INFO(written);
    return parse_value(written) == TomlValue(number);
  };
  CHECK(is("0", std::int64_t{0}));
  CHECK(is("-17", std::int64_t{-17}));
  CHECK(is("+9223372036854775807", std::numeric_limits<std::int64_t>::max()));
  CHECK(is("-9223372036854775808", std::numeric_limits<std::int64_t>::min()));
  CHECK(is("1.5", 1.5));
  CHECK(is("-0.25e+2", -25.0));
  CHECK(is("1E3", 1000.0));
  CHECK(is("5e-324", 5e-324));
  CHECK(is("true", true));
  CHECK(is("false", false));
  CHECK(is("-inf", -std::numeric_limits<double>::infinity()));
  CHECK(parse_value("[1, 2.5, true]") ==
        TomlValue(std::vector<TomlNumber>{std::int64_t{1}, 2.5, true}));
  for (const char* written : {"9223372036854775808",
                              "-9223372036854775809",
                              "1e400",
                              "01",
                              "-01",
                              "00.5",
                              ".5",
                              "5.",
                              "1.e2",
                              "1e",
                              "1e+",
                              "1e2.5",
                              "--1",
                              "+-1",
                              "1-1",
                              "1_000",
                              "0x10",
                              "tru",
                              "nano",
                              "+nan"}) {
    INFO(written);
    CHECK(parse_value(written) == TomlValue());
  }
}

TEST_CASE("strings follow TOML") {
  const auto is = [](const std::string& written, const std::string& meant) {
    INFO(written);
    return parse_value(written) == TomlValue(meant);
  };
  CHECK(is(R"("a\\b\"c\td\u00e9\U0001F600")", "a\\b\"c\td\xc3\xa9\xf0\x9f\x98\x80"));
  CHECK(is(R"("\u0000")", std::string(1, '\0')));
  CHECK(is(R"("\u07ff\u0800\uffff")", "\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"));
  CHECK(is(R"('a\b')", "a\\b"));
  CHECK(is("'''\n\na'b''c\n'''", "\na'b''c\n"));
  CHECK(is("'''a'''''", "a''"));
  CHECK(is("''", ""));
  for (const char* written : {R"("\x41")", R"("\u12")", R"("\u12g4")", R"("\ud800")", R"("\udfff")",
                              R"("\U00110000")", R"("\U+0000041")", R"("\ ")", R"("\u-123")"}) {
    INFO(written);
    CHECK(parse_value(written) == TomlValue());
  }
}

TEST_CASE("a key or table cannot be defined twice") {
  for (const char* text :
       {"a = 1\na = 1\n", "a = 1\n[a]\n", "[a]\n[a]\n", "[a]\n[[a]]\n", "[[a]]\n[a]\n",
        "a = 1\n[a.b]\n", "[[a]]\n[a.b]\n", "[a.b]\n[[a]]\n", "[a.b]\n[a.b]\n",
        "[a]\nb = 1\n[a.b]\n", "[a.b]\n[a]\nb = 1\n", "[a.b]\nc = 1\n[a]\n[a]\n"}) {
    const TomlText toml = read_toml(text);
    INFO(text);
    REQUIRE(toml.error);
    CHECK(toml.error->find("second time") != std::string::npos);
  }
  for (const char* text : {"[a.b]\n[a]\nc = 1\n", "[[a]]\n[[a]]\nb = 1\n", "[a]\n[b]\na = 1\n"}) {
    INFO(text);
    CHECK_FALSE(read_toml(text).error);
  }
}

TEST_CASE("a table has no more than 256 keys, the entries of an array may have more together") {
  const auto with_keys = [](std::size_t num_keys) {
    std::string text;
    for (std::size_t i = 0; i < num_keys; ++i) text += "k" + std::to_string(i) + " = 1\n";
    return text;
  };
  CHECK_FALSE(read_toml(with_keys(kMaxTomlKeys)).error);
  CHECK_FALSE(read_toml("[[a]]\n" + with_keys(200) + "[[a]]\n" + with_keys(200)).error);
  const std::string text = "[a]\n" + with_keys(kMaxTomlKeys + 1);
  const TomlText toml = read_toml(text);
  REQUIRE(toml.error);
  CHECK_THAT(*toml.error, Catch::Matchers::ContainsSubstring("too many keys"));
  CHECK(toml.error_line == 258);
  CHECK(toml.error_key == "a.k256");
}

TEST_CASE("an error is in the line of its key, or of the table that lacks it") {
  const std::string text = "a = 1\n[b.c]\nd = 2\n[[e]]\nf = 3\n[[e]]\nf = 4\n[b]\ng = 5\n";
  const TomlText toml = read_toml(text);
  REQUIRE_FALSE(toml.error);
  const std::string file = "test.toml";
  const auto check_line = [](const TomlTable& table, const char* key, const char* path, int line) {
    try {
      table.fail(key, "is wrong");
    } catch (const ProfileError& error) {
      CHECK(error.key() == path);
      CHECK(error.line() == line);
    }
  };
  TomlTable root(toml, file);
  check_line(root, "a", "a", 1);
  check_line(root, "x", "x", 1);
  check_line(root, "b", "b", 8);
  check_line(root, "e", "e", 4);
  check_line(root.table("b"), "g", "b.g", 9);
  check_line(root.table("b"), "c", "b.c", 2);
  check_line(root.table("b").table("c"), "x", "b.c.x", 2);
  check_line(root.tables("e")[1], "f", "e[1].f", 7);
  check_line(root.tables("e")[1], "x", "e[1].x", 6);
}

TEST_CASE("an unterminated string is reported in the line where it starts") {
  const std::string text = with_kind("kind = '''\ntuned\n");
  const auto refusal = find_refusal(text.substr(0, text.find("'''\n// For tests")));
  REQUIRE(refusal);
  CHECK(refusal->key() == "kind");
  CHECK(refusal->line() == line_number(text, "kind = "));
}

}  // namespace
}  // namespace tilewright

#include "profiles/base/text_file.hpp"

#include <vector>

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("lines end with LF, CR LF or CR") {
  std::string_view text = "a\nb\r\nc\rd\n\r\n\re";
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  CHECK(lines == std::vector<std::string_view>{"a", "b", "c", "d", "", "", "e"});
}

TEST_CASE("a byte-order mark is not part of a text") {
  CHECK(without_byte_order_mark("\xef\xbb\xbf"
                                "1") == "1");
  CHECK(without_byte_order_mark("\xef\xbb") == "\xef\xbb");
  CHECK(without_byte_order_mark("1\xef\xbb\xbf") == "1\xef\xbb\xbf");
}

TEST_CASE("the position of a syntax error in JSON") {
  CHECK_THAT(json_syntax_error("{\n  x", 5), ContainsSubstring("line 2, column 3"));
  CHECK_THAT(json_syntax_error("x", 1), ContainsSubstring("line 1, column 1"));
  CHECK_THAT(json_syntax_error("{}\n", 3), ContainsSubstring("line 1, column 3"));
  CHECK_THAT(json_syntax_error("{", 2), ContainsSubstring("too early"));
  CHECK_THAT(json_syntax_error("", 1), ContainsSubstring("too early"));
}

}  // namespace
}  // namespace tilewright

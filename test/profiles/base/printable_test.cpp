#include "profiles/base/printable.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("printable characters are unchanged, and every other byte is escaped") {
  CHECK(printable("Mali-T628 (4 CU)") == "Mali-T628 (4 CU)");
  CHECK(printable("").empty());
  CHECK(printable("caf\xe9\n") == "caf\\xe9\\x0a");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("control characters and bidirectional controls are escaped, also in multi-line text") {
  // ESC, BEL, a C1 control, U+202E, U+2066, a byte that is invalid in UTF-8.
  const std::string odd = "\x1b[2J\x07\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xff\r";
  const std::string printed = "\\x1b[2J\\x07\\xc2\\x9b\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xff\\x0d";
  CHECK(printable(odd) == printed);
  CHECK(printable_lines(odd + "\n\ta\n") == printed + "\n\ta\n");
  CHECK(printable("\n\t") == "\\x0a\\x09");
}

TEST_CASE("printable ASCII is distinguished from all other text") {
  CHECK(is_printable_ascii(""));
  std::string all = "\n\t";
  for (char c = ' '; c <= '~'; ++c) all += c;
  CHECK(is_printable_ascii(all));
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    // At the end of a long text, and alone.
    CHECK(is_printable_ascii(all + c) == (all.find(c) != std::string::npos));
    CHECK(is_printable_ascii(std::string(1, c)) == (all.find(c) != std::string::npos));
  }
}

}  // namespace
}  // namespace tilewright

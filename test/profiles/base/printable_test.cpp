#include "profiles/base/printable.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("printable text stays, every other byte is spelled out") {
  CHECK(printable("Mali-T628 (4 CU)") == "Mali-T628 (4 CU)");
  CHECK(printable("").empty());
  CHECK(printable("caf\xe9\n") == "caf\\xe9\\x0a");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("what moves a cursor or turns letters around is spelled out, in lines too") {
  // ESC, BEL, a C1 control, U+202E, U+2066, a byte that no UTF-8 has.
  const std::string odd = "\x1b[2J\x07\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xff\r";
  const std::string spelled = "\\x1b[2J\\x07\\xc2\\x9b\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xff\\x0d";
  CHECK(printable(odd) == spelled);
  CHECK(printable_lines(odd + "\n\ta\n") == spelled + "\n\ta\n");
  CHECK(printable("\n\t") == "\\x0a\\x09");
}

}  // namespace
}  // namespace tilewright

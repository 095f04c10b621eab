#include "profiles/printable.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("printable text stays, every other byte is spelled out") {
  CHECK(printable("Mali-T628 (4 CU)") == "Mali-T628 (4 CU)");
  CHECK(printable("").empty());
  CHECK(printable("caf\xe9\n") == "caf\\xe9\\x0a");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
}

}  // namespace
}  // namespace tilewright

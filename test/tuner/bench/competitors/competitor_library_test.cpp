// Tests that the error message names the library of a competitor that cannot be loaded.
#include "tuner/bench/competitors/competitor_library.hpp"

#include <cstdlib>

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("a library that does not exist is reported with the package to install") {
  CompetitorLibrary library("libno-such-competitor.so.7", "libno-such-competitor7");
  void (*function)() = &std::abort;
  library.find("competitor_sgemm", function);
  CHECK(function == nullptr);
  CHECK_THAT(library.missing(),
             ContainsSubstring("libno-such-competitor.so.7") &&
                 ContainsSubstring("install it (Debian: libno-such-competitor7)"));
}

TEST_CASE("a library without the required function counts as missing") {
  CompetitorLibrary library("libc.so.6", "libc6");
  int (*absolute)(int) = nullptr;
  library.find("abs", absolute);
  REQUIRE(absolute != nullptr);
  CHECK(absolute(-3) == 3);
  CHECK(library.missing() == "");
  library.find("cblas_sgemm", absolute);
  CHECK(absolute == nullptr);
  CHECK(library.missing() == "libc.so.6 has no function cblas_sgemm");
}

}  // namespace
}  // namespace tilewright

// Tests that a library that cannot be used is named, with what it lacks.
#include "profiles/base/shared_library.hpp"

#include <cstdlib>

#include "catch.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("shared library: one that does not exist is reported with the remedy") {
  SharedLibrary library("libno-such-library.so.7", "install it (Debian: libno-such-library7)");
  void (*function)() = &std::abort;
  library.require("sgemm", function);
  CHECK(function == nullptr);
  CHECK_FALSE(library.is_loaded());
  CHECK_THAT(library.failure(), ContainsSubstring("libno-such-library.so.7") &&
                                    ContainsSubstring("libno-such-library7"));
}

TEST_CASE("shared library: without a required function it cannot be used") {
  SharedLibrary library("libc.so.6", "install it");
  int (*absolute)(int) = nullptr;
  library.require("abs", absolute);
  REQUIRE(absolute != nullptr);
  CHECK(absolute(-3) == 3);
  CHECK_FALSE(library.find("cblas_sgemm", absolute));
  CHECK(library.failure() == "");
  library.require("cblas_sgemm", absolute);
  CHECK(absolute == nullptr);
  CHECK(library.is_loaded());
  CHECK_THAT(library.failure(), ContainsSubstring("cblas_sgemm"));
}

TEST_CASE("shared library: functions of the process") {
  SharedLibrary library("");
  int (*absolute)(int) = nullptr;
  CHECK(library.find("abs", absolute));
  library.require("cblas_no_such_function", absolute);
  CHECK_THAT(library.failure(), ContainsSubstring("has no function"));
}

}  // namespace
}  // namespace tilewright

// The main() of every test program. Link Catch2::Catch2, not Catch2::Catch2WithMain: version 2 has
// no such target, and this file serves both.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>

int main(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
#else
#if defined(__GNUC__) && !defined(__clang__)
// With sanitizers on, GCC 12 finds fault with std::regex inside of Catch2.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

// Runs the test cases and counts those that are skipped.
#include "session.hpp"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
using ListenerBase = Catch::EventListenerBase;
#else
#if defined(__GNUC__) && !defined(__clang__)
// With sanitizers, GCC 12 warns about std::regex inside of Catch2.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
using ListenerBase = Catch::TestEventListenerBase;
#endif

#include <cstdio>
#include <filesystem>

#include "catch.hpp"
#include "temporary_folder.hpp"

namespace tilewright {
namespace {

int cases = 0;
int skipped = 0;
int skipped_parts = 0;

struct CaseCounter : ListenerBase {
  using ListenerBase::ListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo&) override { ++cases; }
};
CATCH_REGISTER_LISTENER(CaseCounter)

// Programs and cases run in parallel, so files with equal names must be in different folders.
struct OwnFolder : ListenerBase {
  using ListenerBase::ListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    std::filesystem::current_path(folder.path());
  }
  TemporaryFolder folder;
};
CATCH_REGISTER_LISTENER(OwnFolder)

}  // namespace

void count_skip(const char* file, int line, const std::string& reason) {
  ++skipped;
  std::printf("SKIPPED: %s (%s:%d)\n", reason.c_str(), file, line);
}

void count_skipped_part(const std::string& what) {
  ++skipped_parts;
  std::printf("SKIPPED in part: %s\n", what.c_str());
}

int run_tests(int argc, char** argv) {
  const int code = Catch::Session().run(argc, argv);
  if (skipped_parts > 0) std::printf("%d parts of test cases skipped\n", skipped_parts);
  if (code != 0 || skipped == 0) return code;
  std::printf("%d of %d test cases skipped\n", skipped, cases);
  return skipped == cases ? kSkipped : 0;
}

}  // namespace tilewright

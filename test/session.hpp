// Runs the cases of a test program and determines its exit code.
#pragma once

#include <string>

namespace tilewright {

// The exit code that ctest treats as "skipped" (SKIP_RETURN_CODE).
inline constexpr int kSkipped = 77;

// Names a part of a case that cannot run here, and counts it. If the whole case cannot run, use
// SKIP_CASE.
void count_skipped_part(const std::string& what);

// Runs the cases that the arguments select. Returns Catch2's exit code, or kSkipped if all of them
// were skipped.
int run_tests(int argc, char** argv);

}  // namespace tilewright

// How does a test program end?
#pragma once

#include <string>

namespace tilewright {

// What ctest takes for "skipped" (SKIP_RETURN_CODE).
inline constexpr int kSkipped = 77;

// Names a part of a case that cannot run here, and counts it. Where nothing of a case can:
// SKIP_CASE.
void count_skipped_part(const std::string& what);

// Runs the cases that the arguments name. Catch2's exit code; kSkipped where all of them were
// skipped.
int run_tests(int argc, char** argv);

}  // namespace tilewright

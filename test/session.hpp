// How does a test program end?
#pragma once

namespace tilewright {

// What ctest takes for "skipped" (SKIP_RETURN_CODE).
inline constexpr int kSkipped = 77;

// Runs the cases that the arguments name. Catch2's exit code; kSkipped where all of them were
// skipped.
int run_tests(int argc, char** argv);

}  // namespace tilewright

// Includes Catch2, version 2 or 3, and defines how a case is skipped.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
using Catch::Approx;  // in the global namespace in version 2
#else
#include <catch2/catch.hpp>
namespace Catch::Matchers {
// The name in version 3.
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}
}  // namespace Catch::Matchers
#endif

#include <string>

namespace tilewright {
void count_skip(const char* file, int line, const std::string& reason);
}

// Ends a test case that cannot run here and counts it as skipped. (Catch2 has SKIP() since 3.3.)
#define SKIP_CASE(reason)                                   \
  do {                                                      \
    ::tilewright::count_skip(__FILE__, __LINE__, (reason)); \
    return;                                                 \
  } while (false)

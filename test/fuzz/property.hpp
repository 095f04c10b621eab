// Checks properties in fuzz targets: if a property does not hold, the target stops and libFuzzer
// keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tilewright {

inline void expect(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

}  // namespace tilewright

# Headers that nearly every source includes are parsed once: a third of the time of a build was spent on them. (Those that
# few include would slow the others down.) What a source needs it includes all the same: scripts/check-arm builds without.
#
#   tilewright_precompile(NAME HEADERS...)   makes the target NAME, and lets the modules made afterwards, in this folder and
#                                            below, use it; others call target_precompile_headers(... REUSE_FROM NAME)
#
# Users must be compiled with the same options, and agree on macros that the headers look at.
set(TILEWRIGHT_COMMON_HEADERS
  <algorithm> <cmath> <cstdint> <fstream> <functional> <map> <memory> <optional> <set> <sstream> <stdexcept> <string>
  <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)

macro(tilewright_precompile name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// For its precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE tilewright_warnings tilewright_fmt)
  set(TILEWRIGHT_PRECOMPILED ${name})
endmacro()

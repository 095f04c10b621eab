# Precompiles the headers that nearly every source includes; without this, a third of the build time goes into them.
# Headers that few sources include would slow the others down: GCC instantiates pending templates of a precompiled header
# in every source, which takes 0.6 s for nlohmann/json.hpp and 0.3 s for CL/opencl.hpp. Sources must still include what
# they need: layering.includes checks it by their names, and scripts/check-arm builds without precompiled headers.
#
#   tilewright_precompile(NAME HEADERS...)   makes the target NAME. Modules that are defined later in this folder and
#                                            below use it; others call target_precompile_headers(... REUSE_FROM NAME)
#
# Users must be compiled with the same options and the same macros.
set(TILEWRIGHT_COMMON_HEADERS
  <algorithm> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <sstream> <stdexcept> <string>
  <utility> <variant> <vector> <fmt/format.h>)

macro(tilewright_precompile name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// For its precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE tilewright_warnings tilewright_fmt)
  set(TILEWRIGHT_PRECOMPILED ${name})
endmacro()

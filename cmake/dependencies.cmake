# The packages that tilewright stands on. Those inside the runtime library are used header-only, so that
# an application which embeds the runtime needs nothing beside it but an OpenCL driver.
find_package(Threads REQUIRED)
find_package(OpenCL 1.2 REQUIRED)
find_package(fmt REQUIRED)  # fmt::fmt-header-only

# The same macros in every translation unit, ours and the tests': CLHPP's inline functions depend on them.
add_library(tilewright_opencl INTERFACE)
target_link_libraries(tilewright_opencl INTERFACE OpenCL::OpenCL)
target_compile_definitions(tilewright_opencl INTERFACE
  CL_TARGET_OPENCL_VERSION=120 CL_HPP_TARGET_OPENCL_VERSION=120 CL_HPP_MINIMUM_OPENCL_VERSION=110)
find_path(OPENCL_CLHPP_INCLUDE_DIR CL/opencl.hpp REQUIRED)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(tilewright_toml INTERFACE)
target_include_directories(tilewright_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_definitions(tilewright_toml INTERFACE TOML_HEADER_ONLY=1)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(tilewright_xxhash INTERFACE)
target_include_directories(tilewright_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(tilewright_xxhash INTERFACE XXH_INLINE_ALL)

find_package(nlohmann_json 3.7 REQUIRED)  # runtime/models, tuner

if(TILEWRIGHT_BUILD_TUNER)
  find_package(CLI11 REQUIRED)
  # Rivals for `tilewright bench`: each is optional, and named missing when asked for and absent.
  find_package(OpenBLAS CONFIG QUIET)
  find_path(CBLAS_INCLUDE_DIR cblas.h HINTS ${OpenBLAS_INCLUDE_DIRS})
  find_library(OPENBLAS_LIBRARY openblas)
  find_package(CLBlast CONFIG QUIET)
endif()
if(TILEWRIGHT_BUILD_TESTS)
  find_package(Catch2 REQUIRED)  # 2 or 3
endif()

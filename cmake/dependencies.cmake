# The packages that tilewright uses. Those of the runtime library are compiled into it, so that an application needs only
# the library and an OpenCL driver.
find_package(Threads REQUIRED)
find_package(OpenCL 1.2 QUIET)
find_path(OPENCL_CLHPP_INCLUDE_DIR CL/opencl.hpp)
find_package(fmt QUIET)
find_package(nlohmann_json 3.7 QUIET)  # runtime/models, tuner
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp)
find_path(XXHASH_INCLUDE_DIR xxhash.h)
set(found_variables
  OpenCL_FOUND OPENCL_CLHPP_INCLUDE_DIR fmt_FOUND nlohmann_json_FOUND PROTOZERO_INCLUDE_DIR XXHASH_INCLUDE_DIR)
set(debian_packages
  ocl-icd-opencl-dev opencl-clhpp-headers libfmt-dev nlohmann-json3-dev libprotozero-dev libxxhash-dev)
set(missing)
foreach(found package IN ZIP_LISTS found_variables debian_packages)
  if(NOT ${found})
    string(APPEND missing " ${package}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "tilewright needs libraries that CMake does not find. These packages of Debian contain them:${missing}")
endif()

# fmt is compiled once (see profiles/base/fmt.cpp) in a namespace of tilewright, because an application may also link
# another fmt. Untested versions of fmt are used header-only.
add_library(tilewright_fmt INTERFACE)
get_target_property(fmt_include_folder fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(tilewright_fmt SYSTEM INTERFACE ${fmt_include_folder})
if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 11)
  target_compile_definitions(tilewright_fmt INTERFACE
    "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace tilewright_fmt {" "FMT_END_NAMESPACE=} }")
else()
  target_compile_definitions(tilewright_fmt INTERFACE FMT_HEADER_ONLY)
endif()

# The same macros for every translation unit, including the tests, because the inline functions of CLHPP depend on them.
add_library(tilewright_opencl INTERFACE)
target_link_libraries(tilewright_opencl INTERFACE OpenCL::OpenCL)
target_compile_definitions(tilewright_opencl INTERFACE
  CL_TARGET_OPENCL_VERSION=120 CL_HPP_TARGET_OPENCL_VERSION=120 CL_HPP_MINIMUM_OPENCL_VERSION=110)

add_library(tilewright_xxhash INTERFACE)
target_include_directories(tilewright_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(tilewright_xxhash INTERFACE XXH_INLINE_ALL)

add_library(tilewright_protozero INTERFACE)
target_include_directories(tilewright_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})

if(TILEWRIGHT_BUILD_TUNER)
  find_package(CLI11 REQUIRED)
endif()
if(TILEWRIGHT_BUILD_TESTS)
  find_package(Catch2 REQUIRED)  # 2 or 3
endif()

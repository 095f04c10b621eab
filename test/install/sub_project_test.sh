#!/usr/bin/env bash
# sub_project_test.sh STEP: tests a project that contains tilewright, with the CMake code that docs/install.md
# shows. CMakeLists.txt sets the environment. Exit code 77: skipped, for the printed reason.
set -euo pipefail

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# shown SECTION: prints the CMake code in that section of docs/install.md.
shown() {
  awk -v heading="## $1" '
    /^#/ { in_section = ($0 == heading) }
    /^```/ { in_piece = ($0 == "```cmake"); next }
    in_section && in_piece { print }' "$SOURCE/docs/install.md"
}

# configure SECTION: makes a project with that CMake code in the folder $project, with a build folder in it.
configure() {
  local piece
  piece=$(shown "$1")
  [[ $piece == *tilewright::runtime* ]] || fail "docs/install.md has no piece of CMake in the section '$1'"
  rm -rf "$project"
  mkdir -p "$project/third_party"
  ln -s "$SOURCE" "$project/third_party/tilewright"
  cat > "$project/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(my_project LANGUAGES C CXX)
add_executable(my_program $SOURCE/docs/examples/sgemm.c)
target_link_libraries(my_program PRIVATE m)
$piece
# A program with the other library, and a source that is compiled before the libraries are built.
add_executable(other_program $SOURCE/docs/examples/sgemm.cpp)
set_target_properties(other_program PROPERTIES CXX_STANDARD 20)
target_link_libraries(other_program PRIVATE $OTHER)
add_library(compiled OBJECT $SOURCE/docs/examples/sgemm.c)
target_link_libraries(compiled PRIVATE tilewright::runtime)
END
  "$CMAKE" -S "$project" -B "$project/build" -DFETCHCONTENT_SOURCE_DIR_TILEWRIGHT="$SOURCE" \
    -DCMAKE_C_FLAGS="${CFLAGS-}" -DCMAKE_CXX_FLAGS="${CXXFLAGS-}"
}

expect_cached() {
  grep -qxE "$1" "$project/build/CMakeCache.txt" || fail "the cache does not have $1"
}

# The project gets the runtime and compiles. tilewright changes no settings of the project.
step_configure() {
  configure "$1"
  local option
  for option in BUILD_TUNER BUILD_TESTS INSTALL WERROR; do expect_cached "TILEWRIGHT_$option:BOOL=OFF"; done
  expect_cached 'CMAKE_BUILD_TYPE:STRING='
  "$CMAKE" --build "$project/build" --target compiled
  "$CMAKE" --install "$project/build" --prefix "$project/prefix"
  [[ ! -e $project/prefix ]] || fail "of a sub-project something is installed: $(find "$project/prefix")"
}

# One error names all libraries that are missing, as the packages that docs/install.md lists.
step_missing() {
  rm -rf "$project"
  local said package
  said=$("$CMAKE" -S "$SOURCE" -B "$project" -DTILEWRIGHT_BUILD_TUNER=OFF -DTILEWRIGHT_BUILD_TESTS=OFF \
    -DCMAKE_DISABLE_FIND_PACKAGE_{OpenCL,fmt,nlohmann_json}=ON \
    -D{OPENCL_CLHPP,XXHASH,PROTOZERO}_INCLUDE_DIR= 2>&1) && fail "CMake accepts missing libraries"
  for package in ocl-icd-opencl-dev opencl-clhpp-headers libfmt-dev nlohmann-json3-dev libprotozero-dev libxxhash-dev; do
    grep -qw -e "$package" <<< "$said" || fail "the error does not name $package: $said"
    grep -qw -e "$package" "$SOURCE/docs/install.md" || fail "docs/install.md does not name $package"
  done
}

# Programs with either library find the shipped profiles in the build folder.
step_build() {
  "$DEVICE_PROBE" || { echo "skipped: there is no OpenCL device"; exit 77; }
  configure "$1"
  "$CMAKE" --build "$project/build" --parallel 2 --target my_program other_program
  local program said
  for program in my_program other_program; do
    said=$(env -u TILEWRIGHT_PROFILE TILEWRIGHT_VERBOSE=1 XDG_DATA_HOME="$project/none" "$project/build/$program" 2>&1) || fail "$program fails: $said"
    echo "$said"
    grep -qF "$project/build/share/tilewright/profiles" <<< "$said" || fail "$program does not find the shipped profiles"
  done
}

# A build without a build type is optimized.
step_top_level() {
  rm -rf "$project"
  "$CMAKE" -S "$SOURCE" -B "$project/build" -DTILEWRIGHT_BUILD_TUNER=OFF -DTILEWRIGHT_BUILD_TESTS=OFF
  expect_cached 'CMAKE_BUILD_TYPE:STRING=Release'
  expect_cached 'TILEWRIGHT_INSTALL:BOOL=ON'
}

project=$WORK/$1-${2-}
# The section uses one of the two libraries; this is the other one.
OTHER=tilewright::runtime
[[ ${2-} != FetchContent ]] || OTHER=tilewright::runtime_static
case ${1-} in
  configure | build | top_level | missing) "step_$1" "${2-}" ;;
  *) fail "unknown step '${1-}'" ;;
esac

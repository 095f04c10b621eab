#!/usr/bin/env bash
# package_test.sh STEP: one step of the test of the installed package. CMakeLists.txt sets the environment. Exit
# code 77: skipped, for the printed reason.
set -euo pipefail

prefix=$WORK/prefix
# shellcheck disable=SC2153  # LIBDIR and INCLUDEDIR are the environment's
libdir=$prefix/$LIBDIR
# shellcheck disable=SC2153
includedir=$prefix/$INCLUDEDIR
profile=$prefix/$DATADIR/tilewright/profiles/generic.toml
export PKG_CONFIG_PATH=$libdir/pkgconfig
read -ra cflags <<< "${CFLAGS-}"
read -ra cxxflags <<< "${CXXFLAGS-}"
# The programs that the steps `cmake` and `pkg_config` build.
programs=({runtime,runtime_static,pkg_config,pkg_config_static}/sgemm_{c,cpp} {c_only,archives_alone}/sgemm_c
  {runtime,runtime_static}/{errors,network,packed_weights,threads}_{c,cpp})
# Programs that contain a profile and take none as an argument.
self_sufficient=({runtime,runtime_static}/profile_from_memory_{c,cpp} recipe/profile_from_memory_c)
strict=(-Wall -Wextra -Wpedantic -Werror)

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

skip_without_device() {
  "$DEVICE_PROBE" || {
    echo "skipped: there is no OpenCL device"
    exit 77
  }
}

# expect_none TEXT WHAT: TEXT must be empty; WHAT describes its lines.
expect_none() {
  [[ -z $1 ]] || fail "$2:"$'\n'"$1"
}

# ------------------------------------------------------------------------------------------------ steps

step_prefix() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  (umask 002; "$CMAKE" --install "$BUILD" ${CONFIG:+--config "$CONFIG"} --prefix "$prefix")
  expect_none "$(find "$prefix/$DATADIR/tilewright" -perm /022)" "profiles that other users can write to"
  echo "== with a relative prefix"
  (cd "$WORK" && "$CMAKE" --install "$BUILD" ${CONFIG:+--config "$CONFIG"} --component development --prefix relative)
  diff -r "$libdir/pkgconfig" "$WORK/relative/$LIBDIR/pkgconfig" || fail "a relative prefix changes the pkg-config files"
  rm -r "$WORK/relative"
  [[ $(ls "$includedir") == tilewright ]] || fail "$includedir holds more than tilewright/"
  diff -r "$SOURCE/runtime/include/tilewright" "$includedir/tilewright" || fail "other headers than the public ones"
  local file
  for file in "$libdir"/libtilewright{.so,.a,_clblast.so} "$libdir/pkgconfig"/tilewright{,-static}.pc "$profile" \
    "$libdir"/cmake/tilewright/tilewright-config{,-version}.cmake; do
    [[ -f $file ]] || fail "$file is not installed"
  done
  local leaks
  leaks=$(grep -rF -e "$SOURCE" -e "$BUILD" "$libdir/cmake" "$libdir/pkgconfig" "$includedir" || true)
  expect_none "$leaks" "installed files that name the source, the build folder or the prefix"
}

# opencl_version HEADER: prints the version of OpenCL for which the header configures OpenCL's headers.
opencl_version() {
  "$CC" -I"$includedir" -E -dM -x c - <<< "#include <$1>" 2> /dev/null | grep CL_TARGET_OPENCL_VERSION
}

# Compiles each public header alone, with every language standard that an application may use.
step_headers() {
  local header
  for header in "$includedir"/tilewright/*; do
    local name=tilewright/${header##*/}
    echo "$name"
    if [[ $header == *.h ]]; then
      "$CC" -std=c99 "${strict[@]}" -I"$includedir" -fsyntax-only -x c - <<< "#include <$name>"$'\n''typedef int not_empty;'
      [[ $(opencl_version "$name") == $(opencl_version CL/cl.h) ]] ||
        fail "$name changes the OpenCL version of its includer"
    fi
    local standard
    for standard in c++14 c++17 c++20; do
      "$CXX" -std=$standard "${strict[@]}" -I"$includedir" -fsyntax-only -x c++ - <<< "#include <$name>"
    done
  done
}

# Compiles the C and C++ examples in the documents, each in a separate function, with the declarations that they
# assume (fences.h). (test/runtime/python/test_documents.py runs the examples in Python.)
step_fences() {
  local page language file count pages
  mapfile -t pages < <(cd "$SOURCE" && grep -lE '^```(c|cpp)$' README.md docs/*.md)
  for page in "${pages[@]}"; do
    for language in c cpp; do
      file=$WORK/fences.$language
      {
        fences "$SOURCE/$page" "$language" | grep '^#include' || true
        echo "#include \"$SOURCE/test/install/fences.h\""
        fences "$SOURCE/$page" "$language" | grep -v '^#include' || true
      } > "$file"
      count=$(grep -c '^void fence_.*{$' "$file" || true)
      echo "$page: $count pieces of $language"
      if [[ $language == c ]]; then
        "$CC" -std=c11 -Wall -Werror -Wno-unused -I"$includedir" -fsyntax-only -x c "$file"
      else
        "$CXX" -std=c++20 -Wall -Werror -Wno-unused -I"$includedir" -fsyntax-only -x c++ "$file"
      fi || fail "$page shows what does not compile (see $file)"
      [[ $page != docs/calling.md ]] || ((count >= 2)) || fail "found too few pieces: a wrong test"
    done
  done
}

# fenced PAGE LANGUAGE: prints the examples in that language unchanged.
fenced() {
  awk -v language="$2" '/^```/ { inside = ($0 == "```" language); next } inside' "$1"
}

# fences PAGE LANGUAGE: prints each example in that language as a function.
fences() {
  awk -v language="$2" '
    /^```/ { if (inside) { print "}"; inside = 0 }
             else if ($0 == "```" language) { inside = 1; printf "void fence_%d(void);\nvoid fence_%d(void) {\n", NR, NR }
             next }
    inside { print }' "$1"
}

step_exports() {
  local library=$libdir/libtilewright.so
  local shown
  shown=$("$NM" -D -C --with-symbol-versions --defined-only "$library" | cut -d' ' -f3-)
  echo "$shown"
  # A program does not start with a library that lacks the version of the interface with which it was linked.
  # shellcheck disable=SC2153  # SOVERSION is the environment's
  expect_none "$(grep -v -e "@@TILEWRIGHT_$SOVERSION\(\.[0-9]*\)\?\$" -e '^TILEWRIGHT_' <<< "$shown" || true)" \
    "symbols without a version of the interface"
  shown=$(sed -n '/^TILEWRIGHT_/d; s/@@TILEWRIGHT_.*//p' <<< "$shown")
  grep -q '^tw_sgemm$' <<< "$shown" || fail "tw_sgemm is not shown"
  local declared
  declared=$(sed -n 's/^TW_API .*\(tw_[a-z_]*\)(.*/\1/p' "$includedir"/tilewright/*.h)
  diff <(sort <<< "$declared") <(sort <<< "$shown") ||
    fail "the functions that the headers declare (<) are not those of runtime/exports.map (>)"

  # Exported or hidden functions of codelets/ in the library.
  local inside
  inside=$(comm -12 <(defined_functions "$CODELETS_LIBRARY") <(defined_functions "$library"))
  [[ -n $(defined_functions "$CODELETS_LIBRARY") ]] || fail "codelets/ defines no function: a wrong test"
  [[ -n $(defined_functions "$library") ]] || fail "the library has no symbol table: a wrong test"
  expect_none "$inside" "functions of codelets/ inside of the library"
}

# Prints the strong global functions of namespace tilewright that a file defines. Hidden ones are local ("t") in a
# shared library.
defined_functions() {
  "$NM" -C --defined-only "$1" | sed -n 's/^[0-9a-f]* [Tt] \(tilewright::.*\)/\1/p' |
    grep -v '(anonymous namespace)' | grep -v '\[clone' | sort -u
}

step_cmake() {
  local library
  for library in runtime runtime_static; do
    echo "== $library"
    "$CMAKE" -S "$prefix/$DATADIR/doc/libtilewright-dev/examples" -B "$WORK/$library" -DCMAKE_PREFIX_PATH="$prefix" \
      -DTILEWRIGHT_LIBRARY="tilewright::$library" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_C_FLAGS="${CFLAGS-} ${strict[*]}" -DCMAKE_CXX_FLAGS="${CXXFLAGS-} ${strict[*]}"
    "$CMAKE" --build "$WORK/$library"
  done
  echo "== a project of C alone"
  "$CMAKE" -S "$SOURCE/test/install/c_only" -B "$WORK/c_only" -DCMAKE_PREFIX_PATH="$prefix" \
    -DEXAMPLES="$SOURCE/docs/examples" -DCMAKE_C_FLAGS="${CFLAGS-}"
  "$CMAKE" --build "$WORK/c_only"
}

step_pkg_config() {
  command -v pkg-config > /dev/null || fail "pkg-config is not installed"
  local flags
  local port=$SOURCE/cmake/recipes/vcpkg/tilewright/vcpkg.json version
  version=$(pkg-config --modversion tilewright)
  grep -qF "\"version\": \"$version\"" "$port" || fail "$port has another version than tilewright.h: $version"
  flags=$(pkg-config --cflags --libs tilewright)
  echo "pkg-config: $flags"
  read -ra flags <<< "$flags"
  mkdir -p "$WORK/pkg_config"
  "$CC" -std=c11 "${strict[@]}" "${cflags[@]}" -o "$WORK/pkg_config/sgemm_c" \
    "$SOURCE/docs/examples/sgemm.c" "${flags[@]}" -lm "-Wl,-rpath,$libdir"
  "$CXX" -std=c++20 "${strict[@]}" "${cxxflags[@]}" -o "$WORK/pkg_config/sgemm_cpp" \
    "$SOURCE/docs/examples/sgemm.cpp" "${flags[@]}" "-Wl,-rpath,$libdir"
  echo "== statically, with the shared library in the same folder"
  read -ra flags <<< "$(pkg-config --cflags --libs tilewright-static)"
  mkdir -p "$WORK/pkg_config_static"
  "$CC" -std=c11 "${strict[@]}" "${cflags[@]}" -o "$WORK/pkg_config_static/sgemm_c" \
    "$SOURCE/docs/examples/sgemm.c" "${flags[@]}"
  "$CXX" -std=c++20 "${strict[@]}" "${cxxflags[@]}" -o "$WORK/pkg_config_static/sgemm_cpp" \
    "$SOURCE/docs/examples/sgemm.cpp" "${flags[@]}"
  echo "== with --static, where there are archives alone"
  rm -rf "$WORK/archives"
  mkdir -p "$WORK/archives" "$WORK/archives_alone"
  cp "$libdir"/libtilewright.a "$WORK/archives"
  read -ra flags <<< "$(pkg-config --static "--define-variable=libdir=$WORK/archives" --cflags --libs tilewright)"
  # C libraries before glibc 2.34 need it for dlopen().
  [[ " ${flags[*]} " == *" -ldl "* ]] || fail "pkg-config --static does not name -ldl: ${flags[*]}"
  "$CC" -std=c11 "${strict[@]}" "${cflags[@]}" -o "$WORK/archives_alone/sgemm_c" \
    "$SOURCE/docs/examples/sgemm.c" "${flags[@]}"
}

# An installation can be moved: programs are built with the new folder, and the library finds its profiles there.
step_moved() {
  local moved=$WORK/moved/tilewright flags program said
  rm -rf "$WORK/moved"
  mkdir -p "$WORK/moved"
  cp -r "$prefix" "$moved"
  export PKG_CONFIG_PATH=$moved/$LIBDIR/pkgconfig
  read -ra flags <<< "$(pkg-config --cflags --libs tilewright)"
  "$CC" -std=c11 "${cflags[@]}" -o "$WORK/moved/shared" "$SOURCE/docs/examples/sgemm.c" "${flags[@]}" -lm \
    "-Wl,-rpath,$moved/$LIBDIR"
  read -ra flags <<< "$(pkg-config --cflags --libs tilewright-static)"
  expect_none "$(grep -F "$prefix" <<< "${flags[*]}" || true)" "pkg-config names the old folder"
  "$CC" -std=c11 "${cflags[@]}" -o "$WORK/moved/static" "$SOURCE/docs/examples/sgemm.c" "${flags[@]}" -lm
  "$CMAKE" -S "$SOURCE/test/install/c_only" -B "$WORK/moved/cmake" -DCMAKE_PREFIX_PATH="$moved" \
    -DEXAMPLES="$SOURCE/docs/examples" -DCMAKE_C_FLAGS="${CFLAGS-}"
  "$CMAKE" --build "$WORK/moved/cmake"
  grep -qF "tilewright_DIR:PATH=$moved/" "$WORK/moved/cmake/CMakeCache.txt" || fail "CMake found another package"
  skip_without_device
  # A statically linked program that is installed with the profiles finds them, too.
  mkdir -p "$moved/bin"
  mv "$WORK/moved/static" "$moved/bin"
  for program in "$WORK/moved/shared" "$moved/bin/static"; do
    said=$(TILEWRIGHT_VERBOSE=1 run_example "$program" 2>&1) || fail "$program fails: $said"
    echo "$said"
    grep -qF "$moved/$DATADIR/tilewright/profiles" <<< "$said" || fail "$program does not find the moved profiles"
  done
}

# A C program that loads networks from files.
step_models() {
  local flags
  read -ra flags <<< "$(pkg-config --cflags --libs tilewright)"
  echo "pkg-config: ${flags[*]}"
  mkdir -p "$WORK/models"
  "$CC" -std=c99 "${strict[@]}" "${cflags[@]}" -o "$WORK/models/models" "$SOURCE/test/install/models.c" "${flags[@]}" \
    "-Wl,-rpath,$libdir"
  skip_without_device
  run_example "$WORK/models/models" "$SOURCE"/test/digits/digits.onnx
}

# The commands in docs/shipping.md for a profile inside the program make the header that the C example includes.
step_recipe() {
  rm -rf "$WORK/recipe"
  mkdir -p "$WORK/recipe"
  cp "$profile" "$WORK/recipe/board.toml"
  fenced "$SOURCE/docs/shipping.md" sh > "$WORK/recipe/recipe.sh"
  cat "$WORK/recipe/recipe.sh"
  grep -q board.toml "$WORK/recipe/recipe.sh" || fail "docs/shipping.md has no recipe: a wrong test"
  (cd "$WORK/recipe" && sh -e recipe.sh)
  local flags
  read -ra flags <<< "$(pkg-config --cflags --libs tilewright)"
  "$CC" -std=c99 "${strict[@]}" "${cflags[@]}" "-I$WORK/recipe" -o "$WORK/recipe/profile_from_memory_c" \
    "$SOURCE/docs/examples/profile_from_memory.c" "${flags[@]}" "-Wl,-rpath,$libdir"
  # The array must contain the bytes of the file, followed by a 0.
  "$CC" -std=c99 "${strict[@]}" "-I$WORK/recipe" -o "$WORK/recipe/print" -x c - <<< '
    #include <stdio.h>
    #include "board_profile.h"
    int main(void) {
      fputs((const char*)board_profile, stdout);
      return board_profile[sizeof board_profile - 1];
    }'
  "$WORK/recipe/print" | cmp - "$profile"
}

# An application can link another fmt, because the runtime's fmt is in a namespace of tilewright.
step_own_fmt() {
  mkdir -p "$WORK/own_fmt"
  "$CXX" -std=c++17 -o "$WORK/own_fmt/trial" -x c++ - -lfmt 2> /dev/null <<< '
    #include <fmt/format.h>
    int main() { return fmt::format("{}", 1.5).size() == 3 ? 0 : 1; }' || {
    echo "skipped: there is no fmt to link with (Debian: libfmt-dev)"
    exit 77
  }
  local theirs
  theirs=$("$NM" -C --defined-only "$libdir"/libtilewright.a | grep ' [A-Z] fmt::v[0-9]' || true)
  expect_none "$theirs" "symbols of the archive that an application's fmt has, too"
  local ours fmt flags
  for ours in tilewright tilewright-static; do
    read -ra flags <<< "$(pkg-config --cflags --libs "$ours")"
    for fmt in -lfmt -DFMT_HEADER_ONLY; do
      echo "== $ours with $fmt"
      "$CXX" -std=c++17 "${strict[@]}" "${cxxflags[@]}" -o "$WORK/own_fmt/program" "$SOURCE/test/install/own_fmt.cpp" \
        "$fmt" "${flags[@]}" "$fmt" "-Wl,-rpath,$libdir"
      TILEWRIGHT_VERBOSE=1 run_example "$WORK/own_fmt/program" | tee "$WORK/own_fmt/said"
      grep -qx PASS "$WORK/own_fmt/said" || fail "own_fmt with $ours and $fmt does not say PASS"
    done
  done
}

# A program may use CLHPP with other options than the library, which has it in a namespace of its own.
step_clhpp_exceptions() {
  local theirs
  theirs=$("$NM" -C --defined-only "$libdir"/libtilewright.a | grep -E ' [A-Z] (vtable for |typeinfo (name )?for )?cl::' || true)
  expect_none "$theirs" "symbols of the archive that a program with CLHPP has, too"
  mkdir -p "$WORK/clhpp"
  local ours flags
  for ours in tilewright tilewright-static; do
    echo "== $ours"
    read -ra flags <<< "$(pkg-config --cflags --libs "$ours")"
    "$CXX" -std=c++17 "${strict[@]}" "${cxxflags[@]}" -o "$WORK/clhpp/$ours" \
      "$SOURCE/test/install/clhpp_exceptions.cpp" "${flags[@]}" "-Wl,-rpath,$libdir"
  done
  skip_without_device
  for ours in tilewright tilewright-static; do run_example "$WORK/clhpp/$ours"; done
}

# A program may use another C++ standard library.
step_libcxx() {
  mkdir -p "$WORK/libcxx"
  clang++ -stdlib=libc++ -o "$WORK/libcxx/trial" -x c++ - 2> /dev/null <<< '
    #include <vector>
    int main() { return static_cast<int>(std::vector<int>().size()); }' || {
    echo "skipped: clang++ has no libc++ (Debian: libc++-dev)"
    exit 77
  }
  local ours flags
  for ours in tilewright tilewright-static; do
    echo "== $ours"
    read -ra flags <<< "$(pkg-config --cflags --libs "$ours")"
    clang++ -stdlib=libc++ -std=c++20 -o "$WORK/libcxx/$ours" "$SOURCE/docs/examples/errors.cpp" "${flags[@]}" \
      "-Wl,-rpath,$libdir"
  done
  skip_without_device
  for ours in tilewright tilewright-static; do run_example "$WORK/libcxx/$ours" "$profile"; done
}

# Checks which libraries the examples need: of tilewright's only the runtime, and none that only the tuner uses.
step_needs() {
  local program needed library
  # The OpenCL library is loaded at run time (runtime/opencl).
  for library in libtilewright.so libtilewright_clblast.so; do
    needed=$("$READELF" -d "$libdir/$library")
    expect_none "$(grep -i opencl <<< "$needed" || true)" "$library needs"
  done
  for program in "${programs[@]}" "${self_sufficient[@]}"; do
    needed=$("$READELF" -d "$WORK/$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    echo "$program: ${needed//$'\n'/ }"
    local ours
    ours=$(grep tilewright <<< "$needed" || true)
    if [[ $program =~ ^(runtime_static|c_only|pkg_config_static|archives_alone)/ ]]; then
      expect_none "$ours" "$program is to be linked statically and needs"
    else
      [[ $ours =~ ^libtilewright\.so\.[0-9.]+$ ]] || fail "of ours, $program needs '$ours'"
    fi
    local all
    all=$(ldd "$WORK/$program")
    expect_none "$(grep -iE 'codelet|tuner|profiles|clblast|openblas|libfmt|not found' <<< "$all" || true)" \
      "$program loads"
  done
}

# run_example PROGRAM [PROFILE]: runs it in an empty folder, without environment variables that could select another
# profile.
run_example() {
  local program=$1
  shift
  mkdir -p "$WORK/empty.$$"
  (cd "$WORK/empty.$$" && env -u TILEWRIGHT_PROFILE -u LD_LIBRARY_PATH XDG_DATA_HOME="$WORK/empty.$$" "$program" "$@")
}

step_run() {
  skip_without_device
  rm -rf "$WORK/empty.$$" "$WORK/alone"
  mkdir -p "$WORK/empty.$$" "$WORK/alone"
  cp "$profile" "$WORK/alone/board.toml"
  local program said
  for program in "${programs[@]}"; do
    echo "== $program with a profile file"
    said=$(run_example "$WORK/$program" "$WORK/alone/board.toml") || fail "$program fails: $said"
    echo "$said"
    grep -qF "$WORK/alone/board.toml" <<< "$said" || fail "$program does not serve from the file"
    grep -qx PASS <<< "$said" || fail "$program does not say PASS"
  done
  for program in "${self_sufficient[@]}"; do
    echo "== $program"
    said=$(run_example "$WORK/$program") || fail "$program fails: $said"
    echo "$said"
    grep -qx 'profile: text in memory' <<< "$said" ||
      fail "$program does not serve from the profile that it carries"
    grep -qx PASS <<< "$said" || fail "$program does not say PASS"
  done
  echo "== runtime/sgemm_c with no profile"
  said=$(TILEWRIGHT_VERBOSE=1 run_example "$WORK/runtime/sgemm_c" 2>&1) || fail "runtime/sgemm_c fails: $said"
  echo "$said"
  # The library finds its own folder: it uses a shipped profile for this device, or names the folder as searched.
  grep -qF "$prefix/$DATADIR/tilewright/profiles" <<< "$said" || fail "the library does not find the installed profiles"
}

step_run_with_bad_profile() {
  skip_without_device
  mkdir -p "$WORK/empty.$$"
  sed 's/^tool_version = .*/tool_version = "edited"/' "$profile" > "$WORK/damaged.toml"
  local program
  for program in runtime/sgemm_{c,cpp}; do
    expect_refusal "$program" "$WORK/damaged.toml" TW_BAD_PROFILE
    expect_refusal "$program" "$WORK/absent.toml" TW_NO_PROFILE
  done
}

expect_refusal() {
  local said code=0
  said=$(run_example "$WORK/$1" "$2" 2>&1) || code=$?
  echo "$1: $said"
  ((code == 1)) || fail "$1 with ${2##*/} exits with $code, not with 1"
  grep -qF "$3" <<< "$said" || fail "$1 with ${2##*/} does not say $3"
  grep -qF "$2" <<< "$said" || fail "$1 with ${2##*/} does not name the file"
}

case ${1-} in
  prefix | headers | fences | exports | cmake | pkg_config | moved | models | recipe | own_fmt | clhpp_exceptions | libcxx | needs | run | \
    run_with_bad_profile)
    "step_$1"
    ;;
  *) fail "unknown step '${1-}'" ;;
esac

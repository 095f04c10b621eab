#!/usr/bin/env bash
# doxygen_test.sh SOURCE WORK: tests that every public name has a complete comment. Runs Doxygen with docs/Doxyfile,
# which reports names without one. Exit code 77: skipped, for the printed reason.
set -euo pipefail

source=$1
work=$2

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

command -v doxygen > /dev/null || {
  echo "skipped: doxygen is not installed"
  exit 77
}

# run_doxygen OUTPUT [SETTING]...: runs Doxygen; the settings replace those of docs/Doxyfile.
run_doxygen() {
  mkdir -p "$work/$1"
  { cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $work/$1"; printf '%s\n' "${@:2}"; } | doxygen -
}

rm -rf "$work"
cd "$source"
run_doxygen pages || fail "see the names above; docs/Doxyfile says what is read, and how"

# Tests that Doxygen reports missing comments: adds an undocumented declaration to a copy of the sources.
expect_complaint() {
  local file=$1 declaration=$2 said
  echo "== ${file##*/} with: $declaration"
  rm -rf "$work/spoilt"
  cp -r runtime "$work/spoilt"
  echo "$declaration" >> "$work/spoilt/${file#runtime/}"
  if said=$(run_doxygen spoilt_pages "INPUT = $work/spoilt/include/tilewright $work/spoilt/clblast/clblast_abi.hpp \
      $work/spoilt/clblast/clblast_c.cpp" 2>&1); then
    fail "doxygen does not see it"
  fi
  echo "$said"
  grep -qiE 'undocumented.* (is|are) not documented' <<< "$said" || fail "doxygen complains of something else"
}
expect_complaint runtime/include/tilewright/tilewright.h 'int undocumented(int x);'
expect_complaint runtime/include/tilewright/tilewright.h '/** Has a comment. */ int undocumented_parameter(int undocumented);'
expect_complaint runtime/include/tilewright/tilewright.hpp 'namespace tw { struct Undocumented { int x = 0; }; }'
expect_complaint runtime/clblast/clblast_abi.hpp 'namespace clblast { int undocumented(int x); }'
expect_complaint runtime/clblast/clblast_c.cpp 'extern "C" { int undocumented(int x) { return x; } }'

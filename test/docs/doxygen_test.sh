#!/usr/bin/env bash
# doxygen_test.sh SOURCE WORK: has every public name a complete comment? Doxygen reads them as docs/Doxyfile says,
# and must complain about a name without one. Exit code 77: skipped, for the reason printed.
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

# run_doxygen OUTPUT [SETTING]...: with settings in place of the file's.
run_doxygen() {
  mkdir -p "$work/$1"
  { cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $work/$1"; printf '%s\n' "${@:2}"; } | doxygen -
}

rm -rf "$work"
cd "$source"
run_doxygen pages || fail "see the names above; docs/Doxyfile says what is read, and how"

# Would it see one? Copies of what is read, one of them with a name more.
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
expect_complaint runtime/include/tilewright/library.hpp 'namespace tilewright { struct Undocumented { int x = 0; }; }'
expect_complaint runtime/clblast/clblast_abi.hpp 'namespace clblast { int undocumented(int x); }'
expect_complaint runtime/clblast/clblast_c.cpp 'extern "C" { int undocumented(int x) { return x; } }'

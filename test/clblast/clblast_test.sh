#!/usr/bin/env bash
# Tests that programs for CLBlast cannot distinguish the drop-in from CLBlast.
#   clblast_test.sh same    WITH_CLBLAST WITH_DROP_IN DROP_IN   one program, linked to either
#   clblast_test.sh exports DROP_IN NM
#   clblast_test.sh libcxx  LIBRARY NM
#   clblast_test.sh passed_on WITH_CLBLAST WITH_DROP_IN DROP_IN  functions that only CLBlast has, with and without it
#   clblast_test.sh verbose WITH_CLBLAST DROP_IN               the output of a preloaded drop-in with $TILEWRIGHT_VERBOSE
#   clblast_test.sh missing
set -euo pipefail

# Runs "$@" and stores its output in $work/$name. The library named $library must provide the functions.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() {
  local name=$1 library=$2 status=0
  shift 2
  "$@" >"$work/$name" 2>"$work/$name.errors" || status=$?
  if [ "$status" -eq 77 ]; then
    cat "$work/$name"
    exit 77
  fi
  if [ "$status" -ne 0 ]; then
    echo "$name: exit status $status"
    grep -m 20 WRONG "$work/$name" || cat "$work/$name.errors"
    exit 1
  fi
  grep -q "^served by .*/$library" "$work/$name.errors" || {
    echo "$name: not served by $library but:"
    cat "$work/$name.errors"
    exit 1
  }
}

same() {
  local with_clblast=$1 with_drop_in=$2 drop_in=$3
  run clblast libclblast "$with_clblast"
  run drop_in libtilewright_clblast "$with_drop_in"
  run preloaded libtilewright_clblast env LD_PRELOAD="$drop_in" "$with_clblast"
  diff "$work/clblast" "$work/drop_in"
  diff "$work/clblast" "$work/preloaded"
  echo "$(wc -l <"$work/clblast") lines, all the same"
}

exports() {
  local drop_in=$1 nm=$2
  "$nm" -D --defined-only "$drop_in" | sed 's/.* //' | sort >"$work/shown"
  # Compare only the part before size_t, whose mangled name differs between ABIs. libc++ has complex in an inline
  # namespace.
  sed -E -e 's/NSt[0-9]+__(ndk)?17complexI([fd])EE/St7complexI\2E/' -e 's/^(_ZN7clblast[0-9]+(Gemm|Gemv|Omatcopy|GemmBatched|GemmStridedBatched|GemmTempBufferSize)I([fdt]|St7complexI[fd]E)E).*/\1/' \
    -e 's/^(_ZN7clblast18OverrideParameters).*/\1/' \
    "$work/shown" >"$work/got"
  LC_ALL=C sort -o "$work/got" "$work/got"
  LC_ALL=C sort >"$work/expected" <<'END'
CLBlastCgemm
CLBlastCgemmBatched
CLBlastCgemmStridedBatched
CLBlastCgemv
CLBlastComatcopy
CLBlastClearCache
CLBlastDgemm
CLBlastDgemmBatched
CLBlastDgemmStridedBatched
CLBlastDgemv
CLBlastDomatcopy
CLBlastFillCache
CLBlastHgemm
CLBlastHgemmBatched
CLBlastHgemmStridedBatched
CLBlastHgemv
CLBlastHomatcopy
CLBlastOverrideParameters
CLBlastSgemm
CLBlastSgemmBatched
CLBlastSgemmStridedBatched
CLBlastSgemv
CLBlastSomatcopy
CLBlastZgemm
CLBlastZgemmBatched
CLBlastZgemmStridedBatched
CLBlastZgemv
CLBlastZomatcopy
_ZN7clblast10ClearCacheEv
_ZN7clblast11GemmBatchedISt7complexIdEE
_ZN7clblast11GemmBatchedISt7complexIfEE
_ZN7clblast11GemmBatchedIdE
_ZN7clblast11GemmBatchedIfE
_ZN7clblast11GemmBatchedItE
_ZN7clblast18GemmStridedBatchedISt7complexIdEE
_ZN7clblast18GemmStridedBatchedISt7complexIfEE
_ZN7clblast18GemmStridedBatchedIdE
_ZN7clblast18GemmStridedBatchedIfE
_ZN7clblast18GemmStridedBatchedItE
_ZN7clblast18GemmTempBufferSizeISt7complexIdEE
_ZN7clblast18GemmTempBufferSizeISt7complexIfEE
_ZN7clblast18GemmTempBufferSizeIdE
_ZN7clblast18GemmTempBufferSizeIfE
_ZN7clblast18GemmTempBufferSizeItE
_ZN7clblast18OverrideParameters
_ZN7clblast4GemmISt7complexIdEE
_ZN7clblast4GemmISt7complexIfEE
_ZN7clblast4GemmIdE
_ZN7clblast4GemmIfE
_ZN7clblast4GemmItE
_ZN7clblast4GemvISt7complexIdEE
_ZN7clblast4GemvISt7complexIfEE
_ZN7clblast4GemvIdE
_ZN7clblast4GemvIfE
_ZN7clblast4GemvItE
_ZN7clblast8OmatcopyISt7complexIdEE
_ZN7clblast8OmatcopyISt7complexIfEE
_ZN7clblast8OmatcopyIdE
_ZN7clblast8OmatcopyIfE
_ZN7clblast8OmatcopyItE
_ZN7clblast9FillCacheEP13_cl_device_id
END
  diff "$work/expected" "$work/got"
}

# Tests the names of functions for complex numbers as compilers with libc++ mangle them.
libcxx() {
  local library=$1 nm=$2
  "$nm" -D --defined-only "$library" | sed -n 's/.* _ZN7clblast/_ZN7clblast/p' | sort >"$work/shown"
  if [ "$(wc -l <"$work/shown")" -ne 24 ]; then
    echo "not the 6 functions for complex numbers of 2 types in 2 namespaces, but:"
    cat "$work/shown"
    exit 1
  fi
}

# Without CLBlast, functions that only CLBlast has are not implemented.
passed_on() {
  local with_clblast=$1 with_drop_in=$2 drop_in=$3
  run clblast libclblast "$with_clblast" passed_on
  run preloaded libtilewright_clblast env LD_PRELOAD="$drop_in" "$with_clblast" passed_on
  run drop_in libtilewright_clblast "$with_drop_in" passed_on
  diff "$work/clblast" "$work/preloaded"
  diff <(sed 's/: [-0-9]*$/: -1024/' "$work/clblast") "$work/drop_in"
  grep -qx 'Xaxpy: 0' "$work/clblast" && grep -qx 'Somatcopy: 0' "$work/clblast"
}

verbose() {
  local with_clblast=$1 drop_in=$2
  run quiet libtilewright_clblast env -u TILEWRIGHT_VERBOSE LD_PRELOAD="$drop_in" "$with_clblast"
  if grep '^tilewright: ' "$work/quiet.errors"; then
    echo "lines that nobody asked for"
    exit 1
  fi
  run verbose libtilewright_clblast env TILEWRIGHT_VERBOSE=1 LD_PRELOAD="$drop_in" "$with_clblast"
  diff "$work/quiet" "$work/verbose"
  local said
  for said in "opened on '.*' with profile " 'planned NN [0-9]*x[0-9]*x[0-9]*: ' 'kernel .* built from source' \
    "a CLBlast call failed with status -1016: the leading dimension of A is [0-9]*, less than [0-9]*," \
    "status -1011: the buffer of A has [0-9]* bytes" "status -1022: no buffer is given for A" \
    "status -1017: m, n or k is 0"; do
    grep -q "^tilewright: .*$said" "$work/verbose.errors" || {
      echo "nothing says '$said':"
      sort "$work/verbose.errors" | uniq -c
      exit 1
    }
  done
  echo "$(grep -c '^tilewright: ' "$work/verbose.errors") lines"
}

missing() {
  echo "SKIPPED: CLBlast was not found when the build was configured (Debian: libclblast-dev)"
  exit 77
}

"$@"

#!/bin/sh
# retry_if_pocl_aborts.sh PROGRAM [ARGUMENT...]: runs a device test. PoCL 3.1 sometimes aborts in its kernel
# cache if threads release kernels whose commands still run (3 of 30 runs of the hammer test, 2 cores). After an
# abort by that assertion the test is run again, at most three times. scripts/drivers sets TILEWRIGHT_RUN_TESTS_IN
# to the command that runs the test with another driver.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
for attempt in 1 2 3; do
  # A command with arguments: it is taken apart here.
  # shellcheck disable=SC2086
  ${TILEWRIGHT_RUN_TESTS_IN:-} "$@" 2> "$errors"
  code=$?
  cat "$errors" >&2
  [ "$code" != 0 ] && grep -q 'pocl_release_dlhandle_cache: Assertion' "$errors" || exit "$code"
  echo "attempt $attempt: an assertion of PoCL's own" >&2
done
exit "$code"

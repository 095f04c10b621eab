#!/usr/bin/env bash
# syntax_test.sh FILE...: each bash script among the files must be correct, stop at its first error, and contain no
# path of a particular machine. If shellcheck is installed, it must report nothing.
set -euo pipefail

failures=0
complain() {
  echo "FAIL: $*" >&2
  failures=$((failures + 1))
}

checked=0
for file; do
  [[ $(head -n 1 "$file") =~ ^'#!'.*bash ]] || continue
  checked=$((checked + 1))
  bash -n "$file" || complain "$file does not parse"
  grep -qx 'set -euo pipefail' "$file" || complain "$file has no 'set -euo pipefail'"
  if grep -nE '(^|[^[:alnum:]_./$}-])/(root|home|work)/' "$file"; then
    complain "$file names a path of one machine"
  fi
  if command -v shellcheck > /dev/null; then
    shellcheck --severity=warning "$file" || complain "shellcheck finds fault with $file"
  fi
done
echo "$checked scripts checked"
((checked >= 4)) || complain "fewer scripts than there are"
((failures == 0))

#!/usr/bin/env bash
# relative_includes.sh FOLDER...: fails if a source includes a file by an absolute path or a path with "..". The
# include folders of the targets do not prevent that.
set -euo pipefail

pattern='^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](/|([^>"]*/)?\.\./)'

# Check that the pattern finds wrong lines and no others.
found=$(grep -cE "$pattern" << 'END'
#include "../codelets/point/validity.hpp"
  # include <profiles/../../codelets/point/validity.hpp>
#include "/usr/include/stdio.h"
END
) || true
spared=$(grep -cE "$pattern" << 'END'
#include "profiles/profile.hpp"
#include <vector>  // not ../vector
// #include "../codelets/point/validity.hpp"
END
) || true
if [[ $found != 3 || $spared != 0 ]]; then
  echo "FAIL: the pattern finds $found of 3 wrong lines and $spared of 0 right ones" >&2
  exit 1
fi

for folder; do
  sources=$(find "$folder" -name '*.[ch]' -o -name '*.[ch]pp')
  [[ -n $sources ]] || { echo "FAIL: no sources in $folder" >&2; exit 1; }
  echo "$folder: $(wc -l <<< "$sources") sources"
done
if grep -rnE "$pattern" --include='*.[ch]' --include='*.[ch]pp' "$@"; then
  echo "FAIL: the lines above reach out of their folder" >&2
  exit 1
fi

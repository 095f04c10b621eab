#!/usr/bin/env bash
# escaped_output.sh FOLDER: fails if a source of the program writes to the terminal without print.hpp, which escapes
# control characters. (A line that is redrawn is escaped in the same way.)
set -euo pipefail

folder=$1
pattern='fmt::v?print|std::(cout|cerr|clog|puts|fputs|fputc|putchar|perror|v?f?printf|fwrite)\b|\bperror\('

spared=$(grep -cE "$pattern" <<< 'fmt::format("{}", x); print("{}\n", x); std::snprintf(b, n, "x");') || true
found=$(grep -cE "$pattern" << 'END'
  fmt::print(stderr, "{}", text);
  std::printf("%s", text);
  std::cout << text;
END
) || true
if [[ $found != 3 || $spared != 0 ]]; then
  echo "FAIL: the pattern finds $found of 3 wrong lines and $spared of 0 right ones" >&2
  exit 1
fi

sources=$(find "$folder" -name '*.[ch]pp' ! -name print.cpp \
  ! -name live_line.cpp)
[[ -n $sources ]] || { echo "FAIL: no sources in $folder" >&2; exit 1; }
# Skip comments.
if xargs grep -nE "^[^/]*($pattern)" <<< "$sources"; then
  echo "FAIL: these lines write to the terminal; use print() or print_lines() of tuner/cli/print.hpp" >&2
  exit 1
fi

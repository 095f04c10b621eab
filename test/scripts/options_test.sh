#!/usr/bin/env bash
# options_test.sh FOLDER: --help must print a help text, and unknown options must be refused with exit code 2 before
# anything else happens. The PATH contains no commands that could install or build something.
set -euo pipefail

folder=$1
nothing=$(mktemp -d)
trap 'rm -rf "$nothing"' EXIT
for tool in bash sed dirname tr nproc; do
  ln -s "$(command -v "$tool")" "$nothing/$tool"
done

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# expect CODE TEXT SCRIPT [ARGUMENT...]: runs the script without apt-get, cmake or git in PATH.
expect() {
  local code=$1 text=$2 script=$3 said actual=0
  shift 3
  said=$(PATH=$nothing "$nothing/bash" "$folder/$script" "$@" 2>&1 < /dev/null) || actual=$?
  ((actual == code)) || fail "'$script $*' exits with $actual, not with $code: $said"
  grep -qF -e "$text" <<< "$said" || fail "'$script $*' does not say '$text': $said"
  ! grep -q '^==' <<< "$said" || fail "'$script $*' takes a step before it has read its options"
  echo "ok: $script $*"
}

expect 0 "scripts/demo [--device" demo --help
expect 0 "scripts/check" check --help
expect 0 "scripts/packages --list" packages --help
expect 0 pocl-opencl-icd packages --list
expect 2 "unknown option '--bogus'" demo --bogus
expect 2 "unknown option 'extra'" demo --fresh extra
expect 2 "--device needs a value" demo --device
expect 2 "--budget needs a value" demo --fresh --budget
expect 2 "'soon' is not a time" demo --budget soon
expect 2 "'2m/../x' is not a time" demo --budget=2m/../x
expect 2 "unknown option '--bogus'" check --bogus
expect 2 "unknown option '--bogus'" packages --bogus
expect 0 "scripts/cross-sysroot ARCH" cross-sysroot --help
expect 2 "'' is not an architecture; choose arm64" cross-sysroot
expect 2 "'riscv64' is not an architecture; choose arm64" cross-sysroot riscv64
expect 2 "--suite needs a name" cross-sysroot amd64 --suite
expect 2 "unknown option '--bogus'" cross-sysroot arm64 --bogus
expect 2 "--into needs a folder" cross-sysroot arm64 --into
expect 1 "apt-get is not installed" cross-sysroot arm64
expect 0 "scripts/drivers [--budget" drivers --help
expect 2 "'nvidia' is not a driver; choose from: intel pocl rusticl" drivers pocl nvidia
expect 2 "--steps: 'bogus' is not a step; choose from: tests tune" drivers --steps tune,bogus
expect 2 "'soon' is not a time" drivers --budget soon
expect 2 "--tests needs a value" drivers --tests
expect 2 "'' is not a driver; choose one of: intel pocl rusticl" drivers --in
expect 2 "--in needs a command" drivers --in pocl
expect 2 "unknown option '--bogus'" drivers --bogus
expect 0 "scripts/debs [ARCH" debs --help
expect 2 "'sparc' is not an architecture; choose amd64, arm64 or armhf" debs amd64 sparc
expect 0 "scripts/portable [ARCH" portable --help
expect 2 "'sparc' is not an architecture; choose amd64, arm64 or armhf" portable amd64 sparc
expect 0 "scripts/release [--draft]" release --help
expect 2 "unknown option '--bogus'" release --bogus
expect 2 "'sparc' is not an architecture; choose amd64, arm64 or armhf" release amd64 sparc
expect 2 "--check needs a file" release --check
expect 77 "portable: SKIPPED (it needs Debian" portable
expect 77 "check-arm: SKIPPED (it needs an x86-64 PC with Debian)" check-arm
expect 0 "scripts/fuzz [--seconds" fuzz --help
expect 2 "unknown option '--bogus'" fuzz --bogus
expect 2 "--seconds needs a number" fuzz --seconds soon
expect 2 "'bogus' is not a target" fuzz layout bogus
expect 77 "fuzz: SKIPPED (there is no clang)" fuzz
expect 77 "memcheck: SKIPPED (valgrind is not installed)" memcheck
expect 0 "scripts/memcheck [PROGRAM" memcheck --help
expect 2 "unknown option '--bogus'" memcheck --bogus
expect 0 "scripts/tsan [TEST" tsan --help
expect 2 "unknown option '--bogus'" tsan --bogus
expect 0 "scripts/asan [PROGRAM" asan --help
expect 2 "unknown option '--bogus'" asan --bogus
expect 0 "scripts/oclgrind-points [--points" oclgrind-points --help
expect 2 "PROGRAM is missing" oclgrind-points --points 5
expect 2 "--points needs a number" oclgrind-points --points many
expect 2 "unknown option '--bogus'" oclgrind-points --bogus
expect 2 "'./no-such' is not an executable file" oclgrind-points ./no-such
expect 77 "oclgrind-points: SKIPPED (oclgrind is not installed" oclgrind-points "$nothing/bash"

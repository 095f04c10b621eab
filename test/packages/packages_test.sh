#!/usr/bin/env bash
# packages_test.sh STEP: one step of the test of the Debian packages. CMakeLists.txt sets the environment; in a
# cross build ARCH, SYSROOT and EMULATOR, too. Exit code 77: skipped, for the printed reason.
set -euo pipefail

# shellcheck disable=SC2153  # VERSION, ARCH and others are the environment's
arch=${ARCH:-$(dpkg --print-architecture)}
packages=("libtilewright$SOVERSION" libtilewright-dev tilewright-profiles-datacenter)
((${TOOL:-1} == 0)) || packages+=(tilewright)
root=$WORK/root
read -ra cflags <<< "${CFLAGS-}"
read -ra cxxflags <<< "${CXXFLAGS-}"

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

# architecture_of PACKAGE: prints the package's architecture; profiles are text, so their packages suit all.
architecture_of() {
  if [[ $1 == tilewright-profiles-* ]]; then echo all; else echo "$arch"; fi
}

file_of() {
  echo "$WORK/$1_${VERSION}_$(architecture_of "$1").deb"
}

# expect_licences PACKAGE: the package must contain the licences of the libraries that are compiled in.
expect_licences() {
  local library
  [[ -n $HEADER_PACKAGES ]] || fail "the list of libraries is empty"
  for library in $HEADER_PACKAGES; do
    grep -q "^Parts of $library are" "$root/usr/share/doc/$1/copyright" || fail "$1 lacks the licence of $library"
  done
}

field() {
  dpkg-deb --field "$(file_of "$1")" "$2"
}

# expect_file PACKAGE PATTERN...: the package must contain a file whose path matches.
expect_file() {
  local package=$1 pattern
  shift
  for pattern; do
    grep -qE -e "^\./usr/$pattern\$" <<< "$(list "$package")" || fail "$package holds no $pattern"
  done
}

# Prints the paths of the files in a package, without folders.
list() {
  dpkg-deb --fsys-tarfile "$(file_of "$1")" | tar --list | grep -v '/$'
}

# ------------------------------------------------------------------------------------------------ steps

step_make() {
  rm -rf "$WORK"
  mkdir -p "$root"
  (cd "$WORK" && "$CPACK" --config "$BUILD/CPackConfig.cmake" -G DEB -B "$WORK")
  local package
  for package in "${packages[@]}"; do
    [[ -f $(file_of "$package") ]] || fail "$(file_of "$package") was not made; there are: $(cd "$WORK" && echo *.deb)"
    dpkg-deb --info "$(file_of "$package")"
    dpkg-deb --extract "$(file_of "$package")" "$root"
  done
}

step_contents() {
  local package
  for package in "${packages[@]}"; do
    echo "== $package"
    list "$package"
    expect_file "$package" "share/doc/$package/copyright"
    [[ $package == tilewright-profiles-* ]] || expect_licences "$package"
    [[ $(field "$package" Architecture) == "$(architecture_of "$package")" ]] ||
      fail "$package is for $(field "$package" Architecture)"
  done
  expect_file tilewright-profiles-datacenter 'share/tilewright/profiles/nvidia-h100\.toml' \
    'share/tilewright/profiles/nvidia-h200\.toml'
  expect_file "libtilewright$SOVERSION" "$LIBDIR/libtilewright\.so\.$SOVERSION" "$LIBDIR/libtilewright_clblast\.so" \
    'share/tilewright/profiles/generic\.toml' 'share/tilewright/profiles/starter/mali-t628\.toml'
  expect_file libtilewright-dev "$LIBDIR/libtilewright\.(so|a)" \
    "$LIBDIR/cmake/tilewright/tilewright-config\.cmake" "$LIBDIR/pkgconfig/tilewright\.pc" \
    "$LIBDIR/pkgconfig/tilewright-static\.pc" \
    'include/tilewright/tilewright\.h' 'share/doc/libtilewright-dev/examples/sgemm\.c'
  ((${TOOL:-1} == 0)) || expect_file tilewright bin/tilewright
  local twice
  twice=$(for package in "${packages[@]}"; do list "$package"; done | sort | uniq --repeated)
  [[ -z $twice ]] || fail "in two packages: $twice"
  # sed reads all input, unlike head: if the reader ended early, the writer could fail, and with it the step.
  twice=$(for package in "${packages[@]}"; do field "$package" Description | sed -n 1p; done | sort | uniq --repeated)
  [[ -z $twice ]] || fail "two packages have the synopsis '$twice'"

  # Files must not refer to the machine that built them, and programs must be for the packages' processor.
  local file machine
  case $arch in
    amd64) machine='X86-64' ;;
    arm64) machine='AArch64' ;;
    armhf) machine='ARM' ;;
    *) machine='' ;;
  esac
  while read -r file; do
    "$READELF" -h "$file" | grep -E "Machine: .*$machine\$" > /dev/null || fail "$file is not for $arch"
    ! "$READELF" -d "$file" | grep -E 'RPATH|RUNPATH' || fail "$file says where libraries are"
  done < <(find "$root/usr/$LIBDIR" -name '*.so*' -type f; find "$root/usr/bin" -type f 2> /dev/null)
  ! grep -rlF -e "$SOURCE" -e "$BUILD" "$root/usr/$LIBDIR"/{cmake,pkgconfig} "$root/usr/include" ||
    fail "these name the source or build folder"
}

# Every library that a program or a shared library needs must be in a package that its package depends on.
step_depends() {
  local package depends
  for package in "${packages[@]}"; do
    depends=$(field "$package" Depends)
    echo "$package: $depends"
    case $package in
      tilewright)  # shipped profiles are in the library's package
        [[ $(field "$package" Recommends) == *"libtilewright$SOVERSION"* ]] ||
          fail "$package does not recommend the library" ;;
      tilewright-profiles-*) continue ;;
      libtilewright-dev)
        [[ $depends == "libtilewright$SOVERSION (= $VERSION), "* ]] || fail "$package depends on another library"
        continue ;;
    esac
    local needed
    for needed in 'libc6 \(>= 2\.[0-9]+' 'libstdc\+\+6 \(>= [0-9]+'; do
      grep -qE "(^|[ ,|])($needed)" <<< "$depends" || fail "$package does not depend on $needed"
    done
    # docs/packages.md names the version for packages that are built on Debian 12.
    local documented
    documented=$(sed -n 's/^The packages need glibc \([0-9.]*\) .*/\1/p' "$SOURCE/docs/packages.md")
    if [[ -z ${ARCH-} && $(. /etc/os-release && echo "$ID $VERSION_ID") == "debian 12" && $depends != *"libc6 (>= $documented)"* ]]; then
      fail "$package needs another glibc than $documented, which docs/packages.md names: $depends"
    fi
    # The OpenCL library is found at run time and may be a vendor's.
    grep -q libopencl1 <<< "$depends" && fail "$package depends on one OpenCL library"
    grep -q libopencl1 <<< "$(field "$package" Recommends)" || fail "$package recommends no OpenCL library"
  done
}

# Tests whether apt would install the packages. Packages for another processor are tested against a system that
# consists of the sysroot's packages.
step_install() {
  local files=() package
  for package in "${packages[@]}"; do files+=("$(file_of "$package")"); done
  if [[ -n ${SYSROOT-} ]]; then
    local apt=$WORK/apt
    mkdir -p "$apt"/{lists,cache}/partial
    cp "$SYSROOT/status" "$apt/status"
    cat > "$apt/apt.conf" << END
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
END
    export APT_CONFIG=$apt/apt.conf
  fi
  local said
  said=$(apt-get install --simulate --no-install-recommends "${files[@]}" 2>&1) || fail "apt-get refuses: $said"
  echo "$said"
  for package in "${packages[@]}"; do
    grep -q "^Inst $package " <<< "$said" || fail "apt-get would not install $package"
  done
}

# Starts a program that is built for the packages' processor.
start() {
  local emulator
  read -ra emulator <<< "${EMULATOR-}"
  "${emulator[@]}" "$@"
}

skip_without_emulator() {
  if [[ -n ${SYSROOT-} && -z ${EMULATOR-} ]]; then
    echo "skipped: there is no emulator for $arch"
    exit 77
  fi
}

# expect_product PROGRAM: the program must compute a product or report that there is no device. A program that
# computes logs its profile, or the folders where it looked for one; one of them must be in the unpacked packages.
expect_product() {
  local said code=0
  said=$(TILEWRIGHT_CACHE=off TILEWRIGHT_VERBOSE=1 XDG_DATA_HOME="$WORK/none" start "$@" 2>&1) || code=$?
  echo "$said"
  if ((code == 0)); then
    grep -qF "$root/usr/share/tilewright/profiles" <<< "$said" || fail "$1 does not look for profiles next to the library"
  else
    grep -qiE 'no (OpenCL )?(platform|device)' <<< "$said" || fail "$1 exits with $code"
  fi
}

# Checks that the program runs.
step_tool() {
  skip_without_emulator
  local said
  said=$(start "$root/usr/bin/tilewright" --version)
  echo "$said"
  [[ $said == "tilewright $VERSION"* ]] || fail "the program is of another version"
  start "$root/usr/bin/tilewright" emit --generic > "$WORK/generic.toml"
  cmp "$WORK/generic.toml" "$root/usr/share/tilewright/profiles/generic.toml" ||
    fail "the program and the library's package have different built-in profiles"
  said=$(start "$root/usr/bin/tilewright" profiles 2>&1) || true
  grep -qF "$root/usr/share/tilewright/profiles" <<< "$said" || fail "tilewright profiles lists no shipped profile: $said"
}

# Users can compile programs in C and in C++17 with the files of the packages.
step_use() {
  local libraries=$root/usr/$LIBDIR program
  local flags=(-DCL_TARGET_OPENCL_VERSION=120 -I"$root/usr/include" -L"$libraries" "-Wl,--no-as-needed" -ltilewright)
  [[ -z ${SYSROOT-} ]] || flags+=(-isystem "$SYSROOT/usr/include" -L"$SYSROOT/$LIBDIR" -L"$SYSROOT/usr/$LIBDIR")
  flags+=(-lOpenCL -lm "-Wl,-rpath,$libraries" ${SYSROOT:+"-Wl,-rpath,$SYSROOT/usr/$LIBDIR"})
  "$CC" -std=c99 -Wall -Wextra -Werror "${cflags[@]}" -o "$WORK/user_c" "$SOURCE/docs/examples/sgemm.c" "${flags[@]}"
  "$CXX" -std=c++17 -Wall -Wextra -Werror "${cxxflags[@]}" -o "$WORK/user_cpp" "$SOURCE/test/packages/user.cpp" "${flags[@]}"
  skip_without_emulator
  for program in user_c user_cpp; do expect_product "$WORK/$program"; done
}

# For a package that is installed below /usr, pkg-config must print no folders, because compilers search them
# anyway.
step_pkg_config() {
  local path flags name
  path=$root/usr/$LIBDIR/pkgconfig:$(pkg-config --variable pc_path pkg-config)
  for name in tilewright tilewright-static; do
    flags=$(PKG_CONFIG_LIBDIR=$path pkg-config --cflags --libs "$name")
    echo "$name: $flags"
    ! grep -E -e '-[IL]' <<< "$flags" || fail "pkg-config prints system folders"
  done
  # A tree that was moved: here, the unpacked packages.
  flags=$(PKG_CONFIG_LIBDIR=$path pkg-config "--define-variable=prefix=$root/usr" --cflags --libs tilewright)
  grep -qF -e "-I$root/usr/include -L$root/usr/$LIBDIR " <<< "$flags" || fail "with another prefix pkg-config prints $flags"
}

# The examples can be configured and built in the folder where the package puts them, with only the packages' files.
step_examples() {
  local examples=$root/usr/share/doc/libtilewright-dev/examples
  "$CMAKE" -S "$examples" -B "$WORK/examples" -DCMAKE_PREFIX_PATH="$root/usr" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="${CFLAGS-}" -DCMAKE_CXX_FLAGS="${CXXFLAGS-}"
  grep -qxF "BOARD_PROFILE:FILEPATH=$root/usr/share/tilewright/profiles/generic.toml" "$WORK/examples/CMakeCache.txt" ||
    fail "the examples do not take the installed profile"
  # test/install builds all of them.
  "$CMAKE" --build "$WORK/examples" --target sgemm_cpp profile_from_memory_c
  expect_product "$WORK/examples/sgemm_cpp"
}

case ${1-} in
  make | contents | depends | install | tool | use | pkg_config | examples) "step_$1" ;;
  *) fail "unknown step '${1-}'" ;;
esac

# Toolchain file of scripts/portable: programs and libraries for Linux systems with another glibc, which may be older than
# this machine's.
#
# The compiler is Zig's clang. It links with the version of glibc that is a part of the target's name, and links its C++
# library (libc++) statically. Headers of other libraries come from the folder `sysroot` that the script makes.
#
#   TILEWRIGHT_PORTABLE_TARGET   such as aarch64-linux-gnu.2.27
#   TILEWRIGHT_PORTABLE_TOOLS    folder with the program `zig` and the folder `sysroot`
set(CMAKE_SYSTEM_NAME Linux)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TILEWRIGHT_PORTABLE_TARGET TILEWRIGHT_PORTABLE_TOOLS)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${TILEWRIGHT_PORTABLE_TARGET}")

# Zig compiles its C++ library for each level of optimisation, and with and without symbols (-s): these options are given
# everywhere, also in CMake's own tests, so that it is compiled once.
set(zig ${TILEWRIGHT_PORTABLE_TOOLS}/zig)
set(options -target ${TILEWRIGHT_PORTABLE_TARGET} -O2 -s)
set(CMAKE_C_COMPILER ${zig} cc ${options})
set(CMAKE_CXX_COMPILER ${zig} c++ ${options})
set(CMAKE_AR ${zig} CACHE FILEPATH "Zig has the archiver")
set(CMAKE_RANLIB ${zig} CACHE FILEPATH "Zig has it")
foreach(language C CXX)
  set(CMAKE_${language}_ARCHIVE_CREATE "<CMAKE_AR> ar qcs <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_APPEND "<CMAKE_AR> ar qs <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_${language}_ARCHIVE_FINISH "")
endforeach()

# libc++, libc++abi and libunwind have the same licence. Functions of Zig's replace libgcc.
file(REAL_PATH ${zig} folder)
cmake_path(GET folder PARENT_PATH folder)
set(TILEWRIGHT_COMPILER_LICENCES ${folder}/lib/libcxx/LICENSE.TXT ${folder}/LICENSE)

set(CMAKE_FIND_ROOT_PATH ${TILEWRIGHT_PORTABLE_TOOLS}/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

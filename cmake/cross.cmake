# How is tilewright compiled for another processor? The rest of a toolchain file (cross-arm64.cmake,
# cross-armhf.cmake): libraries come from the folder that scripts/cross-sysroot makes, and programs of the target
# run under qemu's user mode, with the same folder's C library. TILEWRIGHT_SYSROOT names another folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${TILEWRIGHT_CROSS_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${TILEWRIGHT_CROSS_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${TILEWRIGHT_CROSS_TRIPLET})
# Where Debian has the target's libraries; CMake would only look so for this machine's.
set(CMAKE_INSTALL_LIBDIR lib/${TILEWRIGHT_CROSS_TRIPLET} CACHE PATH "Libraries' folder below the prefix")

get_filename_component(default ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-${TILEWRIGHT_CROSS_ARCH} ABSOLUTE)
set(TILEWRIGHT_SYSROOT ${default} CACHE PATH "Libraries of the target (scripts/cross-sysroot)")
if(NOT EXISTS ${TILEWRIGHT_SYSROOT})
  message(FATAL_ERROR "${TILEWRIGHT_SYSROOT} does not exist: scripts/cross-sysroot ${TILEWRIGHT_CROSS_ARCH} makes it")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TILEWRIGHT_SYSROOT)

# The C and C++ libraries to link with are the cross compiler's, all others the sysroot's, none the host's.
set(CMAKE_FIND_ROOT_PATH ${TILEWRIGHT_SYSROOT} /usr/${TILEWRIGHT_CROSS_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Without qemu everything is built, and tests do not start.
find_program(TILEWRIGHT_QEMU NAMES ${TILEWRIGHT_CROSS_EMULATOR}-static ${TILEWRIGHT_CROSS_EMULATOR})
mark_as_advanced(TILEWRIGHT_QEMU)
if(TILEWRIGHT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TILEWRIGHT_QEMU} -L ${TILEWRIGHT_SYSROOT})
endif()

# The common part of the toolchain files for other processors (cross-arm64.cmake, cross-armhf.cmake). Libraries come from
# the folder that scripts/cross-sysroot makes. Programs for the target run under qemu-user with the C library of this
# folder. TILEWRIGHT_SYSROOT selects another folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${TILEWRIGHT_CROSS_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${TILEWRIGHT_CROSS_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${TILEWRIGHT_CROSS_TRIPLET})
# Debian's folder of the target's libraries. By itself CMake would search only that of this machine.
set(CMAKE_INSTALL_LIBDIR lib/${TILEWRIGHT_CROSS_TRIPLET} CACHE PATH "Libraries' folder below the prefix")

get_filename_component(default ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-${TILEWRIGHT_CROSS_ARCH} ABSOLUTE)
set(TILEWRIGHT_SYSROOT ${default} CACHE PATH "Libraries of the target (scripts/cross-sysroot)")
if(NOT EXISTS ${TILEWRIGHT_SYSROOT})
  message(FATAL_ERROR "${TILEWRIGHT_SYSROOT} does not exist: scripts/cross-sysroot ${TILEWRIGHT_CROSS_ARCH} makes it")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TILEWRIGHT_SYSROOT)

# The C and C++ libraries come from the cross compiler, all others from the sysroot, and none from the host.
set(CMAKE_FIND_ROOT_PATH ${TILEWRIGHT_SYSROOT} /usr/${TILEWRIGHT_CROSS_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Without qemu everything can be built, but tests cannot run.
find_program(TILEWRIGHT_QEMU NAMES ${TILEWRIGHT_CROSS_EMULATOR}-static ${TILEWRIGHT_CROSS_EMULATOR})
mark_as_advanced(TILEWRIGHT_QEMU)
if(TILEWRIGHT_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${TILEWRIGHT_QEMU} -L ${TILEWRIGHT_SYSROOT})
endif()

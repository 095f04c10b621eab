# 32-bit ARM with hardware floats (ARMv7, as Debian's armhf), with Debian's cross compiler: the preset armhf.
set(TILEWRIGHT_CROSS_ARCH armhf)
set(TILEWRIGHT_CROSS_TRIPLET arm-linux-gnueabihf)
set(TILEWRIGHT_CROSS_EMULATOR qemu-arm)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
# GCC 7 changed how some structs are passed and notes each place. No older compiler is used, so the notes are disabled.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)

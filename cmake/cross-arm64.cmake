# 64-bit ARM, with Debian's cross compiler: the preset arm64.
set(TILEWRIGHT_CROSS_ARCH arm64)
set(TILEWRIGHT_CROSS_TRIPLET aarch64-linux-gnu)
set(TILEWRIGHT_CROSS_EMULATOR qemu-aarch64)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)

# A vcpkg port of libtilewright for a copy of the source tree:
#   vcpkg install tilewright --overlay-ports=cmake/recipes/vcpkg
cmake_path(ABSOLUTE_PATH CURRENT_PORT_DIR NORMALIZE OUTPUT_VARIABLE SOURCE_PATH)
foreach(level RANGE 1 4)
  cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)
endforeach()
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DTILEWRIGHT_BUILD_TUNER=OFF -DTILEWRIGHT_BUILD_TESTS=OFF -DTILEWRIGHT_WERROR=OFF)
vcpkg_cmake_build(TARGET tilewright_installed)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tilewright)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

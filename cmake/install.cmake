# All install rules: headers, libraries, CMake and pkg-config files, shipped profiles, the program. The component of each
# rule says which Debian package a file belongs to (cmake/packages.cmake).
include(CMakePackageConfigHelpers)

# Regardless of the umask: the library does not use profiles in a folder that other users can write to.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# A target that builds everything that is installed, without the tests.
add_custom_target(tilewright_installed
  DEPENDS tilewright_runtime_shared tilewright_runtime_static tilewright_clblast)

install(TARGETS tilewright_runtime_shared tilewright_runtime_static
  EXPORT tilewright-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS tilewright_clblast LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
if(TILEWRIGHT_BUILD_TUNER)
  add_dependencies(tilewright_installed tilewright)
  install(TARGETS tilewright DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libtilewright-dev
  COMPONENT development)

# The profiles of data-centre GPUs are in a separate package: they are as large as the rest of the library's package, and
# boards do not need them.
set(profile_folder ${CMAKE_INSTALL_DATADIR}/tilewright/profiles)
set(datacenter_profiles ${TILEWRIGHT_SHIPPED_PROFILES})
list(FILTER datacenter_profiles INCLUDE REGEX "/nvidia-h[12]00\\.toml$")
set(other_profiles ${TILEWRIGHT_SHIPPED_PROFILES})
list(REMOVE_ITEM other_profiles ${datacenter_profiles})
install(FILES ${other_profiles} DESTINATION ${profile_folder} COMPONENT runtime)
install(FILES ${datacenter_profiles} DESTINATION ${profile_folder} COMPONENT datacenter)
install(DIRECTORY ${PROJECT_BINARY_DIR}/profiles/starter DESTINATION ${profile_folder} COMPONENT runtime)

set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
install(EXPORT tilewright-targets NAMESPACE tilewright:: DESTINATION ${cmake_files} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilewright-config.cmake.in
  ${PROJECT_BINARY_DIR}/install/tilewright-config.cmake
  INSTALL_DESTINATION ${cmake_files} PATH_VARS profile_folder)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/tilewright-config-version.cmake
  COMPATIBILITY ${TILEWRIGHT_COMPATIBILITY})
install(FILES ${PROJECT_BINARY_DIR}/install/tilewright-config.cmake
              ${PROJECT_BINARY_DIR}/install/tilewright-config-version.cmake
  DESTINATION ${cmake_files} COMPONENT development)

# pkg-config files name the prefix relative to themselves, so that an installation can be moved. Below /usr they contain
# it literally, because pkg-config omits system folders only if it can compare their names. The prefix is known at install
# time (cmake --install --prefix, CPack).
foreach(folder LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(pkgconfig_${folder} ${CMAKE_INSTALL_${folder}})
  else()
    set(pkgconfig_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
string(REPLACE "\${prefix}" "\${CMAKE_INSTALL_PREFIX}" pkgconfig_files "${pkgconfig_LIBDIR}/pkgconfig")
set(pkgconfig_prefix "@pkgconfig_prefix@")
foreach(name tilewright tilewright-static)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/install/${name}.pc.in @ONLY)
  install(CODE "
    set(file \"${pkgconfig_files}/${name}.pc\")
    message(STATUS \"Installing: \$ENV{DESTDIR}\${file}\")
    set(pkgconfig_prefix \"\${CMAKE_INSTALL_PREFIX}\")
    if(NOT pkgconfig_prefix MATCHES \"^/usr(/local)?/?\$\")
      # A prefix that is given as a relative path is relative to the working folder.
      get_filename_component(pkgconfig_folder \"${pkgconfig_files}\" ABSOLUTE)
      get_filename_component(pkgconfig_prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
      file(RELATIVE_PATH pkgconfig_prefix \"\${pkgconfig_folder}\" \"\${pkgconfig_prefix}\")
      set(pkgconfig_prefix \"\\\${pcfiledir}/\${pkgconfig_prefix}\")
    endif()
    configure_file(\"${PROJECT_BINARY_DIR}/install/${name}.pc.in\" \"\$ENV{DESTDIR}\${file}\" @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${file}\")" COMPONENT development)
endforeach()

# The file `copyright`: tilewright's licence and those of the libraries that are compiled in, from /usr/share/doc/PACKAGE/copyright
# of Debian's packages (in a cross build, of the sysroot). Where there are no such files, whoever makes packages adds the licences.
# The tests of the packages and scripts/portable fail if one is missing.
set(copyright ${PROJECT_BINARY_DIR}/install/copyright)
set(licences ${TILEWRIGHT_COMPILER_LICENCES})  # cmake/portable.cmake
set(sysroot)
if(CMAKE_FIND_ROOT_PATH)
  list(GET CMAKE_FIND_ROOT_PATH 0 sysroot)
endif()
set(TILEWRIGHT_HEADER_PACKAGES libcli11-dev libfmt-dev nlohmann-json3-dev libprotozero-dev libxxhash-dev opencl-c-headers
  opencl-clhpp-headers)
foreach(package ${TILEWRIGHT_HEADER_PACKAGES})
  list(APPEND licences ${sysroot}/usr/share/doc/${package}/copyright)
endforeach()
file(READ ${PROJECT_SOURCE_DIR}/LICENSE text)
set(text "tilewright\nCopyright 2026 the authors of tilewright\n\n${text}")
foreach(licence ${licences})
  if(EXISTS ${licence})
    file(READ ${licence} other)
    cmake_path(GET licence PARENT_PATH name)
    cmake_path(GET name FILENAME name)
    string(APPEND text "\n\nParts of ${name} are compiled into tilewright's program or libraries:\n\n${other}")
  endif()
endforeach()
file(WRITE ${copyright} "${text}")

# The package for Python (runtime/python): what its wheel contains in addition to the Python sources.
install(TARGETS tilewright_runtime_shared LIBRARY DESTINATION lib COMPONENT python NAMELINK_SKIP EXCLUDE_FROM_ALL)
if(TILEWRIGHT_BUILD_TUNER)
  install(TARGETS tilewright DESTINATION bin COMPONENT python EXCLUDE_FROM_ALL)
endif()
install(FILES ${copyright} DESTINATION . RENAME LICENSE COMPONENT python EXCLUDE_FROM_ALL)
install(FILES ${TILEWRIGHT_SHIPPED_PROFILES} DESTINATION share/tilewright/profiles COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/profiles/starter DESTINATION share/tilewright/profiles COMPONENT python EXCLUDE_FROM_ALL)

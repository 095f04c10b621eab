# What `cmake --install` gives: headers, both libraries, a CMake package, pkg-config, the shipped profiles. The
# component says which Debian package a file goes to (cmake/packages.cmake).
include(CMakePackageConfigHelpers)

install(TARGETS tilewright_runtime_shared tilewright_runtime_static tilewright_profiles
  EXPORT tilewright-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT tilewright-targets NAMESPACE tilewright::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tilewright-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/tilewright-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tilewright-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tilewright-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tilewright-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright COMPONENT development)

# pkg-config finds the prefix from where its file lies, so that `cmake --install --prefix` and a tree that is
# moved stay right; with absolute folders there is nothing to find.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
  set(pkgconfig_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pkgconfig_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pkgconfig_prefix "\${pcfiledir}/${up}")
  set(pkgconfig_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pkgconfig_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# What libtilewright_models.a needs depends on whether it reads ONNX.
set(models_requires "")
set(models_libs "")
if(TILEWRIGHT_HAVE_ONNX)
  set(models_requires protobuf)
  set(models_libs -lonnx_proto)
endif()
foreach(name tilewright tilewright-static tilewright-models)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/profiles/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/profiles
  COMPONENT runtime FILES_MATCHING PATTERN "*.toml" PATTERN "seeds.toml" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/profiles/starter DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/profiles
  COMPONENT runtime)

# What the shared library shows: the C API and the public classes, a line for each class with functions of
# its own. Visibility alone would also show nested classes and what is instantiated from std.
set(exports ${CMAKE_CURRENT_BINARY_DIR}/exports.map)
file(CONFIGURE OUTPUT ${exports} @ONLY CONTENT [[
{
  global:
    tw_*;
    extern "C++" {
      tilewright::Library::[a-z]*;
      tilewright::Mlp::[Ma-z]*;
      tilewright::PackedMatrix::[a-z]*;
      tilewright::Plan::[a-z]*;
      typeinfo?for?tilewright::Error;
      typeinfo?name?for?tilewright::Error;
      vtable?for?tilewright::Error;
    };
  local: *;
};
]])
if(UNIX AND NOT APPLE)
  target_link_options(tilewright_runtime_shared PRIVATE "LINKER:--version-script=${exports}")
  set_property(TARGET tilewright_runtime_shared APPEND PROPERTY LINK_DEPENDS ${exports})
endif()

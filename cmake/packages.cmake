# Which Debian packages are made of what is installed? `cpack` in a build folder makes three:
#
#   tilewright           the program
#   libtilewrightX.Y     what an application needs on the board: shared libraries, shipped profiles
#   libtilewright-dev    what it is compiled with: headers, static libraries, CMake and pkg-config files, examples
#
# The component of each install() says which one a file goes to. The installed prefix is compiled into the library
# (where profiles are looked for), so that packages can only be made of a build for the prefix /usr.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(TILEWRIGHT_DEBIAN_PACKAGES FALSE)
  return()
endif()
find_program(TILEWRIGHT_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(TILEWRIGHT_FILE file)  # CPack tells programs by it
mark_as_advanced(TILEWRIGHT_DPKG_SHLIBDEPS TILEWRIGHT_FILE)
if(NOT TILEWRIGHT_DPKG_SHLIBDEPS OR NOT TILEWRIGHT_FILE)
  message(STATUS "dpkg-shlibdeps or file not found: no Debian packages (Debian: dpkg-dev, file)")
  set(TILEWRIGHT_DEBIAN_PACKAGES FALSE)
  return()
endif()
set(TILEWRIGHT_DEBIAN_PACKAGES TRUE)
set(TILEWRIGHT_MAINTAINER "tilewright <tilewright@localhost>" CACHE STRING "Who answers for the Debian packages")

set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(tool tilewright)
set(runtime libtilewright${soversion})
set(development libtilewright-dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_CONTACT ${TILEWRIGHT_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(component tool runtime development)
  if(component STREQUAL tool AND NOT TILEWRIGHT_BUILD_TUNER)
    continue()
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${${component}})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}}
    RENAME copyright COMPONENT ${component})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${development}
  COMPONENT development)

set(CPACK_DEBIAN_TOOL_DESCRIPTION "tunes matrix products for one OpenCL device
 Measures kernels on a device and writes the best to a profile, from which libtilewright serves.")
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS opencl-icd)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "clinfo, libopenblas0, libclblast1")

set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "serves matrix products and neural nets on OpenCL devices
 Serves from a profile that tilewright wrote for the device, or from built-in kernels.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS opencl-icd)

set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "headers and static libraries of libtilewright
 What a program is compiled with that multiplies matrices or runs neural nets through libtilewright.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${runtime} (= ${PROJECT_VERSION}), ocl-icd-opencl-dev, opencl-clhpp-headers")
if(TILEWRIGHT_HAVE_ONNX)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libonnx-dev, libprotobuf-dev")  # tilewright::models
endif()

# What another package that links the library depends on, and that the linker's cache is to be renewed. (CPack would
# make both, and complain of the library that takes CLBlast's place, which has no version.)
set(control ${PROJECT_BINARY_DIR}/packages)
file(CONFIGURE OUTPUT ${control}/shlibs @ONLY
  CONTENT "libtilewright @soversion@ @runtime@ (>= @PROJECT_VERSION@)\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control}/shlibs;${control}/triggers")

# dpkg-shlibdeps looks for a needed library among the installed packages. Those of a cross build are in the sysroot,
# which looks to it like a package that is being built.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${TILEWRIGHT_CROSS_ARCH})
  file(CONFIGURE OUTPUT ${control}/dpkg-shlibdeps @ONLY CONTENT
    "#!/bin/sh\nDEB_HOST_ARCH=@TILEWRIGHT_CROSS_ARCH@ exec @TILEWRIGHT_DPKG_SHLIBDEPS@ -S@TILEWRIGHT_SYSROOT@ \"$@\"\n")
  file(CHMOD ${control}/dpkg-shlibdeps PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  file(CONFIGURE OUTPUT ${control}/cpack.cmake @ONLY
    CONTENT "set(SHLIBDEPS_EXECUTABLE @control@/dpkg-shlibdeps)\n")
  set(CPACK_PROJECT_CONFIG_FILE ${control}/cpack.cmake)
endif()
include(CPack)

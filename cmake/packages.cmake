# Debian packages. `cpack` in a build folder with any prefix makes four packages:
#
#   tilewright                      the program
#   libtilewrightX.Y                for running applications: shared libraries, shipped profiles
#   libtilewright-dev               for compiling applications: headers, the static library, CMake and pkg-config files, examples
#   tilewright-profiles-datacenter  shipped profiles of data-centre GPUs
#
# The component of each install() (cmake/install.cmake) selects the package of a file. Packages are installed below /usr.
# The library finds its profiles relative to its own file.
find_program(TILEWRIGHT_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(TILEWRIGHT_FILE file)  # CPack recognises programs by it
mark_as_advanced(TILEWRIGHT_DPKG_SHLIBDEPS TILEWRIGHT_FILE)
if(NOT TILEWRIGHT_DPKG_SHLIBDEPS OR NOT TILEWRIGHT_FILE)
  message(STATUS "dpkg-shlibdeps or file not found: no Debian packages (Debian: dpkg-dev, file)")
  set(TILEWRIGHT_DEBIAN_PACKAGES FALSE)
  return()
endif()
set(TILEWRIGHT_DEBIAN_PACKAGES TRUE)
set(TILEWRIGHT_MAINTAINER "tilewright <tilewright@localhost>" CACHE STRING "Who answers for the Debian packages")

set(soversion ${TILEWRIGHT_SOVERSION})
set(tool tilewright)
set(runtime libtilewright${soversion})
set(development libtilewright-dev)
set(datacenter tilewright-profiles-datacenter)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_CONTACT ${TILEWRIGHT_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # else it would be the synopsis of each package
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(component tool runtime development datacenter)
  if(component STREQUAL tool AND NOT TILEWRIGHT_BUILD_TUNER)
    continue()
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${${component}})
  set(licence ${copyright})
  if(component STREQUAL datacenter)
    set(licence ${PROJECT_SOURCE_DIR}/LICENSE)  # profiles contain nothing else
  endif()
  install(FILES ${licence} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${${component}} RENAME copyright
    COMPONENT ${component})
endforeach()

set(CPACK_DEBIAN_TOOL_DESCRIPTION "tunes matrix multiplication for an OpenCL device
 Measures generated kernels on the device and writes the best ones to a profile. Programs that use libtilewright load \
the profile and run its kernels. The documentation is in the source archive.")
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
# The library package has the shipped profiles. The OpenCL library is found at run time (runtime/opencl).
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "${runtime}, opencl-icd, ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "clinfo, libopenblas0, libclblast1")

set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "matrix multiplication and neural networks on OpenCL devices
 A shared library that runs the kernels of a tuned profile, or built-in kernels where there is none. Contains profiles \
of boards and CPUs.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "opencl-icd, ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS ${datacenter})

set(CPACK_DEBIAN_DATACENTER_DESCRIPTION "tilewright profiles of NVIDIA H100 and H200
 Tuned profiles that libtilewright finds and uses on these GPUs.")
set(CPACK_DEBIAN_DATACENTER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DATACENTER_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DATACENTER_PACKAGE_ENHANCES ${runtime})

set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "headers and static library of libtilewright
 Needed to compile programs that use libtilewright. Contains examples in C and C++.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${runtime} (= ${PROJECT_VERSION}), ocl-icd-opencl-dev, opencl-clhpp-headers")

# The dependency of packages that link the library (shlibs), and the trigger that updates the linker's cache. CPack could
# generate both, but it rejects the drop-in for CLBlast, which has no version.
set(control ${PROJECT_BINARY_DIR}/packages)
file(CONFIGURE OUTPUT ${control}/shlibs @ONLY
  CONTENT "libtilewright @soversion@ @runtime@ (>= @PROJECT_VERSION@)\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control}/shlibs;${control}/triggers")

# dpkg-shlibdeps searches needed libraries in the installed packages. In a cross build they are in the sysroot, which is
# passed to it as if it were a package that is being built.
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

# A module is a folder of sources, with its sub-folders, that names the modules on which it depends. Only modules that
# depend on it find its headers, so an include in another direction does not compile (test/layering shows it).
# scripts/modules writes the table of modules in docs/architecture.md.
#
#   tilewright_module(tuner/search              # in tuner/search/CMakeLists.txt
#     DEPENDS tuner/journal codelets/space      # modules, and all modules on which these depend
#     USES tilewright_opencl                    # libraries that its headers need
#     LINKS nlohmann_json::nlohmann_json        # libraries that its sources need
#     SOURCES search.cpp ...)
#
# Makes two targets: tilewright_tuner_search, the headers, and tilewright_tuner_search_objects, the sources. A header is
# included by its path: "tuner/search/search.hpp". It is found through a folder that holds nothing but a link to the
# module, since the source tree itself would show all modules at once.
function(tilewright_module module)
  cmake_parse_arguments(arg "" "" "DEPENDS;USES;LINKS;SOURCES" ${ARGN})
  string(REPLACE "/" "_" name tilewright_${module})
  cmake_path(GET module PARENT_PATH area)
  set(shown ${PROJECT_BINARY_DIR}/modules/${module})
  file(MAKE_DIRECTORY ${shown}/${area})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${shown}/${module} SYMBOLIC)

  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE ${shown})
  target_link_libraries(${name} INTERFACE ${arg_USES})
  foreach(seen IN LISTS arg_DEPENDS)
    string(REPLACE "/" "_" seen tilewright_${seen})
    target_link_libraries(${name} INTERFACE ${seen})
  endforeach()

  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_link_libraries(${name}_objects PRIVATE ${name} ${arg_LINKS} tilewright_warnings tilewright_fmt)
  tilewright_check_headers(${name} */*.hpp AS ${module} LINKS ${name} ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_MODULES_${area} ${name})
endfunction()

# Compiles each header of this folder alone: `cmake --build FOLDER --target headers`. A header
# that includes all that it needs can be included first, before any other header. NAME.hpp is not compiled
# again if there is a NAME.cpp, which includes it first (test/layering/includes_test.py); with CMAKE_UNITY_BUILD=OFF each is compiled alone.
#
#   tilewright_check_headers(NAME [PATTERN...] AS PATH [EXCEPT REGEX] LINKS LIBRARY...)
#
# Makes the target NAME_headers, which is compiled as a source that links these libraries. PATTERN: more headers than those
# of the folder, in sub-folders. AS: the path by which headers of the folder are included. NAME.h is compiled as C.
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(headers)
endif()
function(tilewright_check_headers name)
  if(NOT PROJECT_IS_TOP_LEVEL)
    return()
  endif()
  cmake_parse_arguments(arg "" "AS;EXCEPT" "LINKS" ${ARGN})
  file(GLOB headers RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.hpp *.h ${arg_UNPARSED_ARGUMENTS})
  if(arg_EXCEPT)
    list(FILTER headers EXCLUDE REGEX ${arg_EXCEPT})
  endif()
  set(sources)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "^(include/[^/]*/)?(.*)[.]hp*$" "\\2.cpp" source ${header})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      continue()
    endif()
    string(REGEX REPLACE "^include/" "" included ${header})
    if(header STREQUAL included)
      cmake_path(APPEND arg_AS ${header} OUTPUT_VARIABLE included)
    endif()
    string(REGEX REPLACE "[/.]" "_" source ${header})
    string(REGEX REPLACE ".*[.]h(p*)$" "c\\1" extension ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${source}.${extension})
    set(more)
    if(extension STREQUAL c)
      set(more "typedef int nothing;\n")  # C has no empty sources
    endif()
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${included}\"\n${more}")
    list(APPEND sources ${source})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${name}_headers OBJECT EXCLUDE_FROM_ALL ${sources})
  target_compile_options(${name}_headers PRIVATE -O0)
  target_link_libraries(${name}_headers PRIVATE ${arg_LINKS} tilewright_warnings tilewright_fmt)
  set_target_properties(${name}_headers PROPERTIES EXPORT_COMPILE_COMMANDS OFF UNITY_BUILD OFF)
  add_dependencies(headers ${name}_headers)
endfunction()

# Sets `modules` to the targets of an area's modules, and `objects` to what they are compiled to.
function(tilewright_area_modules area modules objects)
  get_property(names GLOBAL PROPERTY TILEWRIGHT_MODULES_${area})
  set(all)
  foreach(name IN LISTS names)
    list(APPEND all $<TARGET_OBJECTS:${name}_objects>)
  endforeach()
  set(${modules} ${names} PARENT_SCOPE)
  set(${objects} ${all} PARENT_SCOPE)
endfunction()

# What is a room? A folder of sources, with its sub-folders, that says which other rooms it sees. Its headers are found only by those that see
# it, so that an include in another direction does not compile (test/layering shows it); scripts/rooms draws the arrows.
#
#   tilewright_room(tuner/search                    # in tuner/search/CMakeLists.txt
#     SEES tuner/records codelets/space             # rooms, and all that these see
#     USES tilewright_opencl                        # libraries that its headers need
#     LINKS nlohmann_json::nlohmann_json            # libraries that its sources need
#     SOURCES search.cpp ...)
#
# Makes two targets: tilewright_tuner_search, the headers, and tilewright_tuner_search_objects, the sources. A header is
# included by its path: "tuner/search/search.hpp". It is found through a folder that holds nothing but a link to the
# room, since the source tree itself would show all rooms at once.
function(tilewright_room room)
  cmake_parse_arguments(arg "" "" "SEES;USES;LINKS;SOURCES" ${ARGN})
  string(REPLACE "/" "_" name tilewright_${room})
  cmake_path(GET room PARENT_PATH area)
  set(shown ${PROJECT_BINARY_DIR}/rooms/${room})
  file(MAKE_DIRECTORY ${shown}/${area})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${shown}/${room} SYMBOLIC)

  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE ${shown})
  target_link_libraries(${name} INTERFACE ${arg_USES})
  foreach(seen IN LISTS arg_SEES)
    string(REPLACE "/" "_" seen tilewright_${seen})
    target_link_libraries(${name} INTERFACE ${seen})
  endforeach()

  add_library(${name}_objects OBJECT ${arg_SOURCES})
  target_link_libraries(${name}_objects PRIVATE ${name} ${arg_LINKS} tilewright_warnings tilewright_fmt)
  if(TILEWRIGHT_PRECOMPILED)
    target_precompile_headers(${name}_objects REUSE_FROM ${TILEWRIGHT_PRECOMPILED})
  endif()
  tilewright_check_headers(${name} */*.hpp AS ${room} LINKS ${name} ${arg_LINKS})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_ROOMS_${area} ${name})
endfunction()

# Compiles every header of this folder alone: `cmake --build FOLDER --target headers`. A header that includes all that it
# needs can be included first, whatever stands before it elsewhere. No precompiled header: it would hide what is missing.
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
  set_target_properties(${name}_headers PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
  add_dependencies(headers ${name}_headers)
endfunction()

# Sets `rooms` to the targets of an area's rooms, and `objects` to what they are compiled to.
function(tilewright_rooms_of area rooms objects)
  get_property(names GLOBAL PROPERTY TILEWRIGHT_ROOMS_${area})
  set(all)
  foreach(name IN LISTS names)
    list(APPEND all $<TARGET_OBJECTS:${name}_objects>)
  endforeach()
  set(${rooms} ${names} PARENT_SCOPE)
  set(${objects} ${all} PARENT_SCOPE)
endfunction()

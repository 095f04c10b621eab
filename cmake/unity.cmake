# How do cross builds take two minutes and not ten? Several sources are compiled as one (CMAKE_UNITY_BUILD), which
# parses the headers once. Names of their unnamed namespaces then meet: two sources of which both define a name go to
# different units, and one that gives a name of its own to what a header calls a type is compiled alone. Which names
# there are is read off the lines that begin with a letter, as clang-format leaves them.
#
# Where that is not enough the compiler says "redefinition" or "ambiguous", in such builds only: give one of the two
# another name, or list the source here.
set(TILEWRIGHT_UNITY_ALONE
  test/reason_to_skip.cpp                # the linker leaves it out where a test has its own
  test/runtime/opencl_error_test.cpp  # status_of() is another function in other tests
  tuner/command_devices.cpp)          # rates_json() is another function in bench_conditions.hpp
set(TILEWRIGHT_UNITY_SOURCES 16)  # of one unit at most: more use more memory, and leave cores idle

# Sets `types` and `others` (functions, constants) to what the text of a source defines outside of braces.
function(tilewright_defined_names types others text)
  # What CMake would take for its own lists.
  string(REGEX REPLACE "[][;]" "$" text "\n${text}")
  string(REGEX REPLACE "\n(namespace|using namespace|template|extern|#)[^\n]*" "\n" text "${text}")
  string(REGEX MATCHALL "\n(struct|class|enum class|enum|union|using) [A-Za-z0-9_]+" types_found "${text}")
  string(REGEX MATCHALL "\n[A-Za-z][^\n(={$]*[ &*][A-Za-z0-9_]+ *[(={$]" others_found "${text}")
  list(TRANSFORM types_found REPLACE "^.* " "")
  list(TRANSFORM others_found REPLACE "^.*[ &*]([A-Za-z0-9_]+) *.$" "\\1")
  set(${types} ${types_found} PARENT_SCOPE)
  set(${others} ${others_found} PARENT_SCOPE)
endfunction()

# Sets `names` to what the unnamed namespace of the source defines.
function(tilewright_unnamed_names names source)
  file(READ ${source} text)
  string(FIND "${text}" "\nnamespace {\n" begin)
  string(FIND "${text}" "\n}  // namespace\n" end REVERSE)
  set(${names} "" PARENT_SCOPE)
  if(begin GREATER_EQUAL 0 AND end GREATER begin)
    math(EXPR begin "${begin} + 12")
    math(EXPR length "${end} - ${begin}")
    string(SUBSTRING "${text}" ${begin} ${length} text)
    tilewright_defined_names(types others "${text}")
    set(${names} ${types} ${others} PARENT_SCOPE)
  endif()
endfunction()

# Puts each C++ source of the target into the first unit where none of its names is defined.
function(tilewright_group_sources target)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  set(units 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE path)
    if(NOT source MATCHES "[.]cpp$" OR NOT EXISTS ${path})
      continue()
    endif()
    tilewright_unnamed_names(names ${path})
    set(in_headers ${names})
    list(FILTER in_headers INCLUDE REGEX "^(${TILEWRIGHT_HEADER_TYPES})$")
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE known)
    if(in_headers OR known IN_LIST TILEWRIGHT_UNITY_ALONE)
      set_property(SOURCE ${path} DIRECTORY ${folder} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    set(unit 0)
    while(unit LESS units)
      list(LENGTH members_${unit} size)
      set(clash FALSE)
      foreach(name IN LISTS names)
        if(name IN_LIST names_${unit})
          set(clash TRUE)
          break()
        endif()
      endforeach()
      if(NOT clash AND size LESS TILEWRIGHT_UNITY_SOURCES)
        break()
      endif()
      math(EXPR unit "${unit} + 1")
    endwhile()
    if(unit EQUAL units)
      math(EXPR units "${units} + 1")
    endif()
    list(APPEND members_${unit} ${source})
    list(APPEND names_${unit} ${names})
    set_property(SOURCE ${path} DIRECTORY ${folder} PROPERTY UNITY_GROUP ${target}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# The same for all targets of the folder and of the folders below.
function(tilewright_group_all_sources folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY|EXECUTABLE" AND NOT type STREQUAL INTERFACE_LIBRARY)
      tilewright_group_sources(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    tilewright_group_all_sources(${below})
  endforeach()
endfunction()

if(CMAKE_UNITY_BUILD)
  # What is hidden is mostly a name of another source.
  target_compile_options(tilewright_warnings INTERFACE -Wno-shadow)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codelets/*.hpp ${PROJECT_SOURCE_DIR}/profiles/*.hpp
    ${PROJECT_SOURCE_DIR}/runtime/*.hpp ${PROJECT_SOURCE_DIR}/tuner/*.hpp)
  set(TILEWRIGHT_HEADER_TYPES)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    tilewright_defined_names(types others "${text}")
    list(APPEND TILEWRIGHT_HEADER_TYPES ${types})
  endforeach()
  list(REMOVE_DUPLICATES TILEWRIGHT_HEADER_TYPES)
  list(JOIN TILEWRIGHT_HEADER_TYPES "|" TILEWRIGHT_HEADER_TYPES)
  tilewright_group_all_sources(${PROJECT_SOURCE_DIR})
endif()

# Sources of one room, or of one folder of a test program, can be compiled together: they share the parsing of headers and
# the instances of templates. scripts/check asks for it (TILEWRIGHT_UNITY), since it compiles everything; who changes one
# file compiles that one, and so finds an #include that is missing. A batch never holds sources of two rooms.
#
# Names in anonymous namespaces then share a scope: two of a kind are renamed, or a source stays out
# (SKIP_UNITY_BUILD_INCLUSION).
option(TILEWRIGHT_UNITY "Compile the sources of a room together" OFF)

# tilewright_unity(TARGET): all sources of the target are of one room.
function(tilewright_unity target)
  if(TILEWRIGHT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# tilewright_unity_of_folders(TARGET): a test program's sources, each folder by itself.
function(tilewright_unity_of_folders target)
  if(NOT TILEWRIGHT_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "of_${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

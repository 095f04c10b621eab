# tilewright_embedded(OUTPUT INPUT FUNCTION HEADER): a source of this folder's build, whose name is left in OUTPUT, that
# defines tilewright::FUNCTION(), which HEADER declares: the text of the file INPUT, made at build time.
function(tilewright_embedded output input function header)
  cmake_path(ABSOLUTE_PATH input BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  cmake_path(GET input FILENAME name)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${source} -DFUNCTION=${function} -DHEADER=${header}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${input} ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
    COMMENT "Embedding ${name}")
  set(${output} ${source} PARENT_SCOPE)
endfunction()

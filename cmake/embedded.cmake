# tilewright_embedded(OUTPUT INPUT FUNCTION HEADER) generates a source at build time that defines tilewright::FUNCTION(),
# declared in HEADER, which returns the text of the file INPUT. The variable OUTPUT is set to the name of the source.
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

# Every target of the project is compiled with these; TILEWRIGHT_WERROR makes the warnings errors.
add_library(tilewright_warnings INTERFACE)
target_compile_options(tilewright_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
  $<$<BOOL:${TILEWRIGHT_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC's bug 105651: it warns of std::string's own memcpy.
  target_compile_options(tilewright_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

# Every target of the project is compiled with these; TILEWRIGHT_WERROR=ON (CI) makes them errors.
add_library(tilewright_warnings INTERFACE)
target_compile_options(tilewright_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
  $<$<BOOL:${TILEWRIGHT_WERROR}>:-Werror>)

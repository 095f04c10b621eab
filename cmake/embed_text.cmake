# Converts a text file into a C++ source that defines tilewright::${FUNCTION}(), declared in ${HEADER}.
# The text is an array of bytes, because compilers limit the length of string literals.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)"
  "\\1\n" bytes "${bytes}")
cmake_path(GET INPUT FILENAME name)
file(WRITE "${OUTPUT}" "// Made by cmake/embed_text.cmake from ${name}.
#include \"${HEADER}\"
namespace tilewright {
std::string_view ${FUNCTION}() {
  static constexpr unsigned char kText[] = {
${bytes}0};
  return {reinterpret_cast<const char*>(kText), sizeof(kText) - 1};
}
}  // namespace tilewright
")

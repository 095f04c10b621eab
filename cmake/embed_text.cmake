# Turns a text file into a C++ source that defines tilewright::generic_profile_text().
# Bytes, not a string literal: compilers limit the length of literals.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)"
  "\\1\n" bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made by cmake/embed_text.cmake from generic.toml.
#include \"profiles/profile_text.hpp\"
namespace tilewright {
std::string_view generic_profile_text() {
  static constexpr unsigned char kText[] = {
${bytes}0};
  return {reinterpret_cast<const char*>(kText), sizeof(kText) - 1};
}
}  // namespace tilewright
")

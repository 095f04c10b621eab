# Turns the limits files of a folder into a C++ source that defines tilewright::known_limits().
# Compilers take string literals of 64 KiB, far more than such a file has.
file(GLOB files "${FOLDER}/*.toml")
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"limits(${text})limits\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed_limits.cmake from profiles/limits.
#include \"tuner/measure/device/known_limits.hpp\"
namespace tilewright {
const std::vector<KnownLimits>& known_limits() {
  static const std::vector<KnownLimits> all = {
${entries}  };
  return all;
}
}  // namespace tilewright
")

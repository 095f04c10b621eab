# Converts the limits files of a folder into a C++ source that defines tilewright::known_limits().
# Compilers support string literals of up to 64 KiB; limits files are much smaller.
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
